# SPDX-License-Identifier: GPL-3.0-or-later
"""How sure an answer is, on an axis of factors: the gain, between what it lies, and what is worth switching for."""

from __future__ import annotations

import math
from dataclasses import dataclass

from disktuner.presentation.scale import Scale, scale_of_factors
from disktuner.verdict.effects import ratio_of
from disktuner.verdict.model import Decision, Estimate, Verdict
from disktuner.vocabulary.differences import FAR
from disktuner.vocabulary.messages import text
from disktuner.vocabulary.settings import Setting

_LEAST = 1.05
"""A gain is said to be at least so much from here on, as in the answer."""


@dataclass(frozen=True, slots=True)
class Certainty:
    """The factors ``low``, ``gain`` and ``high`` of a ``setting``; a change is worth it from ``worth`` on. The ends are
    0 and infinite where nothing bounds it.

    ``words`` say what can be relied on, ``spoken`` all of it for those who do not see the axis.
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
    """Return how sure an answer is; None where nothing was compared, or the axis would say little."""
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
    """Return who gains most of those that are not worth a change."""
    known = [each for each in verdict.assessments.values() if each.score is not None]
    best = max(known, key=lambda each: each.gain, default=None)
    return best.setting if best is not None and verdict.decision is Decision.KEEP else None


def _estimate(verdict: Verdict, setting: Setting | None) -> Estimate | None:
    """Return the gain that the answer states; what is undecided is so in all that decides together."""
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
