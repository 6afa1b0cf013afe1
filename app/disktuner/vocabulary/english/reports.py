# SPDX-License-Identifier: GPL-3.0-or-later
"""The sentences of pictures, HTML, Markdown and CSV."""

from __future__ import annotations

from collections.abc import Mapping

TEXTS: Mapping[str, str | tuple[str, str]] = {}
