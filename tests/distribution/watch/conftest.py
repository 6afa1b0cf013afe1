# SPDX-License-Identifier: GPL-3.0-or-later
"""Fixtures of tests/unit."""

from __future__ import annotations

from tests.unit.watch.test_command import _folders, kept

__all__ = ["_folders", "kept"]
