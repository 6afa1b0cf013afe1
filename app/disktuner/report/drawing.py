# SPDX-License-Identifier: GPL-3.0-or-later
"""A picture's themes, and text and marks placed on it in points from the top left; texts are measured before.

Imports matplotlib, which takes half a second: only what draws imports this.
"""

from __future__ import annotations

import logging
import re
from bisect import bisect
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

from matplotlib import rcdefaults
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties, findfont, findSystemFonts, fontManager, get_font
from matplotlib.patches import FancyBboxPatch
from matplotlib.textpath import text_to_path
from matplotlib.transforms import Affine2D

from disktuner.vocabulary.messages import text as text_of
from disktuner.vocabulary.printable import printable

log = logging.getLogger(__name__)

ThemeName = Literal["light", "dark"]
WIDTH, MARGIN = 760.0, 32.0
"""Of a picture, in points."""
LONGEST_LINE = 200
"""No line of a picture holds so many signs."""

FONT = "DejaVu Sans"
"""Comes with matplotlib, so that a picture looks the same on every machine."""

_CHINESE = frozenset((*range(0x3000, 0x3100), *range(0x3400, 0xA000), *range(0xFF00, 0xFFF0)))
"""Han signs, and the punctuation and wide letters beside them."""

_CHINESE_FONTS = ("NotoSansCJK-Regular", "NotoSansSC", "SourceHanSansSC", "SourceHanSansCN", "wqy-microhei",
                  "wqy-zenhei", "DroidSansFallback", "uming", "ukai")  # fmt: skip
"""How the files of fonts for Chinese begin that distributions have, the best first."""

_PIECE = re.compile(
    r"\s*(?:[\u201c\u2018\uff08\u300a]*[\u3400-\u9fff][\u201d\u2019\u300b\u3001\u3002\uff01\uff09\uff0c\uff1a\uff1b\uff1f\u2026]*"
    r"|[^\s\u3400-\u9fff]+)"
)
"""What stands in one line: a word, or a Chinese sign with its punctuation."""


@dataclass(frozen=True, slots=True)
class Theme:
    """The colours of a picture's ground and text, as ``#rrggbb``."""

    dark: bool
    ground: str
    panel: str
    text: str
    muted: str
    line: str
    band: str
    accent: str


THEMES: dict[ThemeName, Theme] = {
    "light": Theme(False, "#ffffff", "#f6f7f9", "#1b1f24", "#5a636e", "#c9ced6", "#e3e7ec", "#0b63b0"),
    "dark": Theme(True, "#16191e", "#1e232a", "#eef1f5", "#a3adba", "#444c57", "#2c333d", "#6cb6ff"),
}


class Canvas:
    """A figure of ``width`` by ``height`` points, addressed from the top left."""

    def __init__(self, width: float, height: float, theme: Theme) -> None:
        rcdefaults()  # no matplotlibrc counts: matplotlib takes one that lies in the current folder
        self.width, self.height, self.theme = width, height, theme
        self.figure: Figure = Figure(figsize=(width / 72, height / 72), dpi=144, facecolor=theme.ground)

    def text(self, x: float, y: float, text: str, size: float, **how: Any) -> None:
        """Write one line whose baseline is at ``y``; nothing in it is taken for mathematics."""
        how.setdefault("color", self.theme.text)
        self.figure.text(
            x / self.width,
            1 - y / self.height,
            drawable(text),
            fontsize=size,
            fontfamily=_families(text),
            va="baseline",
            parse_math=False,
            **how,
        )

    def lines(self, x: float, y: float, lines: list[str], size: float, **how: Any) -> float:
        """Write lines below each other and return the place of the line after the last."""
        for line in lines:
            self.text(x, y, line, size, **how)
            y += size * 1.45
        return y

    def box(self, x: float, y: float, width: float, height: float, *, colour: str) -> None:
        """Draw a filled, rounded box."""
        rounding = 6.0
        inches = Affine2D().scale(1 / 72) + self.figure.dpi_scale_trans
        patch = FancyBboxPatch(
            (x + rounding, self.height - y - height + rounding),
            width - 2 * rounding,
            height - 2 * rounding,
            boxstyle=f"round,pad={rounding},rounding_size={rounding}",
            facecolor=colour,
            edgecolor="none",
            transform=inches,
            zorder=-2,
        )
        self.figure.add_artist(patch)

    def axes(self, x: float, y: float, width: float, height: float) -> Any:
        """Return axes in a place, without frame and ground."""
        place = (x / self.width, 1 - (y + height) / self.height, width / self.width, height / self.height)
        axes = self.figure.add_axes(place)
        axes.set_facecolor("none")
        for side in axes.spines.values():
            side.set_visible(False)
        return axes


def text_width(text: str, size: float, weight: str = "normal") -> float:
    """Return the width of a text in points."""
    font = _font(size, weight, _families(text))
    width, _, _ = text_to_path.get_text_width_height_descent(drawable(text), font, False)
    return float(width)


def wrapped(text: str, size: float, width: float, weight: str = "normal", most: int = 99) -> list[str]:
    """Break a text into lines that fit; what does not fit into ``most`` lines ends in an ellipsis."""
    lines, line = [], ""
    for piece in _PIECE.findall(text[: most * LONGEST_LINE]):
        word = piece.strip()
        longer = f"{line} {word}".strip() if piece != word else line + word
        if line and text_width(longer, size, weight) > width:
            lines.append(line)
            line = word
        else:
            line = longer
    lines.append(line)
    if len(lines) > most:
        lines = [*lines[: most - 1], " ".join(lines[most - 1 :])]
    return [shortened(each, size, width, weight) for each in lines]


def shortened(text: str, size: float, width: float, weight: str = "normal") -> str:
    """Return the text, with its end replaced by an ellipsis where it is too long."""
    if len(text) <= LONGEST_LINE and text_width(text, size, weight) <= width:
        return text
    longest = range(1, min(len(text), LONGEST_LINE))
    fits = bisect(longest, False, key=lambda count: text_width(text[:count] + "…", size, weight) > width)
    return text[: max(fits, 1)].rstrip() + "…"


@lru_cache(maxsize=4096)
def drawable(text: str) -> str:
    """Return the text, printable, with signs that no font has replaced, so that no box or warning appears."""
    known = frozenset().union(*map(_signs, _families(text)))
    return "".join(sign if ord(sign) in known else "?" for sign in printable(text))


@lru_cache(maxsize=4096)
def _families(text: str) -> tuple[str, ...]:
    """The fonts of a text: the picture's own, and behind it one of this machine's for Chinese where that is needed."""
    if _CHINESE.isdisjoint(map(ord, text)):
        return (FONT,)
    return (FONT, *_chinese_font())


@lru_cache(maxsize=1)
def _chinese_font() -> tuple[str, ...]:
    """The first of the usual fonts with Chinese signs that this machine has, made known to matplotlib."""
    files = {Path(file).name: file for file in findSystemFonts()}
    found = next((files[name] for start in _CHINESE_FONTS for name in sorted(files) if name.startswith(start)), None)
    if found is None:
        log.warning(text_of("no-chinese-font"))
        return ()
    fontManager.addfont(found)
    return (str(get_font(found).family_name),)


@lru_cache(maxsize=2)
def _signs(family: str) -> frozenset[int]:
    return frozenset(get_font(findfont(_font(10, "normal", (family,)))).get_charmap())


@lru_cache(maxsize=64)
def _font(size: float, weight: str, families: tuple[str, ...]) -> FontProperties:
    return FontProperties(family=list(families), size=size, weight=weight)
