# SPDX-License-Identifier: GPL-3.0-or-later
"""The keys that work on every page of the window, and their actions."""

from __future__ import annotations

from dataclasses import dataclass

from disktuner.vocabulary.tables import table


@dataclass(frozen=True, slots=True)
class Key:
    """An action and its keys, as Qt writes them (``Ctrl+1``); ``about`` describes it in English."""

    id: str
    keys: tuple[str, ...]
    about: str


KEYS: dict[str, Key] = table(
    Key("keys", ("F1",), "Show these keys"),
    Key("disks", ("Ctrl+1",), "Show the disks"),
    Key("monitor", ("Ctrl+2",), "Show the monitor"),
    Key("history", ("Ctrl+3",), "Show the history"),
    Key("freeze", ("Ctrl+K",), "It just froze: find out why"),
    Key("again", ("F5",), "Refresh the disks"),
    Key("back", ("Esc", "Alt+Left"), "Go back; while measuring, ask whether to stop"),
    Key("quit", ("Ctrl+Q",), "Close Disktuner"),
)
"""The usual keys also work: Tab and arrows move, Space and Return press."""

_ALL = [key for action in KEYS.values() for key in action.keys]
if len(set(_ALL)) != len(_ALL):
    raise ValueError("a key does two things")
