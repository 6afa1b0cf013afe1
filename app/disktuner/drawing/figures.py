# SPDX-License-Identifier: GPL-3.0-or-later
"""The charts of a page, as SVG whose letters are the page's own."""

from __future__ import annotations

from PySide6.QtCore import QRectF

from disktuner.drawing import paper
from disktuner.drawing.bars import BarDrawing
from disktuner.drawing.graphs import GraphDrawing
from disktuner.drawing.ink import ThemeName
from disktuner.presentation import Bars, Graphs

_WIDTH, _TEXT = 900, 15
"""In pixels, where the page is wide enough."""


def bars_svg(shown: Bars, theme: ThemeName, *, plain: bool = False) -> str:
    """Return bars, ``plain`` ones without intervals and rounds."""
    return _svg(BarDrawing(shown, paper.ink(theme, _TEXT), plain=plain), theme)


def graphs_svg(shown: Graphs, theme: ThemeName) -> str:
    """Return tunables over their values."""
    return _svg(GraphDrawing(shown, paper.ink(theme, _TEXT)), theme)


def _svg(drawing: BarDrawing | GraphDrawing, theme: ThemeName) -> str:
    height = drawing.height(_WIDTH)
    box = QRectF(0, 0, _WIDTH, height)
    whole = paper.svg(_WIDTH, height, paper.ink(theme, _TEXT), lambda pen: drawing.draw(pen, box))
    return whole[whole.index("<svg") :]
