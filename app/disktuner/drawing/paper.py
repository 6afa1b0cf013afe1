# SPDX-License-Identifier: GPL-3.0-or-later
"""Draws PNG and SVG without a window or screen."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from PySide6.QtCore import QBuffer, QCoreApplication, QIODevice, QRectF, QSize
from PySide6.QtGui import QFontMetricsF, QGuiApplication, QImage, QPainter
from PySide6.QtSvg import QSvgGenerator

from disktuner.drawing.ink import Ink, ThemeName, ink_of
from disktuner.drawing.pen import Pen
from disktuner.vocabulary.errors import DisktunerError

Draw = Callable[[Pen], object]


class NoFont(DisktunerError):
    """This machine has no font to draw with."""

    exit_code = 5


def ink(theme: ThemeName, pixels: int) -> Ink:
    """Return the ink of a picture with ordinary text of ``pixels`` height. Raises ``NoFont``."""
    _application()
    theme_ink = ink_of(theme, pixels)
    if not QFontMetricsF(theme_ink.font).inFont("a"):
        raise NoFont("no-font")
    return theme_ink


def png(width: int, height: int, with_ink: Ink, draw: Draw) -> bytes:
    """Return a PNG drawn on the ink's ground; sizes are in pixels."""
    image = QImage(width, height, QImage.Format.Format_RGB32)
    image.fill(with_ink.ground)
    _draw(QPainter(image), with_ink, draw)
    buffer = _buffer()
    image.save(buffer, "PNG")  # type: ignore[call-overload]
    return bytes(buffer.data().data())


def svg(width: float, height: float, with_ink: Ink, draw: Draw, title: str = "", *, alone: bool = False) -> str:
    """Return an SVG without a ground; if ``alone``, it has one, and outlined letters that need no font."""
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
    """Return the process's only application; without a window, an offscreen one, for its fonts."""
    return QGuiApplication.instance() or QGuiApplication(["disktuner", "-platform", "offscreen"])
