# SPDX-License-Identifier: GPL-3.0-or-later
"""What is worth another round, for the time being as ``sequential`` says."""

from __future__ import annotations

from collections.abc import Mapping

from disktuner.results.model import Result
from disktuner.verdict import sequential
from disktuner.vocabulary.workloads import pricing


def next_runs(result: Result) -> Mapping[str, tuple[str, ...]]:
    """Return by workload which settings are worth another round, the baseline first."""
    plan = result.plan
    if not result.samples:
        others = pricing(plan.goal or "", plan.workloads)
        return {each: plan.schedulers for each in plan.workloads if each not in others}
    return sequential.next_runs(result, sequential.UNPLANNED)
