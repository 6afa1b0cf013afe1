# SPDX-License-Identifier: GPL-3.0-or-later
"""What an argument parser knows: its commands, its arguments, and which exclude each other."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence

# ruff: noqa: SLF001 - argparse keeps all of it to itself, under names that have stayed since 2009


def commands(parser: argparse.ArgumentParser) -> tuple[tuple[str, argparse.ArgumentParser], ...]:
    """Return the commands by name, in order."""
    return tuple(
        choice
        for action in parser._actions
        if isinstance(action, argparse._SubParsersAction)
        for choice in action.choices.items()
    )


def actions(parser: argparse.ArgumentParser) -> tuple[argparse.Action, ...]:
    """Return the arguments without commands: first the positional ones, then the options."""
    arguments = [action for action in parser._actions if not isinstance(action, argparse._SubParsersAction)]
    return tuple(sorted(arguments, key=lambda action: bool(action.option_strings)))


def alternatives(parser: argparse.ArgumentParser) -> Iterator[tuple[Sequence[argparse.Action], bool]]:
    """Yield the arguments, grouped if only one can be given, and whether one is required."""
    groups = parser._mutually_exclusive_groups
    seen: set[argparse.Action] = set()
    for action in actions(parser):
        group = next((candidate for candidate in groups if action in candidate._group_actions), None)
        if action in seen or isinstance(action, argparse._HelpAction):
            continue
        if group is None:
            yield (action,), action.required and action.nargs != "*"  # before Python 3.13 argparse calls those required
        else:
            seen.update(group._group_actions)
            yield tuple(group._group_actions), group.required
