# SPDX-License-Identifier: GPL-3.0-or-later
"""What a turn measures, and in which order: randomised complete blocks, balanced for the preceding setting."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from disktuner.vocabulary.settings import Setting

Runs = Mapping[str, Sequence[Setting]]
"""The settings of the next round by workload, the baseline first."""


@dataclass(frozen=True, slots=True)
class Turn:
    """What is worth another round; empty if all is answered, or nothing can be.

    ``reserve`` is what a setting that gains, or seems to, may need later: time and bytes are reserved for it.
    """

    runs: Runs = field(default_factory=dict)
    reserve: Runs = field(default_factory=dict)


def orders(settings: Sequence[Setting], seed: int) -> Iterator[tuple[Setting, ...]]:
    """Yield one order of all settings per round, without end; the same seed yields the same orders.

    Every round has every setting once, so that a slow drift of the disk affects all alike. Within a cycle of as many
    rounds as settings (twice as many if that number is odd), each setting directly follows each other one equally
    often. Each cycle draws anew which setting plays which part, and the order of the rounds.

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
    """Return the rows of Williams' square for ``count`` treatments (with its mirror image if that is odd)."""
    zigzag = [(step + 1) // 2 if step % 2 else (count - step // 2) % count for step in range(count)]
    square = [tuple((part + shift) % count for part in zigzag) for shift in range(count)]
    if count % 2 and count > 1:
        square += [tuple(reversed(row)) for row in square]
    return square
