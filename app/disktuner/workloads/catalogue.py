# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds all workloads: every module of this package that has ``WORKLOADS``, so adding one touches no other file."""

from __future__ import annotations

import pkgutil
from dataclasses import replace
from functools import cache
from importlib import import_module
from typing import cast

import disktuner.workloads as package
from disktuner.results.cost import COSTS
from disktuner.results.model import Goal
from disktuner.vocabulary.errors import NoSuchThing
from disktuner.vocabulary.metrics import Metric
from disktuner.workloads.workload import Workload


@cache
def catalogue() -> tuple[Workload, ...]:
    """Return all workloads, ordered by id."""
    found: list[Workload] = []
    for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
        found += cast("tuple[Workload, ...]", getattr(import_module(module.name), "WORKLOADS", ()))
    return tuple(sorted(found, key=lambda workload: workload.id))


def find(workload_id: str) -> Workload:
    """Return one workload. Raises ``NoSuchThing`` naming those there are."""
    for workload in catalogue():
        if workload.id == workload_id:
            return workload
    known = ", ".join(workload.id for workload in catalogue())
    raise NoSuchThing(f"There is no workload {workload_id!r}. Choose one of: {known}.")


def for_goal(goal: Goal) -> tuple[Workload, ...]:
    """Return the workloads that speak for a goal."""
    return tuple(workload for workload in catalogue() if goal in workload.goals)


def metrics_of(workload: Workload) -> dict[str, Metric]:
    """Return a workload's metrics under their full names (``dd-write.bytes_per_s``), as a result keeps them.

    What it costs the processors comes last.
    """
    what = next(metric.label for metric in workload.metrics if metric.name == workload.deciding)
    costs = tuple(replace(cost, label=f"{cost.label}: {what[0].lower()}{what[1:]}") for cost in COSTS)
    full = {f"{workload.id}.{metric.name}": metric for metric in (*workload.metrics, *costs)}
    return {name: replace(metric, name=name) for name, metric in full.items()}
