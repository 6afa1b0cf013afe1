# SPDX-License-Identifier: GPL-3.0-or-later
"""A program of the user's own, whose start strace records once, is measured again."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.unit.comparison.test_counted import machine
from tests.unit.comparison.test_trust import announced, measured
from tests.unit.workloads.test_patterns import SMALL

from disktuner.comparison.request import Environment, Request
from disktuner.results.definition import Definition
from disktuner.vocabulary.errors import UsageError
from disktuner.workloads.patterns import encode_pattern

__all__ = ["machine"]


def test_the_recorded_program_is_the_one_that_is_asked_for(machine: Environment, tmp_path: Path) -> None:
    """As in the second stage of tuning."""
    asked = Definition(program="true")
    path = machine.store.save(measured(replace(asked, pattern=encode_pattern(SMALL)), machine, tmp_path))
    assert announced(Request(str(tmp_path), continues=path, own=asked), machine)
    with pytest.raises(UsageError, match="continues with its original"):
        announced(Request(str(tmp_path), continues=path, own=Definition(program="false")), machine)
