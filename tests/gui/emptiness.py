# SPDX-License-Identifier: GPL-3.0-or-later
"""How much of a page shows nothing: its largest rectangle of one colour, measured on its pixels."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QWidget

from disktuner.gui.style import look

CELL = 8
"""The side of the squares that are looked at, in device independent pixels: what is thinner is no room."""


def largest_empty(page: QWidget) -> float:
    """Return the share of a page that its largest empty rectangle takes, without the margins beside what it shows."""
    wide = look().wide * 37 - 2 * look().large
    image = page.grab().toImage()
    image.setDevicePixelRatio(1)
    image = image.scaled(page.size()).convertToFormat(QImage.Format.Format_RGB32)
    words = np.frombuffer(image.constBits(), np.uint32).reshape(image.height(), image.bytesPerLine() // 4)
    left = max(0, (image.width() - wide) // 2)
    return _largest(words[:, left : image.width() - left]) if image.width() else 0.0


def _largest(pixels: NDArray[np.uint32]) -> float:
    """Return the share of the largest rectangle of whole cells in one colour."""
    rows, columns = pixels.shape[0] // CELL, pixels.shape[1] // CELL
    cells = pixels[: rows * CELL, : columns * CELL].reshape(rows, CELL, columns, CELL).swapaxes(1, 2)
    first = cells[:, :, 0, 0]
    plain = (cells == first[:, :, None, None]).all(axis=(2, 3))
    heights, most = np.zeros(columns, int), 0
    for row in range(rows):
        grows = plain[row] & (first[row] == first[row - 1] if row else True)
        heights = np.where(plain[row], np.where(grows, heights, 0) + 1, 0)
        most = max(most, _widest(heights, first[row]))
    return most / (rows * columns) if rows and columns else 0.0


def _widest(heights: NDArray[np.int_], colours: NDArray[np.uint32]) -> int:
    """Return the area of the largest rectangle that stands on a row of cells, of one colour."""
    most, open_ = 0, list[tuple[int, int]]()
    for at in range(len(heights) + 1):
        high = int(heights[at]) if at < len(heights) else 0
        is_other = 0 < at < len(heights) and colours[at] != colours[at - 1]
        start = at
        while open_ and (is_other or open_[-1][1] >= high):
            begun, tall = open_.pop()
            most = max(most, tall * (at - begun))
            start = start if is_other else begun
        open_.append((start, high))
    return most
