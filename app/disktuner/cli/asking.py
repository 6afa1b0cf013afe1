# SPDX-License-Identifier: GPL-3.0-or-later
"""Asks before much is written to a disk that wears."""

from __future__ import annotations

import sys

from disktuner.block.disk import Disk
from disktuner.cli.streams import remark
from disktuner.vocabulary.errors import Cancelled, UsageError
from disktuner.vocabulary.messages import text


def ask_to_write(disk: Disk, most_bytes: int, share: float) -> None:
    """Ask whether up to ``most_bytes``, that ``share`` of a disk that wears, may be written.

    Raises ``Cancelled``, or ``UsageError`` where nobody can be asked.
    """
    remark(text("portrait-wears", share=share))
    if not sys.stdin.isatty():
        raise UsageError("portrait-say-yes", disk=disk.title, most=most_bytes)
    print(text("portrait-ask"), end=" ", file=sys.stderr, flush=True)
    if sys.stdin.readline().strip().casefold() not in text("portrait-yes").split():
        raise Cancelled("cancelled")
