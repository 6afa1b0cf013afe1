# SPDX-License-Identifier: GPL-3.0-or-later
"""A command whose standard streams are closed ends as one whose output cannot be written."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

LAUNCH = Path(__file__).parents[3] / "app" / "launch.py"


def run(command: str, closed: str, home: Path) -> subprocess.CompletedProcess[str]:
    """Run a command with streams that a shell closes."""
    argv = ("sh", "-c", f'exec "$@" {closed}', "sh", sys.executable, "-I", str(LAUNCH), *command.split())
    environment = {"PATH": os.defpath, "HOME": str(home), "LANG": "C.UTF-8"}
    return subprocess.run(argv, capture_output=True, text=True, check=False, env=environment)


@pytest.mark.parametrize(
    ("command", "closed", "status"),
    [
        ("history", ">&-", 5),
        ("--help", ">&-", 5),
        ("nonsense", ">&-", 2),
        ("history", ">&- 2>&-", 5),
        ("history", "<&- >&- 2>&-", 5),
        ("history", "2>&-", 0),
        ("nonsense", "2>&-", 2),
        ("history --debug", "2>&-", 0),
        ("history", "<&-", 0),
    ],
)
def test_a_closed_stream_is_no_defect(command: str, closed: str, status: int, tmp_path: Path) -> None:
    done = run(command, closed, tmp_path)
    assert done.returncode == status and "Traceback" not in done.stderr
    if status == 5 and "2>&-" not in closed:
        assert done.stderr.startswith("disktuner: The output could not be written: Bad file descriptor.")
    assert done.stdout.startswith("No results yet") == (status == 0)


def test_no_file_of_ours_becomes_a_closed_stream(tmp_path: Path) -> None:
    """The log's file would have been standard error, and a program that we start would have written into it."""
    code = "from disktuner.cli.streams import open_closed_streams as f; f(); print(open('/dev/zero').fileno())"
    app = str(LAUNCH.parent)
    argv = (
        "sh",
        "-c",
        'exec "$@" <&- 2>&-',
        "sh",
        sys.executable,
        "-c",
        f"import sys; sys.path.append({app!r}); {code}",
    )
    assert subprocess.run(argv, capture_output=True, text=True, check=False).stdout == "3\n"
