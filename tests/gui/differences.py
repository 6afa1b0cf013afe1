# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether two pictures of the window show the same, however another Qt rounds or draws the edge of an arrow.

A picture carries the words that are seen on it (as a PNG file's description), and each letter of them must be the same.
Of the rest, colours may differ a little, edges may lie one pixel off, and a few pixels may be anything.
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
"""Where a PNG file says what is seen on it: one of the keywords of its standard."""
NEAR = 12
"""How far a colour's red, green or blue may be off, of 255; what is kept in few colours is off by 8 at most."""
COLOURS = 256
"""How many a picture has: half are those of most pixels, half those that all pixels miss most; others, the nearest."""
STRAY = 60
"""So many pixels may differ by more. Measured on these pictures: Qt 6.10 and 6.11 differ in 38, in the arrow of a
button, FreeType 2.12 and 2.14 in none; an icon or a coloured line that has changed differs in hundreds."""


def small(picture: bytes, words: str, width: int | None = None) -> bytes:
    """A PNG file of the same in few colours, a third as large, that carries the words; made narrower if asked for."""
    whole = QImage.fromData(picture)
    if width is not None:
        whole = whole.scaledToWidth(width, Qt.TransformationMode.SmoothTransformation)
    found = in_few_colours(whole)
    found.setText(WORDS, words)
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    found.save(buffer, "PNG", 0)  # type: ignore[call-overload]
    return bytes(buffer.data().data())


def in_few_colours(picture: QImage) -> QImage:
    """The picture in few colours."""
    colours = pixels(picture)
    seen, place, count = np.unique(colours @ (1 << 16, 1 << 8, 1), return_inverse=True, return_counts=True)
    kept = _channels(seen)[_chosen(_channels(seen).astype(float), count)]
    off = (kept**2).sum(axis=1) - 2 * (_channels(seen).astype(float) @ kept.T)  # but for the same in each row
    indices = off.argmin(axis=1)[place].reshape(colours.shape[:2]).astype(np.uint8)
    high, wide = indices.shape
    found = QImage(indices.tobytes(), wide, high, wide, QImage.Format.Format_Indexed8).copy()
    found.setColorTable([0xFF000000 | int(colour @ (1 << 16, 1 << 8, 1)) for colour in kept])
    return found


def _chosen(colours: NDArray[np.float64], count: Pixels) -> list[int]:
    """Which colours to keep: a small dot's, too, that nothing else looks like."""
    chosen = [int(index) for index in np.argsort(-count, kind="stable")[: COLOURS // 2]]
    missed = np.min([((colours - colours[index]) ** 2).sum(axis=1) for index in chosen], axis=0)
    while len(chosen) < COLOURS and (missed * count).max() > 0:
        chosen.append(int((missed * count).argmax()))
        missed = np.minimum(missed, ((colours - colours[chosen[-1]]) ** 2).sum(axis=1))
    return chosen


def pixels(picture: QImage) -> Pixels:
    """Red, green and blue of each pixel, by rows."""
    plain = picture.convertToFormat(QImage.Format.Format_RGBA8888)
    rows = np.frombuffer(plain.constBits(), np.uint8).reshape(plain.height(), plain.width(), 4)
    return rows[:, :, :3].astype(int)


def _channels(colours: Pixels) -> Pixels:
    return np.stack([colours >> 16, colours >> 8 & 255, colours & 255], axis=1)


def words_of(picture: bytes) -> str:
    """The words that a picture carries."""
    return QImage.fromData(picture).text(WORDS)


def difference(old: bytes, new: bytes) -> str:
    """What differs for somebody who looks at both; nothing where they show the same."""
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
    """Where a pixel's colour is not among those around the same place of the other picture."""
    wider = np.pad(other, ((1, 1), (1, 1), (0, 0)), mode="edge")
    high, wide = other.shape[:2]
    around = np.stack([wider[y : y + high, x : x + wide] for y, x in product(range(3), repeat=2)])
    found: NDArray[np.bool_] = ((one < around.min(axis=0) - NEAR) | (one > around.max(axis=0) + NEAR)).any(axis=2)
    return found
