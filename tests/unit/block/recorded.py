# SPDX-License-Identifier: GPL-3.0-or-later
"""The recorded machines of tests/data/machines, and what must be reported for each of their disks."""

from __future__ import annotations

import json
import tarfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parents[2] / "data/machines"


@dataclass(frozen=True, slots=True)
class Expected:
    """``disks``: kind, transport, certain, scheduler; ``below``: the disks that order a folder's requests."""

    disks: Mapping[str, tuple[str, str, bool, str | None]]
    below: Mapping[str, tuple[str, ...]]


def unpacked(name: str, folder: Path) -> Path:
    """Return the recorded tree of a machine."""
    with tarfile.open(FOLDER / name / "tree.tar.xz") as archive:
        archive.extraction_filter = lambda member, _: member  # links lead up the tree, as the kernel's do
        archive.extractall(folder)
    return folder


def said(name: str) -> dict[str, list[dict[str, Any]]]:
    """What lsblk, findmnt and udevadm printed on that machine when it was recorded."""
    answers: dict[str, list[dict[str, Any]]] = json.loads((FOLDER / name / "said.json").read_text())
    return answers
