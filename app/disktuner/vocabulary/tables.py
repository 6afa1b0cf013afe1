# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables of declared facts: ordered, by id, checked when they are loaded."""

from __future__ import annotations

import re
from typing import Protocol, TypeVar

_ID = re.compile(r"[a-z0-9]+(?:[-_.][a-z0-9]+)*")


class Declared(Protocol):
    """A fact that is declared once and found by its id."""

    @property
    def id(self) -> str:
        """Lower-case words with hyphens."""


T = TypeVar("T", bound=Declared)


def table(*declared: T) -> dict[str, T]:
    """Return the facts by id, in the order of their declaration. Raises ``ValueError`` for an id that stands twice."""
    found = {each.id: each for each in declared}
    if len(found) != len(declared):
        raise ValueError("an id is declared twice")
    return found


def check_id(id_: str) -> None:
    """Raise ``ValueError`` for an id that could not stand in a file, on a command line or in a catalogue."""
    if not _ID.fullmatch(id_):
        raise ValueError(f"{id_!r} cannot be an id: use lower-case words with hyphens")
