# SPDX-License-Identifier: GPL-3.0-or-later
"""What is measured in a turn, and in which order: randomised complete blocks, balanced for what ran just before."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from disktuner.vocabulary.settings import Setting

Runs = Mapping[str, Sequence[Setting]]
"""By workload, which settings have another round, the baseline first."""


@dataclass(frozen=True, slots=True)
class Turn:
    """What is worth another round; nothing where all is answered, or nothing can be.

    ``reserve`` is what may have to be measured afterwards of the one who gains, or seems to: room for that is kept.
    """

    runs: Runs = field(default_factory=dict)
    reserve: Runs = field(default_factory=dict)


def orders(settings: Sequence[Setting], seed: int) -> Iterator[tuple[Setting, ...]]:
    """Yield one order of all settings per round, without end; the same seed yields the same orders.

    Every round holds every setting once, so a slow drift of the disk hits all alike. Within a cycle of
    as many rounds as there are settings (twice as many where their number is odd), each runs equally
    often directly after each other one. Which setting plays which part, and the order of the rounds,
    are drawn anew per cycle; two rounds in a row do not meet in the same setting if a redraw can avoid
    it.

    Source: E. J. Williams, "Experimental designs balanced for the estimation of residual effects of treatments",
    Australian Journal of Scientific Research 2 (1949); R. A. Fisher, The Design of Experiments (1935).
    Raises ``ValueError`` for no settings or a repeated one.
    """
    if not settings or len(set(settings)) != len(settings):
        raise ValueError(f"the settings of a round must be some and each only once: {settings}")
    return _endless(tuple(settings), random.Random(seed))  # noqa: S311 - an order of runs, not a secret


def _endless(settings: tuple[Setting, ...], source: random.Random) -> Iterator[tuple[Setting, ...]]:
    last: Setting | None = None
    while True:
        for order in _cycle(settings, source, last):
            yield order
            last = order[-1]


def _cycle(settings: tuple[Setting, ...], source: random.Random, last: Setting | None) -> list[tuple[Setting, ...]]:
    """One balanced cycle whose rounds meet in different settings, as far as 50 draws can find one."""
    best: list[tuple[Setting, ...]] = []
    fewest = None
    for _ in range(50):
        rows = _draw(settings, source)
        meetings = _meetings(rows, last)
        if fewest is None or meetings < fewest:
            best, fewest = rows, meetings
        if not meetings:
            break
    return best


def _draw(settings: tuple[Setting, ...], source: random.Random) -> list[tuple[Setting, ...]]:
    parts = list(settings)
    source.shuffle(parts)
    rows = [tuple(parts[index] for index in row) for row in _williams(len(parts))]
    source.shuffle(rows)
    return rows


def _meetings(rows: list[tuple[Setting, ...]], last: Setting | None) -> int:
    """How often a round begins with the setting that ended the one before."""
    ends = [last, *(row[-1] for row in rows)]
    return sum(end == row[0] for end, row in zip(ends, rows, strict=False))


def _williams(count: int) -> list[tuple[int, ...]]:
    """The rows of Williams' square for ``count`` treatments (and its mirror image where the number is odd)."""
    zigzag = [(step + 1) // 2 if step % 2 else (count - step // 2) % count for step in range(count)]
    square = [tuple((part + shift) % count for part in zigzag) for shift in range(count)]
    if count % 2 and count > 1:
        square += [tuple(reversed(row)) for row in square]
    return square
