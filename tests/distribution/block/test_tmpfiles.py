# SPDX-License-Identifier: GPL-3.0-or-later
"""Lines of tmpfiles.d mean what systemd-tmpfiles makes of them."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from tests.unit.block.test_writers import TMPFILES


def written(root: Path, *lines: str) -> str:
    """Return what systemd-tmpfiles writes for sda, in files instead of /sys; empty if nothing."""
    for name in ("sda", "sdb", "sdc"):
        (root / f"sys/block/{name}/queue").mkdir(parents=True)
        (root / f"sys/block/{name}/queue/scheduler").touch()
    (root / "sys/dev/block").mkdir(parents=True)
    (root / "sys/dev/block/8:0").symlink_to("../../block/sda")
    configuration = root / "io.conf"
    configuration.write_text("".join(lines).replace("/sys/", f"{root}/sys/"))
    subprocess.run(["systemd-tmpfiles", "--create", "--boot", configuration], check=False, stderr=subprocess.DEVNULL)
    return (root / "sys/block/sda/queue/scheduler").read_text().strip()


@pytest.mark.parametrize("text", [text for text in TMPFILES if not text.startswith("d ")])
def test_a_line_is_read_as_systemd_reads_it(tmp_path: Path, text: str) -> None:
    value = written(tmp_path, text.format("bfq"))
    assert value == TMPFILES[text].rpartition(" ")[0]


@pytest.mark.parametrize(
    ("first", "later", "expected"),
    [
        ("w", "w /sys/block/sda/queue/scheduler", "bfq"),
        ("w", "w+ /sys/block/sda/queue/scheduler", "bfq"),
        ("w+", "w+ /sys/block/sda/queue/scheduler", "bfqkyber"),
        ("w", "w /sys/block/sd?/queue/scheduler", "kyber"),
    ],
)
def test_of_lines_for_one_path_the_first_counts(tmp_path: Path, first: str, later: str, expected: str) -> None:
    lines = f"{first} /sys/block/sda/queue/scheduler - - - - bfq\n", f"{later} - - - - kyber\n"
    assert written(tmp_path, *lines) == expected
