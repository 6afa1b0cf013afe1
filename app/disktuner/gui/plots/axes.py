# SPDX-License-Identifier: GPL-3.0-or-later
"""Axes of throughput and of latency over time, in the window's look."""

from __future__ import annotations

from collections.abc import Callable
from html import escape

import numpy as np
import pyqtgraph
from numpy.typing import NDArray
from PySide6.QtCore import Qt
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QApplication, QGraphicsItem, QWidget

from disktuner.gui.style import SMALL, look
from disktuner.vocabulary import units
from disktuner.vocabulary.messages import language, text


def rate_axes(parent: QWidget) -> pyqtgraph.PlotWidget:
    """Bytes a second over seconds."""
    return _axes(text("throughput"), parent, lambda value: units.rate(value, language().numbers))


def latency_axes(parent: QWidget) -> pyqtgraph.PlotWidget:
    """Seconds per request, as powers of ten, over seconds."""
    return _axes(text("latency"), parent, lambda value: units.time(10**value, language().numbers))


def with_next(mask: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Extend each stretch to the first point of the next, so that the line has no gap."""
    wider = mask.copy()
    wider[1:] |= mask[:-1]
    return wider


def _axes(name: str, parent: QWidget, formatter: Callable[[float], str]) -> pyqtgraph.PlotWidget:
    now = look()
    plot = pyqtgraph.PlotWidget(parent, background=now.card)
    font = QFont(QApplication.font())
    font.setPointSizeF(font.pointSizeF() * SMALL)
    for side in ("left", "bottom"):
        axis = plot.getAxis(side)
        axis.setPen(now.border)
        axis.setTextPen(now.muted)
        axis.setTickFont(font)
        axis.setCacheMode(QGraphicsItem.CacheMode.DeviceCoordinateCache)
        axis.enableAutoSIPrefix(False)
    plot.getAxis("left").setWidth(now.wide * 3)
    plot.getAxis("left").tickStrings = lambda values, _scale, _step: [formatter(value) for value in values]
    plot.getAxis("bottom").tickStrings = _seconds_ticks
    plot.getAxis("bottom").setStyle(maxTextLevel=0)
    plot.setTitle(escape(name), color=now.text.name(), size=f"{font.pointSizeF():.0f}pt")
    plot.setMouseEnabled(x=False, y=False)
    plot.hideButtons()
    plot.setMenuEnabled(False)
    plot.setAccessibleName(name)
    for widget in (plot, plot.viewport()):
        widget.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    plot.setMinimumHeight(now.wide * 4)
    return plot


def _seconds_ticks(values: list[float], _scale: float, spacing: float) -> list[str]:
    digits, numbers = 0 if spacing >= 1 else 1 if spacing >= 0.1 else 2, language().numbers
    return [f"{numbers.signed(f'{value:.{digits}f}')} {units.sign('s', numbers)}" for value in values]
