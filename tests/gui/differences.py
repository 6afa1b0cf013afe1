# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether two pictures of the window show the same, even if another Qt rounds or draws the edge of an arrow
differently.

A picture carries its visible words (as a PNG file's description), which must be the same to the letter. Otherwise
colours may differ a little, edges may be one pixel off, and a few pixels may be anything.
"""

from __future__ import annotations

from difflib import unified_diff
from itertools import product

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QBuffer, QIODevice, Qt
from PySide6.QtGui import QImage

Pixels = NDArray[np.int_]

WORDS = "Description"
"""The keyword of a PNG file's description, from its standard."""
NEAR = 12
"""The tolerance of a colour's red, green or blue, of 255; reducing the colours changes them by 8 at most."""
COLOURS = 256
"""The size of a picture's palette: half are the most frequent colours, half those that would be missed most; other
colours become the nearest.
"""
STRAY = 60
"""The most pixels that may differ by more. Measured on these pictures: Qt 6.10 and 6.11 differ in 38, in the arrow of a
button, FreeType 2.12 and 2.14 in none; a changed icon or coloured line differs in hundreds.
"""


def small(picture: QImage, words: str, width: int | None = None) -> bytes:
    """Return a PNG file of the picture in few colours, a third in size, with the words; narrower on request."""
    if width is not None:
        picture = picture.scaledToWidth(width, Qt.TransformationMode.SmoothTransformation)
    reduced = in_few_colours(picture)
    reduced.setText(WORDS, words)
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    reduced.save(buffer, "PNG", 0)  # type: ignore[call-overload]
    return bytes(buffer.data().data())


def in_few_colours(picture: QImage) -> QImage:
    colours = pixels(picture)
    distinct_colours, place, count = np.unique(colours @ (1 << 16, 1 << 8, 1), return_inverse=True, return_counts=True)
    palette = _channels(distinct_colours)[_chosen(_channels(distinct_colours).astype(float), count)]
    off = (palette**2).sum(axis=1) - 2 * (
        _channels(distinct_colours).astype(float) @ palette.T
    )  # but for the same in each row
    indices = off.argmin(axis=1)[place].reshape(colours.shape[:2]).astype(np.uint8)
    high, wide = indices.shape
    indexed = QImage(indices.tobytes(), wide, high, wide, QImage.Format.Format_Indexed8).copy()
    indexed.setColorTable([0xFF000000 | int(colour @ (1 << 16, 1 << 8, 1)) for colour in palette])
    return indexed


def _chosen(colours: NDArray[np.float64], count: Pixels) -> list[int]:
    """Return which colours to keep, even a small dot's that nothing else resembles."""
    chosen = [int(index) for index in np.argsort(-count, kind="stable")[: COLOURS // 2]]
    missed = np.min([((colours - colours[index]) ** 2).sum(axis=1) for index in chosen], axis=0)
    while len(chosen) < COLOURS and (missed * count).max() > 0:
        chosen.append(int((missed * count).argmax()))
        missed = np.minimum(missed, ((colours - colours[chosen[-1]]) ** 2).sum(axis=1))
    return chosen


def pixels(picture: QImage) -> Pixels:
    """Return red, green and blue of each pixel, by rows."""
    plain = picture.convertToFormat(QImage.Format.Format_RGBA8888)
    rows = np.frombuffer(plain.constBits(), np.uint8).reshape(plain.height(), plain.width(), 4)
    return rows[:, :, :3].astype(int)


def _channels(colours: Pixels) -> Pixels:
    return np.stack([colours >> 16, colours >> 8 & 255, colours & 255], axis=1)


def words_of(picture: bytes) -> str:
    return QImage.fromData(picture).text(WORDS)


def difference(old: bytes, new: bytes) -> str:
    """Describe a visible difference; empty if they show the same."""
    if (before := words_of(old)) != (now := words_of(new)):
        return "\n".join(unified_diff(before.splitlines(), now.splitlines(), "kept", "now", lineterm="", n=0))
    one, other = pixels(QImage.fromData(old)), pixels(QImage.fromData(new))
    if one.shape != other.shape:
        return f"the picture has {one.shape[:2]}, now {other.shape[:2]} pixels"
    far = _beyond(one, other) | _beyond(other, one)
    if (count := int(far.sum())) <= STRAY:
        return ""
    rows, columns = np.nonzero(far)
    return f"{count} pixels differ, from {columns.min()}, {rows.min()} to {columns.max()}, {rows.max()}"


def _beyond(one: Pixels, other: Pixels) -> NDArray[np.bool_]:
    """Return where a pixel's colour is outside the range around the same place of the other picture."""
    wider = np.pad(other, ((1, 1), (1, 1), (0, 0)), mode="edge")
    high, wide = other.shape[:2]
    neighbours = np.stack([wider[y : y + high, x : x + wide] for y, x in product(range(3), repeat=2)])
    outliers: NDArray[np.bool_] = ((one < neighbours.min(axis=0) - NEAR) | (one > neighbours.max(axis=0) + NEAR)).any(
        axis=2
    )
    return outliers
