# SPDX-License-Identifier: GPL-3.0-or-later
"""What may be the price of a setting, and how much of it a goal accepts."""

from __future__ import annotations

from collections.abc import Mapping

from disktuner.presentation.panels import Panel, difference
from disktuner.results.model import Result
from disktuner.verdict.model import Decision, Verdict
from disktuner.vocabulary.differences import ratio_of_gain
from disktuner.vocabulary.metrics import Metric
from disktuner.vocabulary.settings import Setting


def _gains(panel: Panel, about: Setting | None) -> list[float]:
    """Return the gains of one setting, or of all but the baseline."""
    return [row.gain for row in panel.rows if row.gain and not row.is_baseline and about in (None, row.setting)]


def accepted_gains(
    result: Result, verdict: Verdict, panels: Mapping[str, Panel], about: Setting | None
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


def _sooner(duration: Panel | None, about: Setting | None) -> float:
    """Return how many times sooner a program is done with the one setting that this is about."""
    return max(_gains(duration, about), default=1.0) if duration and about else 1.0


def said_gain(metric: Metric, gain: float) -> str:
    """Say a gain, from 1 on better: "20 % faster"."""
    return difference(metric, ratio_of_gain(metric, gain))
