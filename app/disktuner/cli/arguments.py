# SPDX-License-Identifier: GPL-3.0-or-later
"""A parser of arguments that knows its commands, its arguments, and which exclude each other."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple


class Alternatives(NamedTuple):
    """An argument, or several of which only one can be given; and whether one is required."""

    actions: Sequence[argparse.Action]
    required: bool


class Parser(argparse.ArgumentParser):
    """Remembers its commands by name, and what ``add_argument`` added: argparse keeps its arguments to itself."""

    def __init__(self, *values: Any, **options: Any) -> None:
        self.commands: dict[str, Parser] = {}
        self._added: list[Alternatives] = []
        self._groups: list[Any] = []
        super().__init__(*values, **options)  # adds --help

    def add_argument(self, *names: str, **options: Any) -> argparse.Action:
        """Add an argument, to the innermost group that is entered."""
        group: Any = self._groups[-1] if self._groups else super()
        action: argparse.Action = group.add_argument(*names, **options)
        # Before Python 3.13 argparse calls those with * required.
        self._added.append(Alternatives([action], action.required and action.nargs != "*"))
        return action

    @contextmanager
    def titled(self, title: str, about: str) -> Iterator[None]:
        """Show the arguments under a title of their own in the help."""
        self._groups.append(self.add_argument_group(title, about))
        yield
        self._groups.pop()

    @contextmanager
    def only_one(self, *, required: bool = False) -> Iterator[None]:
        """Let the arguments exclude each other."""
        before, outer = len(self._added), self._groups[-1] if self._groups else self
        self._groups.append(outer.add_mutually_exclusive_group(required=required))
        yield
        self._groups.pop()
        self._added[before:] = [Alternatives([action for (action,), _ in self._added[before:]], required)]

    def alternatives(self) -> list[Alternatives]:
        """Return the arguments without commands and ``--help``: first the positional ones, then the options."""
        others = (added for added in self._added if added.actions[0].dest != "help")
        return sorted(others, key=lambda added: all(action.option_strings for action in added.actions))

    def actions(self) -> list[argparse.Action]:
        """Return the arguments one by one: first the positional ones, then the options."""
        actions = (action for added in self._added for action in added.actions)
        return sorted(actions, key=lambda action: bool(action.option_strings))
