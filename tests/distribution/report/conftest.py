# SPDX-License-Identifier: GPL-3.0-or-later
"""Fixtures of tests/unit."""

from __future__ import annotations

from tests.unit.report.test_report import result

__all__ = ["result"]
