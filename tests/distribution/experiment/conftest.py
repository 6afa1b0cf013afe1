# SPDX-License-Identifier: GPL-3.0-or-later
"""Fixtures of tests/unit."""

from __future__ import annotations

from tests.unit.experiment.test_stops import looking

__all__ = ["looking"]
