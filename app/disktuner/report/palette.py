# SPDX-License-Identifier: GPL-3.0-or-later
"""The colours of a picture's ground and text, light and dark."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Theme:
    """The colours of a picture's ground and text, as ``#rrggbb``."""

    dark: bool
    ground: str
    panel: str
    text: str
    muted: str
    line: str
    band: str
    accent: str


LIGHT = Theme(False, "#ffffff", "#f6f7f9", "#1b1f24", "#5a636e", "#c9ced6", "#e3e7ec", "#0b63b0")
DARK = Theme(True, "#16191e", "#1e232a", "#eef1f5", "#a3adba", "#444c57", "#2c333d", "#6cb6ff")
