# SPDX-License-Identifier: GPL-3.0-or-later
"""Which labels of a scale have room: the most telling ones first."""

from __future__ import annotations

from disktuner.presentation import Scale


def by_weight(scale: Scale, limit: float) -> list[tuple[float, str]]:
    """The ticks of a scale, first those that must be labelled: no difference, and the limit."""
    return sorted(scale.ticks, key=lambda tick: (tick[0] != 1, tick[0] != limit))


def is_free(taken: list[tuple[float, float]], low: float, high: float) -> bool:
    """Whether nothing else is between these two; if so, it is taken from now on."""
    free = all(high < other_low or low > other_high for other_low, other_high in taken)
    if free:
        taken.append((low, high))
    return free
