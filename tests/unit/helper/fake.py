# SPDX-License-Identifier: GPL-3.0-or-later
"""A root folder with the helper's places, and disks in it; only for tests in which no kernel has to answer."""

from __future__ import annotations

from itertools import count
from pathlib import Path

RULES = "etc/udev/rules.d"
later = count(1).__next__
"""When a trial's time will be over: later with each use."""


def make_root(folder: Path) -> Path:
    """Make the folders that the helper finds or makes."""
    for name in ("sys/block", "run/udev/data", RULES, "run/disktuner/hold", "var/lib"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    return folder


def add_disk(root: Path, name: str, number: int, properties: dict[str, str]) -> None:
    """Add a disk with a queue and udev's record of it."""
    queue = root / "sys/block" / name / "queue"
    queue.mkdir(parents=True, exist_ok=True)
    (queue.parent / "dev").write_text(f"8:{number}\n")
    (queue.parent / "diskseq").write_text(f"{number + 1}\n")
    (queue / "scheduler").write_text("[none] mq-deadline bfq\n")
    (queue / "nomerges").write_text("0\n")
    lines = "".join(f"E:{key}={value}\n" for key, value in properties.items())
    (root / f"run/udev/data/b8:{number}").write_bytes(lines.encode("utf-8", "surrogateescape"))


def rule_of(root: Path, key: str, value: str) -> Path:
    """Return the rule file for the disk with a udev property."""
    return root / RULES / f"90-disktuner-{key}-{value}.rules"


def nobody(_: object) -> None:
    """Ignores what could not be restored to a disk."""
