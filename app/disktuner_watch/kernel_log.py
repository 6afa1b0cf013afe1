# SPDX-License-Identifier: GPL-3.0-or-later
"""The kernel's messages on disks around an incident: resets, aborts and errors, if the user may read its log."""

from __future__ import annotations

import re
import subprocess
from datetime import datetime, timedelta

AROUND = timedelta(seconds=60)
LATEST = timedelta(minutes=10)
"""The kernel gives up a silent disk late: NVMe after 30 s a command (nvme-core.io_timeout) and some resets."""
MOST_LINES, MOST_SIGNS = 12, 160
ANSWER_S = 20.0
_OF_DISKS = re.compile(
    r"\b(?:nvme\d|ata\d|sd[a-z]{1,3}\b|scsi|mmc\d|mmcblk\d|usb \d|xhci|blk_update_request|critical \w+ error)"
    r"|I/O error",
    re.IGNORECASE,
)
_OF_FAULTS = re.compile(
    r"time[d -]*out|reset|abort|error|fail|offline|removed|down\b|disconnect|frozen|CQE recovery|read-only",
    re.IGNORECASE,
)


def kernel_lines(started: datetime, seconds: float) -> tuple[str, ...]:
    """Return the kernel's messages on disk faults, from a minute before until ten minutes after; none if they cannot be
    read: only root and the groups adm and systemd-journal may. Waits for up to ``ANSWER_S``.
    """
    since, until = started - AROUND, started + timedelta(seconds=seconds) + LATEST
    command = ("journalctl", "--quiet", "--no-pager", "--output=short-iso-precise", "_TRANSPORT=kernel",
               f"--since=@{since.timestamp():.0f}", f"--until=@{until.timestamp():.0f}")  # fmt: skip
    try:
        done = subprocess.run(
            command, capture_output=True, check=False, timeout=ANSWER_S, encoding="utf-8", errors="replace"
        )
    except (OSError, subprocess.SubprocessError):
        return ()
    return told_of_disks(done.stdout)


def told_of_disks(log: str) -> tuple[str, ...]:
    """Return the lines of a log about disk faults, without the machine's name."""
    lines = (re.sub(r"^(\S+) \S+ kernel: ", r"\1 ", line) for line in log.splitlines())
    faults = [line[:MOST_SIGNS] for line in lines if _OF_DISKS.search(line) and _OF_FAULTS.search(line)]
    return tuple(faults[:MOST_LINES])
