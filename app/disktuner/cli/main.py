# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds the command that was asked for, runs it, and turns errors into sentences and exit codes."""

from __future__ import annotations

import argparse
import contextlib
import difflib
import importlib
import logging
import os
import signal
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence

from disktuner import __version__
from disktuner.cli import usage
from disktuner.cli.streams import complain, printable_only
from disktuner.log import unforeseen
from disktuner.vocabulary.errors import Cancelled, DisktunerError, UsageError
from disktuner.vocabulary.messages import text

log = logging.getLogger(__name__)

COMMANDS: Mapping[str, str] = {
    "list": "disks",
    "workloads": "measuring",
    "bench": "measuring",
    "compare": "measuring",
    "tune": "tuning",
    "verdict": "results",
    "export": "results",
    "summary": "summary",
    "history": "results",
    "set": "changes",
    "revert": "changes",
    "forget": "changes",
    "try-in-daily-use": "daily_use",
    "status": "status",
    "check": "check",
    "monitor": "monitor",
    "watch": "watch",
}
"""The module of each command: its ``add_COMMAND(parser)`` declares the arguments and what ``run`` is."""


def main(arguments: Sequence[str]) -> int:
    """Run one command and return its exit code.

    0 done; 1 unforeseen; 2 usage; 3 not authorised; 4 no such disk, scheduler or workload, or not tunable;
    5 measurement invalid or impossible; 6 helper not there; 130 cancelled.
    """
    with printable_only(), _broken_pipe_is_the_end():
        asked = next((word for word in arguments if not word.startswith("-")), "")
        if asked and asked not in COMMANDS:
            complain(_no_such_command(asked))
            return UsageError.exit_code
        parser = parser_for([asked] if asked else [])
        return _run(parser.parse_args(arguments))


def _no_such_command(asked: str) -> str:
    similar = difflib.get_close_matches(asked, COMMANDS, 1)
    return text("did-you-mean", given=asked, command=similar[0]) if similar else text("no-such-command", given=asked)


def _run(args: argparse.Namespace) -> int:
    try:
        return int(args.run(args))
    except KeyboardInterrupt:
        complain(text("interrupted"))
        return Cancelled.exit_code
    except DisktunerError as error:
        log.debug("%s: %s", type(error).__name__, error.message.id)
        complain(str(error))
        return error.exit_code
    except BrokenPipeError:
        raise
    except Exception as error:  # noqa: BLE001 - the outermost floor: said and logged here
        complain(unforeseen(error))
        return 1


def parser_for(wanted: Collection[str]) -> argparse.ArgumentParser:
    """Return the parser with all commands; those that are wanted know their arguments.

    Only their modules are loaded: the others would cost start-up time for nothing.
    """
    usage.speak()
    parser = argparse.ArgumentParser("disktuner", description=text("help-disktuner"), epilog=text("help-window"))
    parser.add_argument("--debug", action="store_true", help=text("help-debug"))
    parser.add_argument("--version", action="version", version=f"disktuner {__version__}", help=text("help-version"))
    subparsers = parser.add_subparsers(title=text("help-commands"), metavar="COMMAND", required=True)
    for name in wanted or COMMANDS:
        command = subparsers.add_parser(name, help=text(f"help-{name}"))
        if name in wanted:
            module = importlib.import_module(f"disktuner.cli.{COMMANDS[name]}")
            getattr(module, f"add_{name.replace('-', '_')}")(command)
    return parser


@contextlib.contextmanager
def _broken_pipe_is_the_end() -> Iterator[None]:
    """Let ``disktuner … | head`` end quietly, as other programs do."""
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(128 + signal.SIGPIPE)
