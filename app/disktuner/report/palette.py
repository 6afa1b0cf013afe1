# SPDX-License-Identifier: GPL-3.0-or-later
"""Which colour and which mark a scheduler has, everywhere; told apart by shape too, never by colour alone.

Colours: M. Okabe and K. Ito, "Color universal design" (2008), lightened or darkened for a contrast of at
least 3 to 1 with either background (WCAG 2.2, 1.4.11).
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass

from disktuner.block.schedulers import successor


@dataclass(frozen=True, slots=True)
class Mark:
    """How one scheduler is drawn; ``shape`` is one of matplotlib's marker names."""

    light: str
    dark: str
    shape: str

    def colour(self, dark: bool) -> str:
        """Return the colour on a light or dark background, as ``#rrggbb``."""
        return self.dark if dark else self.light


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


LIGHT = Theme(False, "#ffffff", "#f6f7f9", "#1b1f24", "#5a636e", "#c9ced6", "#e3e7ec", "#0b63b0")
DARK = Theme(True, "#16191e", "#1e232a", "#eef1f5", "#a3adba", "#444c57", "#2c333d", "#6cb6ff")

_KNOWN = {
    "none": Mark("#0072b2", "#4aa8e0", "s"),
    "mq-deadline": Mark("#c25400", "#f08a3c", "D"),
    "kyber": Mark("#a8467c", "#e08fbe", "^"),
    "bfq": Mark("#007a5a", "#2fc79b", "o"),
}
_OTHERS = (
    Mark("#8f6400", "#e69f00", "P"),
    Mark("#7a5195", "#bfa0e0", "X"),
    Mark("#5f6b7a", "#b4bfcc", "v"),
    Mark("#b3261e", "#ff8a80", "p"),
)


def mark_of(scheduler: str) -> Mark:
    """Return a scheduler's colour and shape; unknown ones get one of four by their name, always the same."""
    name = successor(scheduler) or scheduler
    return _KNOWN.get(name) or _OTHERS[zlib.crc32(name.encode()) % len(_OTHERS)]
