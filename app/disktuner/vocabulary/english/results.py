# SPDX-License-Identifier: GPL-3.0-or-later
"""The sentences of result files and where they are kept."""

from __future__ import annotations

from collections.abc import Mapping

TEXTS: Mapping[str, str | tuple[str, str]] = {}
