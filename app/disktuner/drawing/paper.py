# SPDX-License-Identifier: GPL-3.0-or-later
"""What is drawn on away from any window: PNG and SVG, without a screen."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

from PySide6.QtCore import QBuffer, QCoreApplication, QIODevice, QRectF, QSize
from PySide6.QtGui import QFontMetricsF, QGuiApplication, QImage, QPainter
from PySide6.QtSvg import QSvgGenerator

from disktuner.drawing.ink import Ink, ThemeName, ink_of
from disktuner.drawing.pen import Pen
from disktuner.vocabulary.errors import DisktunerError

ICONS = Path(__file__).resolve().parents[3] / "resources" / "icons"
"""Beside the sources, installed or not."""

Draw = Callable[[Pen], object]


class NoFont(DisktunerError):
    """There are no letters to draw with on this machine."""

    exit_code = 5


def ink(theme: ThemeName, pixels: int) -> Ink:
    """Return the ink of a picture whose ordinary text is so many pixels high. Raises ``NoFont``."""
    _application()
    found = ink_of(theme, pixels)
    if not QFontMetricsF(found.font).inFont("a"):
        raise NoFont("no-font")
    return found


def png(width: int, height: int, with_ink: Ink, draw: Draw) -> bytes:
    """Return a picture of so many pixels, drawn on the ink's ground."""
    image = QImage(width, height, QImage.Format.Format_RGB32)
    image.fill(with_ink.ground)
    _draw(QPainter(image), with_ink, draw)
    buffer = _buffer()
    image.save(buffer, "PNG")  # type: ignore[call-overload]
    return bytes(buffer.data().data())


def svg(width: float, height: float, with_ink: Ink, draw: Draw, title: str = "", *, alone: bool = False) -> str:
    """Return a vector picture without a ground; ``alone`` has one, and needs no font where it is looked at."""
    buffer, generator = _buffer(), QSvgGenerator()
    generator.setOutputDevice(buffer)
    generator.setResolution(96)
    generator.setSize(QSize(round(width), round(height)))
    generator.setViewBox(QRectF(0, 0, width, height))
    generator.setTitle(title)
    painter = QPainter(generator)
    if alone:
        painter.fillRect(QRectF(0, 0, width, height), with_ink.ground)
    _draw(painter, with_ink, draw, outlined=alone)
    return bytes(buffer.data().data()).decode()


def _draw(painter: QPainter, with_ink: Ink, draw: Draw, *, outlined: bool = False) -> None:
    try:
        draw(Pen(painter, with_ink, outlined=outlined))
    finally:
        painter.end()


def _buffer() -> QBuffer:
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    return buffer


@lru_cache(maxsize=1)
def _application() -> QCoreApplication:
    """The one application of this process; where there is no window, one without a screen, for its letters."""
    return QGuiApplication.instance() or QGuiApplication(["disktuner", "-platform", "offscreen"])
