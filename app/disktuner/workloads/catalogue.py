# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds all workloads: those that the vocabulary declares, each with its runner.

Runners are in the ``RUNNERS`` of this package's modules: a workload is its declaration and one file here.
"""

from __future__ import annotations

import pkgutil
from functools import cache
from importlib import import_module

import disktuner.workloads as package
from disktuner.vocabulary.errors import NoSuchThing
from disktuner.vocabulary.workloads import WORKLOADS
from disktuner.workloads.workload import Workload


@cache
def catalogue() -> tuple[Workload, ...]:
    """Return all workloads, ordered by id."""
    modules = [import_module(module.name) for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}.")]
    runners: list[Workload] = [runner for module in modules for runner in getattr(module, "RUNNERS", ())]
    return tuple(sorted(runners, key=lambda runner: runner.id))


def find(workload_id: str) -> Workload:
    """Return one workload. Raises ``NoSuchThing``, which names all workloads."""
    for workload in catalogue():
        if workload.id == workload_id:
            return workload
    raise NoSuchThing("no-such-workload", workload=workload_id, known=tuple(sorted(WORKLOADS)))
