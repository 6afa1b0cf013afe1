# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds the command that a name stands for: an application's desktop entry, or a command line as in a terminal."""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Iterator, Mapping
from configparser import ConfigParser, Error
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from disktuner.opening import read_regular
from disktuner.vocabulary.errors import NoSuchThing

_GROUP = "Desktop Entry"
_ENDING = ".desktop"


@dataclass(frozen=True, slots=True)
class Program:
    """A program: its title and command, whether it ``stays`` open until closed, its icon's name or file."""

    title: str
    command: tuple[str, ...]
    stays: bool = False
    icon: str = ""


def find_program(name: str, environment: Mapping[str, str] = os.environ) -> Program:
    """Return the program for ``firefox`` (desktop entries first) or ``git status``. Raises ``NoSuchThing``."""
    if program := dict(installed_programs(environment)).get(name.removesuffix(_ENDING)):
        return program
    try:
        words = tuple(shlex.split(name))
    except ValueError as error:
        raise NoSuchThing("command-not-understood", program=name, why=str(error)) from error
    if not words or not shutil.which(words[0], path=environment.get("PATH")):
        raise NoSuchThing("no-such-program", program=name)
    return Program(name, words)


def installed_programs(environment: Mapping[str, str] = os.environ) -> tuple[tuple[str, Program], ...]:
    """Return ids and programs of all entries that a menu shows, ordered by title; the user's take precedence."""
    programs: dict[str, Program | None] = {}
    for folder in _folders(environment):
        entries = (Path(place, name) for place, _, names in os.walk(folder) for name in names)
        for path in sorted(path for path in entries if path.name.endswith(_ENDING)):
            # In an id, "-" replaces "/" (Desktop Entry Specification, file naming).
            id_ = str(path.relative_to(folder)).replace("/", "-").removesuffix(_ENDING)
            programs.setdefault(id_, _program(path))
    return tuple(
        sorted(((id_, program) for id_, program in programs.items() if program), key=lambda pair: pair[1].title.lower())
    )


def _folders(environment: Mapping[str, str]) -> Iterator[Path]:
    """Yield the folders with desktop entries, the user's first (XDG base directory specification)."""
    user_folder = environment.get("XDG_DATA_HOME") or f"{environment.get('HOME', '/')}/.local/share"
    system_folders = environment.get("XDG_DATA_DIRS") or "/usr/local/share:/usr/share"
    for place in (user_folder, *system_folders.split(":")):
        if place.startswith("/"):
            yield Path(place, "applications")


def _program(path: Path) -> Program | None:
    """Read an entry; None if it is unreadable, or no application that a menu shows."""
    parser = ConfigParser(interpolation=None, strict=False, delimiters=("=",), comment_prefixes=("#",))
    parser.optionxform = str  # type: ignore[assignment,method-assign] # keys differ by case
    with suppress(OSError, Error, UnicodeDecodeError, ValueError):
        parser.read_string(read_regular(path, most_bytes=2**20).decode("utf-8"))
        entry = parser[_GROUP] if parser.has_section(_GROUP) else {}
        hidden = {entry.get(key, "false").lower() for key in ("Hidden", "NoDisplay")}
        command = command_of(entry.get("Exec", ""))
        if entry.get("Type") == "Application" and "true" not in hidden and command and shutil.which(command[0]):
            stays = entry.get("Terminal", "false").lower() != "true"
            return Program(entry.get("Name", path.stem), command, stays, entry.get("Icon", ""))
    return None


def command_of(exec_line: str) -> tuple[str, ...]:
    """Return the words of an ``Exec`` line without field codes, as it opens no file. Raises ``ValueError``."""
    words = shlex.split(exec_line)
    return tuple(word.replace("%%", "%") for word in words if not (word.startswith("%") and word != "%%"))
