# SPDX-License-Identifier: GPL-3.0-or-later
"""A folder that looks like /sys/block and udev's database; only for what needs no kernel to answer back."""

from __future__ import annotations

from pathlib import Path

from disktuner_helper.contract import Places


def places(root: Path) -> Places:
    """Places of the helper's below a test's folder."""
    for name in ("block", "udev/data", "rules", "run", "lib"):
        (root / name).mkdir(parents=True, exist_ok=True)
    return Places(
        root / "block", root / "udev/data", root / "rules", root / "run" / "disktuner", root / "lib" / "disktuner"
    )


def add_disk(at: Places, name: str, number: int, properties: dict[str, str]) -> None:
    """A disk with a queue and what udev knows of it."""
    queue = at.sys_block / name / "queue"
    queue.mkdir(parents=True, exist_ok=True)
    (queue.parent / "dev").write_text(f"8:{number}\n")
    (queue.parent / "diskseq").write_text(f"{number + 1}\n")
    (queue / "scheduler").write_text("[none] mq-deadline bfq\n")
    (queue / "nomerges").write_text("0\n")
    lines = "".join(f"E:{key}={value}\n" for key, value in properties.items())
    (at.udev_data / f"b8:{number}").write_bytes(lines.encode("utf-8", "surrogateescape"))
