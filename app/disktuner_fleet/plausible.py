# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether a well-formed result can be true: its values, units, names and date."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from disktuner.results.model import BadResult, Result
from disktuner.verdict.levels import Levels
from disktuner.vocabulary.errors import UsageError
from disktuner.vocabulary.kinds import KINDS
from disktuner.vocabulary.metrics import Metric
from disktuner.vocabulary.questions import Question
from disktuner.vocabulary.settings import parse_setting
from disktuner.vocabulary.workloads import facts_of, known_metric, label_of

_WRONG_CLOCK = timedelta(days=2)
"""How much machines' clocks and time zones may differ."""
_LONGEST_S = 86_400.0
_BEYOND = 2.0
"""A rate above so many times the bus's limit is impossible, whatever a cache adds."""
_FROM_MEMORY = frozenset({"many-clients"})
"""Workloads whose speed is not the disk's, since they reread what they have just written."""


def check(result: Result, levels: Levels, question: Question, now: datetime) -> None:
    """Raise ``BadResult`` for impossible values of what decides or is priced, names, or dates."""
    _check_date(result.created, now)
    _check_names(result)
    for name in filter(result.metrics.__contains__, question.metrics):
        _check_metric(result, name)
        if name in levels.impossible:
            raise BadResult("impossible-values", label=label_of(_declared_metric(result.metrics[name])))


def _check_date(created: str, now: datetime) -> None:
    if not created:
        return
    try:
        when = datetime.fromisoformat(created)
    except ValueError:
        raise BadResult("implausible-date", created=created[:40]) from None
    if when.replace(tzinfo=when.tzinfo or UTC) > now + _WRONG_CLOCK:
        raise BadResult("implausible-future", created=created[:40])


def _check_names(result: Result) -> None:
    for setting in {*result.plan.settings, result.plan.baseline, *(sample.setting for sample in result.samples)}:
        try:
            parse_setting(setting.name)
        except UsageError:
            raise BadResult("implausible-name", name=setting.name) from None


def _check_metric(result: Result, name: str) -> None:
    metric = result.metrics[name]
    declared = _declared_metric(metric)
    if (declared.unit, declared.better) != (metric.unit, metric.better):
        raise BadResult("implausible-unit", label=label_of(declared))
    highest = max((sample.value for sample in result.samples if sample.valid and sample.metric == name), default=0.0)
    if declared.unit == "s" and highest > _LONGEST_S:
        raise BadResult("implausible-time", label=label_of(declared), longest=_LONGEST_S)
    kind = KINDS.get(str(result.disk.get("kind")))
    ceiling = kind.ceiling_bytes_per_s if kind else None
    of_disk = metric.last == facts_of(metric.workload).deciding and metric.workload not in _FROM_MEMORY
    if ceiling and of_disk and metric.unit == "bytes_per_s" and highest > _BEYOND * ceiling:
        raise BadResult("implausible-rate", label=label_of(declared), rate=highest, ceiling=ceiling)


def _declared_metric(metric: Metric) -> Metric:
    """Return a metric as this version declares it. Raises ``BadResult`` for an unknown one."""
    declared = known_metric(metric.name)
    if declared is None:
        raise BadResult("implausible-metric", metric=metric.name)
    return declared
