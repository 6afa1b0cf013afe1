# SPDX-License-Identifier: GPL-3.0-or-later
"""The sentences that a verdict says, and of the result as people see it."""

from __future__ import annotations

from collections.abc import Mapping

TEXTS: Mapping[str, str | tuple[str, str]] = {}
