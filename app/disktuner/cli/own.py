# SPDX-License-Identifier: GPL-3.0-or-later
"""The options of ``compare``, ``tune`` and ``bench`` for a user's own program, and their combined meaning."""

from __future__ import annotations

import argparse
import os
import textwrap
from pathlib import Path

from disktuner.cli.arguments import Parser
from disktuner.cli.usage import within
from disktuner.results.definition import MOST_LIMIT_S, Definition
from disktuner.vocabulary.background import NO_LOAD, WRITES
from disktuner.vocabulary.errors import NoSuchThing, UsageError
from disktuner.vocabulary.messages import text

LIMIT_S = 600.0
_DETAILS = ("prepare", "cleanup", "cold", "shell", "ignore_failure", "timeout")
"""Options that only make sense with a command."""


def add_own(parser: Parser) -> None:
    """Declare the options."""
    seconds = within(float, 0.001, MOST_LIMIT_S)
    with parser.titled(text("help-own"), textwrap.fill(text("help-own-about"), 76)):
        with parser.only_one():
            parser.add_argument("--command", metavar="CMD", help=text("help-command"))
            parser.add_argument("--program", metavar="NAME", help=text("help-program"))
        parser.add_argument("--beside", metavar="nothing|writes|reads|both|CMD", help=text("help-beside"))
        parser.add_argument("--prepare", metavar="CMD", help=text("help-prepare"))
        parser.add_argument("--cleanup", metavar="CMD", help=text("help-cleanup"))
        parser.add_argument("--cold", nargs="+", type=_path, metavar="PATH", help=text("help-cold"))
        parser.add_argument("-S", "--shell", metavar="SHELL", help=text("help-shell"))
        parser.add_argument("-i", "--ignore-failure", action="store_true", help=text("help-ignore-failure"))
        parser.add_argument("--timeout", type=seconds, metavar="SECONDS", help=text("help-timeout"))


def definition_of(args: argparse.Namespace) -> Definition | None:
    """Return what to measure; None for a goal's workloads. Raises ``UsageError`` for contradictions."""
    given = [name for name in _DETAILS if getattr(args, name)]
    if args.command is None and args.program is None:
        if given or args.beside:
            raise UsageError("own-needs-command")
        return None
    if args.goal or args.workloads:
        raise UsageError("own-has-no-goal")
    if args.beside is not None and not args.beside.strip():
        raise UsageError("own-empty")
    if args.program is not None:
        return _program(args, given)
    if not args.command.strip():
        raise UsageError("own-empty")
    return Definition(
        command=args.command,
        prepare=args.prepare,
        cleanup=args.cleanup,
        cold=tuple(args.cold or ()),
        beside=args.beside or NO_LOAD.id,
        shell=None if args.shell == "none" else args.shell or "sh",
        ignores_failure=args.ignore_failure,
        limit_s=args.timeout or LIMIT_S,
        folder=str(_here()),
    )


def _here() -> Path:
    """Return the current folder, where the command runs. Raises ``NoSuchThing`` if somebody removed it."""
    try:
        return Path.cwd()
    except FileNotFoundError:
        raise NoSuchThing("no-folder", folder=os.environ.get("PWD", ".")) from None


def _program(args: argparse.Namespace, given: list[str]) -> Definition:
    if given:
        raise UsageError("own-program-alone", options=tuple(f"--{name.replace('_', '-')}" for name in given))
    if not args.program.strip():
        raise UsageError("own-empty")
    return Definition(program=args.program, beside=args.beside or WRITES.id)


def _path(given: str) -> str:
    """Refuse an empty path, which would stand for the whole current folder."""
    if not given:
        raise argparse.ArgumentTypeError(text("name-at-least-one"))
    return given
