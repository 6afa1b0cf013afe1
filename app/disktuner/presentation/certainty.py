# SPDX-License-Identifier: GPL-3.0-or-later
"""How sure an answer is, on an axis of factors: the gain, its interval, and the least gain worth switching for."""

from __future__ import annotations

import math
from dataclasses import dataclass

from disktuner.presentation.scale import Scale, scale_of_factors
from disktuner.verdict.effects import ratio_of
from disktuner.verdict.model import Estimate, Verdict
from disktuner.verdict.outcomes import Decision
from disktuner.vocabulary.differences import FAR
from disktuner.vocabulary.messages import text
from disktuner.vocabulary.settings import Setting

_LEAST = 1.05
"""The smallest lower bound that is stated as "at least", as in the answer."""


@dataclass(frozen=True, slots=True)
class Certainty:
    """A setting's gain as factors: ``low``, ``gain`` and ``high``; a change is worth it from ``worth`` on.

    Unbounded ends are 0 and infinite. ``words`` say what can be relied on, ``spoken`` replaces the whole axis for
    screen readers.
    """

    setting: Setting
    gain: float
    low: float
    high: float
    worth: float
    scale: Scale
    words: str
    spoken: str


def certainty_of(verdict: Verdict) -> Certainty | None:
    """Return how sure an answer is; None if nothing was compared or the axis would say little."""
    setting = verdict.about or _best(verdict)
    estimate = _estimate(verdict, setting) if setting is not None and not verdict.answer.unfelt else None
    if setting is None or estimate is None or (verdict.winner is not None and math.isinf(estimate.low)):
        return None
    if verdict.decision is Decision.KEEP and estimate.high > math.log(verdict.worth) + 1e-9:
        return None
    gain, low, high = map(ratio_of, (estimate.gain, estimate.low, estimate.high))
    words = _words(verdict, low)
    spoken = text("sure-axis", setting=setting.name, gain=gain, finding=words)
    scale = scale_of_factors((gain,), (low, high), verdict.worth)
    return Certainty(setting, gain, low, high, verdict.worth, scale, words, spoken)


def _best(verdict: Verdict) -> Setting | None:
    """Return the setting that gains most, if the answer is to keep the current one."""
    known = [assessment for assessment in verdict.assessments.values() if assessment.score is not None]
    best = max(known, key=lambda assessment: assessment.gain, default=None)
    return best.setting if best is not None and verdict.decision is Decision.KEEP else None


def _estimate(verdict: Verdict, setting: Setting | None) -> Estimate | None:
    """Return the gain that the answer states; undecided answers state the mean of everything that decides."""
    assessment = verdict.assessments.get(setting) if setting is not None else None
    if assessment is None:
        return None
    made = verdict.comparison(verdict.leading or "", setting)
    if made is None or (verdict.winner is None and len(assessment.parts) > 1):
        return assessment.estimate
    return made.measured


def _words(verdict: Verdict, low: float) -> str:
    if verdict.decision is Decision.KEEP:
        return text("sure-less", worth=verdict.worth)
    if verdict.winner is None:
        return text("sure-not-yet", worth=verdict.worth)
    if low >= FAR:
        return text("sure-far")
    return text("sure-at-least", least=low) if low >= _LEAST else text("sure-gains")
