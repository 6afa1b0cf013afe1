# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables of declared facts: ordered, by id, checked when loaded."""

from __future__ import annotations

import re
from typing import Protocol, TypeVar

_ID = re.compile(r"[a-z0-9]+(?:[-_.][a-z0-9]+)*")


class Declared(Protocol):
    """A declared fact with an id."""

    @property
    def id(self) -> str:
        """Lower-case words with hyphens."""


T = TypeVar("T", bound=Declared)


def table(*declared: T) -> dict[str, T]:
    """Return the facts by id, in the order of declaration. Raises ``ValueError`` for a duplicate id."""
    table = {entry.id: entry for entry in declared}
    if len(table) != len(declared):
        raise ValueError("an id is declared twice")
    return table


def check_id(id_: str) -> None:
    """Raise ``ValueError`` for an id unsuited to files, command lines or catalogues."""
    if not _ID.fullmatch(id_):
        raise ValueError(f"{id_!r} cannot be an id: use lower-case words with hyphens")
