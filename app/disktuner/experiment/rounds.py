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
    are drawn anew per cycle.

    Source: E. J. Williams, "Experimental designs balanced for the estimation of residual effects of treatments",
    Australian Journal of Scientific Research 2 (1949); R. A. Fisher, The Design of Experiments (1935).
    """
    source = random.Random(seed)  # noqa: S311 - an order of runs, not a secret
    while True:
        parts, rows = list(settings), _williams(len(settings))
        source.shuffle(parts)
        source.shuffle(rows)
        for row in rows:
            yield tuple(parts[part] for part in row)


def _williams(count: int) -> list[tuple[int, ...]]:
    """The rows of Williams' square for ``count`` treatments (and its mirror image where the number is odd)."""
    zigzag = [(step + 1) // 2 if step % 2 else (count - step // 2) % count for step in range(count)]
    square = [tuple((part + shift) % count for part in zigzag) for shift in range(count)]
    if count % 2 and count > 1:
        square += [tuple(reversed(row)) for row in square]
    return square
