# SPDX-License-Identifier: GPL-3.0-or-later
"""These tests need packages of the distribution, root or a bus besides what pip installs: ./dev test has them.

What draws here shares one application with tests that open windows, where they run in one process.
"""

from __future__ import annotations

import pytest
from tests.unit.experiment.test_stops import looking
from tests.unit.test_version import tree
from tests.unit.workloads.conftest import processes, scratch

__all__ = ["looking", "processes", "scratch", "tree"]
"""Fixtures of tests/unit."""


@pytest.fixture(scope="session")
def qapp_args() -> list[str]:
    return ["disktuner", "-platform", "offscreen"]


@pytest.fixture(scope="session", autouse=True)
def _application(qapp: object) -> object:
    return qapp
