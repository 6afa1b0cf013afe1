# SPDX-License-Identifier: GPL-3.0-or-later
"""What is measured in a turn, and in which order: randomised complete blocks, balanced for what ran just before."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

Runs = Mapping[str, Sequence[str]]
"""By workload, which settings have another round, the baseline first."""


@dataclass(frozen=True, slots=True)
class Turn:
    """What is worth another round; nothing where all is answered, or nothing can be.

    ``reserve`` is what may have to be measured afterwards of the one who gains, or seems to: room for that is kept.
    """

    runs: Runs = field(default_factory=dict)
    reserve: Runs = field(default_factory=dict)


def orders(schedulers: Sequence[str], seed: int) -> Iterator[tuple[str, ...]]:
    """Yield one order of all schedulers per round, without end; the same seed yields the same orders.

    Every round holds every scheduler once, so a slow drift of the disk hits all alike. Within a cycle of
    as many rounds as there are schedulers (twice as many where their number is odd), each runs equally
    often directly after each other one. Which scheduler plays which part, and the order of the rounds,
    are drawn anew per cycle; two rounds in a row do not meet in the same scheduler if a redraw can avoid
    it.

    Source: E. J. Williams, "Experimental designs balanced for the estimation of residual effects of treatments",
    Australian Journal of Scientific Research 2 (1949); R. A. Fisher, The Design of Experiments (1935).
    Raises ``ValueError`` for no schedulers or a repeated one.
    """
    names = tuple(schedulers)
    if not names or len(set(names)) != len(names):
        raise ValueError(f"the schedulers of a round must be some and each only once: {names}")
    return _endless(names, random.Random(seed))  # noqa: S311 - an order of runs, not a secret


def _endless(names: tuple[str, ...], source: random.Random) -> Iterator[tuple[str, ...]]:
    last: str | None = None
    while True:
        for order in _cycle(names, source, last):
            yield order
            last = order[-1]


def _cycle(names: tuple[str, ...], source: random.Random, last: str | None) -> list[tuple[str, ...]]:
    """One balanced cycle whose rounds meet in different schedulers, as far as 50 draws can find one."""
    best: list[tuple[str, ...]] = []
    fewest = None
    for _ in range(50):
        rows = _draw(names, source)
        meetings = _meetings(rows, last)
        if fewest is None or meetings < fewest:
            best, fewest = rows, meetings
        if not meetings:
            break
    return best


def _draw(names: tuple[str, ...], source: random.Random) -> list[tuple[str, ...]]:
    parts = list(names)
    source.shuffle(parts)
    rows = [tuple(parts[index] for index in row) for row in _williams(len(parts))]
    source.shuffle(rows)
    return rows


def _meetings(rows: list[tuple[str, ...]], last: str | None) -> int:
    """How often a round begins with the scheduler that ended the one before."""
    ends = [last, *(row[-1] for row in rows)]
    return sum(end == row[0] for end, row in zip(ends, rows, strict=False))


def _williams(count: int) -> list[tuple[int, ...]]:
    """The rows of Williams' square for ``count`` treatments (and its mirror image where the number is odd)."""
    zigzag = [(step + 1) // 2 if step % 2 else (count - step // 2) % count for step in range(count)]
    square = [tuple((part + shift) % count for part in zigzag) for shift in range(count)]
    if count % 2 and count > 1:
        square += [tuple(reversed(row)) for row in square]
    return square
