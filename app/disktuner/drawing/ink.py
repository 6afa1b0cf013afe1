# SPDX-License-Identifier: GPL-3.0-or-later
"""The colours and letters of a chart: from the desktop for the window, a light and a dark set for pictures."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QTextLayout

from disktuner.drawing.colours import readable_on
from disktuner.vocabulary.printable import printable
from disktuner.vocabulary.settings import Setting

ThemeName = Literal["light", "dark"]


@dataclass(frozen=True, slots=True)
class Ink:
    """The colours of a chart on ``ground``, and the ``font`` of ordinary text.

    Settings' colours have at least ``contrast`` with the ground and ``other_grounds`` that they stand on (WCAG 2.2).
    """

    font: QFont
    ground: QColor
    text: QColor
    muted: QColor
    accent: QColor
    good: QColor
    caution: QColor
    contrast: float = field(default=3.0, kw_only=True)
    other_grounds: tuple[QColor, ...] = field(default=(), kw_only=True)

    @property
    def dark(self) -> bool:
        """Whether the ground is dark."""
        return self.ground.lightnessF() < 0.5

    @property
    def em(self) -> float:
        """The height of a line of ordinary text, to which all spacings are relative."""
        return QFontMetricsF(self.font).height()

    def of(self, setting: Setting | None) -> QColor:
        """Return the colour of a setting; muted for None."""
        if setting is None:
            return self.muted
        return readable_on(QColor(setting.mark.colour(self.dark)), (self.ground, *self.other_grounds), self.contrast)

    def letters(self, size: float = 1.0, *, bold: bool = False) -> QFont:
        """Return the font in a size relative to ordinary text."""
        font = QFont(self.font)
        if font.pixelSize() > 0:
            font.setPixelSize(round(font.pixelSize() * size))
        else:
            font.setPointSizeF(font.pointSizeF() * size)
        font.setWeight(QFont.Weight.DemiBold if bold else QFont.Weight.Normal)
        return font

    def width(self, shown: str, size: float = 1.0, *, bold: bool = False) -> float:
        return QFontMetricsF(self.letters(size, bold=bold)).horizontalAdvance(printable(shown))

    def lines(self, shown: str, width: float, size: float = 1.0, *, bold: bool = False, most: int = 99) -> list[str]:
        """Break a text into at most ``most`` lines that fit, the last with an ellipsis if necessary."""
        font, rest = self.letters(size, bold=bold), printable(shown)
        layout, lines = QTextLayout(rest, font), list[str]()
        layout.beginLayout()
        while len(lines) < most and (line := layout.createLine()).isValid():
            line.setLineWidth(width)
            start, end = line.textStart(), line.textStart() + line.textLength()
            lines.append(rest[start:] if len(lines) == most - 1 else rest[start:end].rstrip())
        layout.endLayout()
        return [QFontMetricsF(font).elidedText(line, Qt.TextElideMode.ElideRight, width) for line in lines]


def ink_of(theme: ThemeName, pixels: int) -> Ink:
    """Return the ink of a picture with ordinary text of ``pixels`` height."""
    font = QFont("sans-serif")
    font.setPixelSize(pixels)
    return Ink(font, *map(QColor, _COLOURS[theme]))


_COLOURS: dict[ThemeName, tuple[str, ...]] = {
    "light": ("#ffffff", "#1b1f24", "#5a636e", "#0b63b0", "#08784c", "#8a5a00"),
    "dark": ("#16191e", "#eef1f5", "#a3adba", "#6cb6ff", "#5fce9b", "#f0b849"),
}
"""From ``ground`` to ``caution``."""
