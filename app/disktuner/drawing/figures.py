# SPDX-License-Identifier: GPL-3.0-or-later
"""The charts of a page, as SVG with the page's font."""

from __future__ import annotations

from PySide6.QtCore import QRectF

from disktuner.drawing import paper
from disktuner.drawing.bars import BarDrawing
from disktuner.drawing.ink import ThemeName
from disktuner.presentation import Bars

_WIDTH, _TEXT = 900, 15
"""In pixels, if the page is wide enough."""


def bars_svg(shown: Bars, theme: ThemeName, *, plain: bool = False) -> str:
    """Return bars as SVG; ``plain`` ones have no intervals and rounds."""
    with_ink = paper.ink(theme, _TEXT)
    drawing = BarDrawing(shown, with_ink, plain=plain)
    box = QRectF(0, 0, _WIDTH, drawing.height(_WIDTH))
    whole = paper.svg(box.width(), box.height(), with_ink, lambda pen: drawing.draw(pen, box))
    return whole[whole.index("<svg") :]
