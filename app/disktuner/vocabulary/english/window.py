# SPDX-License-Identifier: GPL-3.0-or-later
"""The sentences of the window."""

from __future__ import annotations

from collections.abc import Mapping

TEXTS: Mapping[str, str | tuple[str, str]] = {}
