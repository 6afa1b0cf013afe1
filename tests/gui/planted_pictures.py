# SPDX-License-Identifier: GPL-3.0-or-later
"""Draws the window's first page with something changed in it, and says what the comparison of pictures finds of it.

``python -m tests.gui.planted_pictures`` prints it as JSON by what was changed; the kept picture is the guide's.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import replace
from typing import Any
from unittest.mock import patch

from PySide6.QtGui import QColor
from PySide6.QtWidgets import QApplication

from disktuner.gui import icons, style
from disktuner.gui.palettes import accented
from disktuner.gui.style import Look
from disktuner.vocabulary.english import TEXTS
from disktuner.vocabulary.messages import ENGLISH, speaking
from tests.gui.differences import difference
from tests.gui.pictures import DOCS, GUIDE, Walk, dressed

Change = Callable[[], AbstractContextManager[Any]]


def said(id_: str, text: str) -> Change:
    """A sentence."""
    return lambda: speaking(replace(ENGLISH, texts={**TEXTS, id_: text}))


@contextmanager
def wider_gaps() -> Iterator[None]:
    """One pixel between the lines of a card."""
    of = Look.of
    style._look.cache_clear()
    with patch.object(Look, "of", lambda *given: replace(found := of(*given), tight=found.tight + 1)):
        yield
    style._look.cache_clear()


@contextmanager
def other_accent() -> Iterator[None]:
    """The colour of the buttons to press first."""
    before = QApplication.palette()
    QApplication.setPalette(accented(before, QColor("#3a5f95")))
    yield
    QApplication.setPalette(before)


def other_icon() -> AbstractContextManager[Any]:
    """Of the stick."""
    drawn = icons.renderer
    return patch.object(icons, "renderer", lambda name, colour: drawn(name.replace("usb", "card"), colour))


CHANGES: Mapping[str, Change] = {
    "nothing": nullcontext,
    "a letter": said("change", "Chanqe…"),
    "a full stop": said("about-schedulers", str(TEXTS["about-schedulers"]).removesuffix(".")),
    "gaps": wider_gaps,
    "icon": other_icon,
    "colour": other_accent,
}


def main() -> None:
    """Print what is found."""
    found = {}
    kept = (DOCS / GUIDE.format(language="en", name="disks")).read_bytes()
    with dressed():
        for name, change in CHANGES.items():
            with change():
                walk = Walk("en")
                walk.open()
            found[name] = difference(kept, walk.pictures["disks"])
            walk.end()
    print(json.dumps(found))


if __name__ == "__main__":
    main()
