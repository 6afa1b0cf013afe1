# SPDX-License-Identifier: GPL-3.0-or-later
"""Fixtures of tests/unit."""

from __future__ import annotations

from tests.unit.workloads.conftest import processes, scratch

__all__ = ["processes", "scratch"]
