# SPDX-License-Identifier: GPL-3.0-or-later
"""The sentences of preparing and running measurements: what is announced, why a run does not count, what stops it."""

from __future__ import annotations

from collections.abc import Mapping

TEXTS: Mapping[str, str | tuple[str, str]] = {}
