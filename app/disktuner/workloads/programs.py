# SPDX-License-Identifier: GPL-3.0-or-later
"""Real programs: whether they are here, and what GNU dd prints."""

from __future__ import annotations

import re
import shutil
from dataclasses import dataclass

from disktuner.workloads.errors import NotUnderstood

_DD = re.compile(r"(\d+) bytes.* copied, ([0-9.e+-]+) s,")


def missing(program: str, package: str | None) -> str | None:
    """Return a sentence saying what to install, or None where the program is there."""
    if shutil.which(program):
        return None
    return f"{program} is not installed: install the package {package or program}, then start again."


@dataclass(frozen=True, slots=True)
class Copied:
    """What dd says it did."""

    size_bytes: int
    seconds: float


def parse_dd(text: str) -> Copied:
    """Read dd's last line (``… bytes (…) copied, 1.23 s, …``), printed on stderr under ``LC_ALL=C``."""
    found = _DD.search(text)
    if not found:
        raise NotUnderstood("dd", text)
    return Copied(int(found[1]), float(found[2]))
