# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings that competed: why each was tried."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from disktuner.results.model import Result
from disktuner.verdict.model import Verdict
from disktuner.vocabulary.messages import named, text
from disktuner.vocabulary.settings import Setting, setting_of
from disktuner.vocabulary.tunables import known
from disktuner.vocabulary.tuning import candidate_of


@dataclass(frozen=True, slots=True)
class Tried:
    """A setting that competed, in words: why it was tried, where that is said, and what became of it."""

    setting: str
    reason: str
    source: str
    left_out: str


def tried(result: Result, verdict: Verdict) -> tuple[Tried, ...]:
    """Return why each setting of a tuning was tried, in the order of the plan."""
    if not result.plan.tunes:
        return ()
    others = (name for name in result.plan.schedulers if name != result.plan.baseline)
    return tuple(_tried(name, result, verdict) for name in others)


def _tried(name: str, result: Result, verdict: Verdict) -> Tried:
    plain, setting = setting_of(result.plan.baseline), setting_of(name)
    found = candidate_of(result.plan.goal or "", result.disk.get("rotational") is True, plain, setting)
    left_out = text("tried-left-out") if name in verdict.left_out else ""
    if found is None:
        return Tried(setting.words, _trades(setting, setting.values), "", left_out)
    return Tried(setting.words, named(found.reason), text("tried-source", source=named(found.source)), left_out)


def _trades(setting: Setting, names: Iterable[str]) -> str:
    """Return what these tunables trade for what."""
    found = (known(name, setting.scheduler) for name in names)
    return " ".join(named(each.trade) for each in found if each is not None)
