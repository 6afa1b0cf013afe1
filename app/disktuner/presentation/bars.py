# SPDX-License-Identifier: GPL-3.0-or-later
"""A panel as bars, the best first: their lengths, values and words."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from disktuner.presentation.panels import Panel, Row
from disktuner.verdict.effects import ratio_of
from disktuner.verdict.outcomes import Outcome
from disktuner.vocabulary.messages import text
from disktuner.vocabulary.metrics import Better
from disktuner.vocabulary.settings import Setting

_LONGEST = 4.0
"""A bar is cut at this multiple of the longer of the current setting's bar and the answer's."""


@dataclass(frozen=True, slots=True)
class Bar:
    """A setting in the chart.

    ``share`` is its length, from 0 to 1; ``is_cut``: it should be longer. On the same scale are the ``ends`` of its
    interval, if shown, its rounds (``dots``), and ``doubtful``, beyond which nothing is certain. ``words`` say how it
    differs from the current setting, which has no ``outcome``. ``stands_out`` marks the setting of the answer.
    """

    setting: Setting
    name: str
    value: str
    words: str
    outcome: Outcome | None
    share: float = 0.0
    is_cut: bool = False
    stands_out: bool = False
    ends: tuple[float, float] | None = None
    dots: tuple[float, ...] = ()
    doubtful: float = 1.0


@dataclass(frozen=True, slots=True)
class Bars:
    """The bars of a figure. Its ``title`` ends in the ``direction``; ``hidden`` counts further settings."""

    title: str
    direction: str
    bars: tuple[Bar, ...]
    hidden: int


def bars_of(panel: Panel, about: Setting | None, most: int = 8) -> Bars:
    """Return a panel as bars, always including the current setting and the one the answer is ``about``."""
    is_lower = panel.metric.better is Better.LOWER
    direction = text("shorter-is-better" if is_lower else "longer-is-better")
    rows = _telling(panel, about, most)
    full = _full([row for row in rows if _is_known(row)], about, is_lower=is_lower)
    return Bars(
        text("bars-title", label=panel.label, direction=direction),
        direction,
        tuple(_bar(row, full, is_lower=is_lower, stands_out=row.setting == about) for row in rows),
        len(panel.rows) - len(rows),
    )


def _telling(panel: Panel, about: Setting | None, most: int) -> list[Row]:
    ordered = sorted(panel.rows, key=lambda row: -(row.estimate.gain if row.estimate else -math.inf))
    first = [row for row in ordered if row.is_baseline or row.setting == about]
    others = [row for row in ordered if row not in first]
    chosen = [*first, *others[: max(0, most - len(first))]]
    return [row for row in ordered if row in chosen]


def _is_known(row: Row) -> bool:
    return row.typical is not None and math.isfinite(row.typical)


def _full(known: list[Row], about: Setting | None, *, is_lower: bool) -> float:
    """Return the value of a bar of full length."""
    longest = max((reach for row in known for reach in _reaches(row, is_lower=is_lower)), default=0.0)
    compared = max((row.typical or 0.0 for row in known if row.is_baseline or row.setting == about), default=0.0)
    return min(longest, _LONGEST * compared) if compared and is_lower else longest


def _reaches(row: Row, *, is_lower: bool) -> Iterator[float]:
    """Yield the typical value, and those at the ends of its interval and of single rounds."""
    typical = row.typical or 0.0
    yield typical
    gain = row.estimate.gain if row.estimate else 0.0
    for end in row.ends or ():
        yield min(typical * ratio_of((gain - end) * (1 if is_lower else -1)), 2 * typical)
    for dot in row.dots:
        yield min(dot, 2 * typical)


def _bar(row: Row, full: float, *, is_lower: bool, stands_out: bool) -> Bar:
    typical, *others = (min(reach / full, 1.0) if full else 0.0 for reach in _reaches(row, is_lower=is_lower))
    has_ends = row.ends is not None
    ends = sorted(others[:2]) if has_ends else None
    return Bar(
        row.setting,
        row.name,
        row.value,
        row.words,
        row.outcome,
        typical if _is_known(row) else 0.0,
        _is_known(row) and full < (row.typical or 0.0),
        stands_out,
        (ends[0], ends[1]) if ends else None,
        tuple(others[2:] if has_ends else others),
        min(_shortest(row, is_lower=is_lower) / full, typical) if full and row.outcome is Outcome.UNDECIDED else 1.0,
    )


def _shortest(row: Row, *, is_lower: bool) -> float:
    """Return the least value that an undecided setting may have."""
    if row.estimate is None or not row.estimate.is_bounded:
        return 0.0
    gain, best = row.estimate.gain, row.estimate.high if is_lower else row.estimate.low
    return (row.typical or 0.0) * ratio_of(gain - best if is_lower else best - gain)
