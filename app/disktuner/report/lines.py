# SPDX-License-Identifier: GPL-3.0-or-later
"""A result as a few lines of plain text, to paste into a chat."""

from __future__ import annotations

from disktuner.presentation import Bar, Presented, bars_of

MOST = 8
"""The most lines."""


def as_text(presented: Presented) -> str:
    """Return the answer, its sentence, bars and price, and what was measured."""
    glance = presented.glance
    answer = f"{glance.title} ({glance.sure})" if glance.sure else glance.title
    end = [*filter(None, (glance.price,)), " · ".join((*presented.setup[:5], *presented.run))]
    room = MOST - 2 - len(end)
    bars = bars_of(glance.panel, presented.about, room - 1) if glance.panel else None
    chart = [bars.title, *map(_line, bars.bars)] if bars else []
    return "\n".join((answer, glance.sentence, *chart, *end))


def _line(bar: Bar) -> str:
    return f"  {bar.name}: " + ", ".join(filter(None, (bar.value, bar.words)))
