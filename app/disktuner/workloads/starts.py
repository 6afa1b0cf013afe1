# SPDX-License-Identifier: GPL-3.0-or-later
"""How starts of a program went, read by read, and what they take beside writers that may be through before them."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from disktuner.vocabulary.messages import Message, message
from disktuner.workloads.errors import NotUnderstood


@dataclass(frozen=True, slots=True)
class Start:
    """One start; times in seconds: ``done_s`` says for each read when it was done, after ``began_s`` (monotonic)."""

    wall_s: float
    began_s: float
    done_s: Sequence[float]


def parse_start(script: Path, text: str) -> tuple[Start, int]:
    """Read what a program prints last that reads like a start: how it went, and how many bytes it read.

    Raises ``NotUnderstood``.
    """
    try:
        found = json.loads(text.splitlines()[-1])
        done_s = [float(each) / 1e6 for each in found["done_us"]]
        if not done_s:
            raise NotUnderstood(script.name, text)
        return Start(float(found["wall_s"]), float(found["began_s"]), done_s), int(found["bytes"])
    except (IndexError, ValueError, KeyError, TypeError) as error:
        raise NotUnderstood(script.name, text) from error


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a start takes beside writers, in seconds, and which part of the reads that rests on (1 is all)."""

    wall_s: float
    share: float

    def remark(self, written: int) -> Message | None:
        """Return what is wrong with a run beside whose starts so many bytes were written."""
        return message("launch-load-ended", written=written, share=self.share) if self.share < 1 else None


def estimate(starts: Sequence[Start], waits: Sequence[int], until_s: float | None) -> Estimate:
    """Return what a start takes at the pace of the reads that were done by then (None: all), at least of one.

    ``waits`` says how many times each read waits for the disk, about: only reads that wait say how slow it is.
    """
    took_s = done = 0.0
    for start in starts:
        count = len(start.done_s)
        if until_s is not None:
            count = max(0 if done else 1, bisect_right(start.done_s, until_s - start.began_s))
        if count == len(start.done_s):
            took_s, done = took_s + start.wall_s, done + 1
        elif count:
            took_s, done = took_s + start.done_s[count - 1], done + sum(waits[:count]) / sum(waits)
    return Estimate(took_s / done, done / len(starts))
