# SPDX-License-Identifier: GPL-3.0-or-later
"""Fixtures of tests/unit."""

from __future__ import annotations

from tests.unit.cli.test_lists import terminal
from tests.unit.cli.test_portrait import disk
from tests.unit.cli.test_results import command, result

__all__ = ["command", "disk", "result", "terminal"]
