# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether two pictures of the window show the same, however another Qt rounds or draws the edge of an arrow.

A picture carries the words that are seen on it (as a PNG file's description), and each letter of them must be the same.
Of the rest, colours may differ a little, edges may lie one pixel off, and a few pixels may be anything.
"""

from __future__ import annotations

import io
from difflib import unified_diff

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageChops, ImageFilter
from PIL.PngImagePlugin import PngInfo

WORDS = "Description"
"""Where a PNG file says what is seen on it: one of the keywords of its standard."""
NEAR = 12
"""How far a colour's red, green or blue may be off, of 255; what is kept in few colours is off by 8 at most."""
COLOURS, AREAS = 256, 32
"""How many a picture has, and how many of these are kept as they are: those of most pixels."""
STRAY = 60
"""So many pixels may differ by more. Measured on these pictures: Qt 6.10 and 6.11 differ in 38, in the arrow of a
button, FreeType 2.12 and 2.14 in none; an icon or a coloured line that has changed differs in hundreds."""


def small(picture: bytes, words: str, width: int | None = None) -> bytes:
    """A PNG file of the same in few colours, a third as large, that carries the words; made narrower if asked for."""
    file, about = io.BytesIO(), PngInfo()
    about.add_itxt(WORDS, words, zip=True)
    with Image.open(io.BytesIO(picture)) as opened:
        wide = opened.convert("RGB")
        sized = wide if width is None else wide.resize((width, round(wide.height * width / wide.width)))
    in_few_colours(sized).save(file, "PNG", optimize=True, pnginfo=about)
    return file.getvalue()


def in_few_colours(picture: Image.Image) -> Image.Image:
    """The picture in few colours: those of its areas as they are, of all others the nearest."""
    colours = np.asarray(picture).astype(np.int32)
    seen, place, count = np.unique(colours @ (1 << 16, 1 << 8, 1), return_inverse=True, return_counts=True)
    spread = picture.quantize(COLOURS - AREAS, method=Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
    of_areas = seen[np.argsort(-count, kind="stable")[:AREAS]]
    palette = np.vstack([_channels(of_areas), np.reshape(spread.getpalette() or (), (-1, 3))])[:COLOURS]
    off = (palette**2).sum(axis=1) - 2 * (_channels(seen).astype(float) @ palette.T)  # but for the same in each row
    found = Image.fromarray(off.argmin(axis=1)[place].reshape(colours.shape[:2]).astype(np.uint8))
    found.putpalette(palette.astype(np.uint8).tobytes())
    return found


def _channels(colours: NDArray[np.int_]) -> NDArray[np.int_]:
    return np.stack([colours >> 16, colours >> 8 & 255, colours & 255], axis=1)


def words_of(picture: bytes) -> str:
    """The words that a picture carries."""
    with Image.open(io.BytesIO(picture)) as opened:
        return str(opened.info.get(WORDS, ""))


def difference(old: bytes, new: bytes) -> str:
    """What differs for somebody who looks at both; nothing where they show the same."""
    if (before := words_of(old)) != (now := words_of(new)):
        return "\n".join(unified_diff(before.splitlines(), now.splitlines(), "kept", "now", lineterm="", n=0))
    with Image.open(io.BytesIO(old)) as first, Image.open(io.BytesIO(new)) as second:
        if first.size != second.size:
            return f"the picture has {first.size}, now {second.size} pixels"
        one, other = first.convert("RGB"), second.convert("RGB")
    if ImageChops.difference(one, other).getbbox() is None:
        return ""
    far = _beyond(one, other) | _beyond(other, one)
    if (count := int(far.sum())) <= STRAY:
        return ""
    rows, columns = np.nonzero(far)
    return f"{count} pixels differ, from {columns.min()}, {rows.min()} to {columns.max()}, {rows.max()}"


def _beyond(one: Image.Image, other: Image.Image) -> NDArray[np.bool_]:
    """Where a pixel's colour is not among those around the same place of the other picture."""
    lowest = np.asarray(other.filter(ImageFilter.MinFilter(3))).astype(int) - NEAR
    highest = np.asarray(other.filter(ImageFilter.MaxFilter(3))).astype(int) + NEAR
    here = np.asarray(one).astype(int)
    found: NDArray[np.bool_] = ((here < lowest) | (here > highest)).any(axis=2)
    return found
