# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds all workloads: the facts that the vocabulary declares, each with what runs it.

What runs them is in the modules of this package that have ``RUNNERS``: a workload is its declaration and one file here.
"""

from __future__ import annotations

import pkgutil
from functools import cache
from importlib import import_module

import disktuner.workloads as package
from disktuner.vocabulary.errors import MeasurementImpossible, NoSuchThing
from disktuner.vocabulary.messages import Message, message
from disktuner.vocabulary.workloads import WORKLOADS
from disktuner.workloads.spec import Spec
from disktuner.workloads.workload import Measurement, Workload


def catalogue() -> tuple[Workload, ...]:
    """Return all workloads, ordered by id; what nothing here runs is unavailable."""
    return tuple(_runners().get(id_) or OnlyDeclared(id_) for id_ in sorted(WORKLOADS))


def find(workload_id: str) -> Workload:
    """Return one workload. Raises ``NoSuchThing`` naming those there are."""
    for workload in catalogue():
        if workload.id == workload_id:
            return workload
    raise NoSuchThing("no-such-workload", workload=workload_id, known=tuple(sorted(WORKLOADS)))


class OnlyDeclared(Workload):
    """A workload that is declared, and that nothing runs."""

    def __init__(self, id_: str) -> None:
        self.id = id_

    def unavailable(self) -> Message:
        """It never runs."""
        return message("workload-only-declared", workload=self.id)

    def plan(self, *_: object) -> Spec:
        """Raise ``MeasurementImpossible``."""
        raise MeasurementImpossible.of(self.unavailable())

    def run(self, *_: object) -> Measurement:
        """Raise ``MeasurementImpossible``."""
        raise MeasurementImpossible.of(self.unavailable())


@cache
def _runners() -> dict[str, Workload]:
    """What runs workloads, by id. Raises ``ValueError`` where one is declared nowhere or run twice."""
    modules = [import_module(found.name) for found in pkgutil.iter_modules(package.__path__, f"{package.__name__}.")]
    every: list[Workload] = [runner for module in modules for runner in getattr(module, "RUNNERS", ())]
    runners = {runner.id: runner for runner in every}
    if len(runners) != len(every) or not runners.keys() <= WORKLOADS.keys():
        raise ValueError("a workload is run twice, or not declared in vocabulary/workloads.py")
    return runners
