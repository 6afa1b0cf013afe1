# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the pictograms are."""

from __future__ import annotations

from pathlib import Path

ICONS = Path(__file__).resolve().parents[3] / "resources" / "icons"
"""Relative to the sources, installed or not."""
