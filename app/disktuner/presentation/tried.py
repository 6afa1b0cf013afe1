# SPDX-License-Identifier: GPL-3.0-or-later
"""Why each setting of a tuning was tried."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from disktuner.results.model import Result
from disktuner.verdict.model import Verdict
from disktuner.vocabulary.kinds import KINDS, UNKNOWN
from disktuner.vocabulary.messages import named, text
from disktuner.vocabulary.settings import Setting
from disktuner.vocabulary.tunables import known
from disktuner.vocabulary.tuning import candidate_of


@dataclass(frozen=True, slots=True)
class Tried:
    """A setting that competed: why it was tried, the source for that, and whether it was left out."""

    setting: Setting
    reason: str
    source: str
    left_out: str


def tried(result: Result, verdict: Verdict) -> tuple[Tried, ...]:
    """Return why each setting of a tuning was tried, in the order of the plan."""
    if not result.plan.tunes:
        return ()
    return tuple(
        _tried(setting, result, verdict) for setting in result.plan.settings if setting != result.plan.baseline
    )


def _tried(setting: Setting, result: Result, verdict: Verdict) -> Tried:
    rotates = result.disk.get("rotational") is True
    kind = KINDS.get(str(result.disk.get("kind")), UNKNOWN)
    candidate = candidate_of(result.plan.goal or "", rotates, kind, result.plan.baseline, setting)
    left_out = text("tried-left-out") if setting in verdict.left_out else ""
    if candidate is None:
        return Tried(setting, _trades(setting, setting.values), "", left_out)
    return Tried(setting, named(candidate.reason), text("tried-source", source=named(candidate.source)), left_out)


def _trades(setting: Setting, names: Iterable[str]) -> str:
    """Return the trade-offs of these tunables."""
    tunables = (known(name, setting.scheduler) for name in names)
    return " ".join(named(tunable.trade) for tunable in tunables if tunable is not None)
