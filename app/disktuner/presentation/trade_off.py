# SPDX-License-Identifier: GPL-3.0-or-later
"""What a scheduler gains against what it costs: the figures of both, and where a change is worth it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from disktuner.presentation.panels import Panel, Row, difference
from disktuner.presentation.scale import Scale, scale_of_differences
from disktuner.results.model import Result
from disktuner.verdict.model import Decision, Verdict
from disktuner.vocabulary.differences import ratio_of_gain
from disktuner.vocabulary.metrics import Metric


@dataclass(frozen=True, slots=True)
class TradeOff:
    """Two figures of every scheduler: what decides most, and the price that is worst measured by what the goal accepts.

    A price may be as low a gain as ``accepted``.
    """

    deciding: Panel
    price: Panel
    accepted: float


def trade_off(result: Result, verdict: Verdict, shown: Iterable[Panel]) -> TradeOff | None:
    """Return the trade-off of the winner or leader, else of whoever gains most; None without figures of both kinds."""
    about = verdict.winner or verdict.leader
    panels = {panel.metric.name: panel for panel in shown if _gains(panel, about)}
    weights = {part.metric: part.weight for part in result.question.parts if part.metric in panels}
    accepted = accepted_gains(result, verdict, panels, about)
    if not weights or not accepted:
        return None
    best = {name: max(_gains(panels[name], about)) for name in weights}
    gain = panels[max(weights, key=lambda name: (best[name] > 1, weights[name], best[name]))]
    price = panels[min(accepted, key=lambda name: min(_gains(panels[name], about)) / accepted[name])]
    return TradeOff(gain, price, accepted[price.metric.name]) if _meet(gain, price) else None


def _meet(gain: Panel, price: Panel) -> bool:
    """Whether several schedulers have both figures."""
    both = {row.scheduler for row in gain.rows if row.gain} & {row.scheduler for row in price.rows if row.gain}
    return len(both) > 1


def _gains(panel: Panel, about: str | None) -> list[float]:
    """Return the gains of one scheduler, or of all but the baseline."""
    return [row.gain for row in panel.rows if row.gain and not row.is_baseline and about in (None, row.scheduler)]


def accepted_gains(
    result: Result, verdict: Verdict, panels: Mapping[str, Panel], about: str | None
) -> Mapping[str, float]:
    """Return what may be a price, with the gain down to which it is accepted: of a condition what is open and worse.

    Else the goal's prices, and what decides but was measured to get worse.
    """
    if verdict.decision is Decision.CONDITIONAL:
        found = {each.metric: each.least for each in verdict.open if each.measured is not None and each.measured < 1}
    else:
        question = result.question
        lost = [
            name
            for name in question.deciding
            if about and name in panels and min(_gains(panels[name], about), default=1.0) < 1
        ]
        found = dict.fromkeys(lost, 1 / question.worth)
        found |= {
            each.metric: each.least_gain(_sooner(panels.get(each.beside or ""), about)) for each in question.prices
        }
    return {name: least for name, least in found.items() if name in panels}


def _sooner(duration: Panel | None, about: str | None) -> float:
    """Return how many times sooner a program is done with the one scheduler that this is about."""
    return max(_gains(duration, about), default=1.0) if duration and about else 1.0


def scale_of_rows(metric: Metric, rows: list[Row], limit: float) -> Scale:
    """Return a scale for the gains of some rows and a limit."""
    ends = (end for row in rows for end in (row.gain_low, row.gain_high) if end is not None)
    return scale_of_differences(metric, [row.gain for row in rows if row.gain], ends, limit)


def said_gain(metric: Metric, gain: float) -> str:
    """Say a gain, from 1 on better: "20 % faster"."""
    return difference(metric, ratio_of_gain(metric, gain))
