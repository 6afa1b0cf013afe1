# SPDX-License-Identifier: GPL-3.0-or-later
"""What a parser of arguments knows: its commands, its arguments, and which of them stand in for each other."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence

# ruff: noqa: SLF001 - argparse keeps all of it to itself, under names that have stayed since 2009


def commands(parser: argparse.ArgumentParser) -> tuple[tuple[str, argparse.ArgumentParser], ...]:
    """Return the commands by name, in their order."""
    return tuple(
        each
        for action in parser._actions
        if isinstance(action, argparse._SubParsersAction)
        for each in action.choices.items()
    )


def actions(parser: argparse.ArgumentParser) -> tuple[argparse.Action, ...]:
    """Return the arguments: first those without a name, then the options. Commands are none."""
    found = [each for each in parser._actions if not isinstance(each, argparse._SubParsersAction)]
    return tuple(sorted(found, key=lambda each: bool(each.option_strings)))


def alternatives(parser: argparse.ArgumentParser) -> Iterator[tuple[Sequence[argparse.Action], bool]]:
    """Yield the arguments, together those of which only one can be given; and whether one must be."""
    groups = parser._mutually_exclusive_groups
    seen: set[argparse.Action] = set()
    for action in actions(parser):
        group = next((each for each in groups if action in each._group_actions), None)
        if action in seen or isinstance(action, argparse._HelpAction):
            continue
        if group is None:
            yield (action,), action.required and action.nargs != "*"  # before Python 3.13 argparse calls those required
        else:
            seen.update(group._group_actions)
            yield tuple(group._group_actions), group.required
