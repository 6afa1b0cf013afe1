# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds the command that was asked for, runs it, and turns errors into sentences and exit codes."""

from __future__ import annotations

import argparse
import contextlib
import importlib
import os
import signal
import sys
from collections.abc import Iterator, Sequence

from disktuner import __version__
from disktuner.cli.terminal import printable_only
from disktuner.log import unforeseen
from disktuner.vocabulary.errors import Cancelled, DisktunerError

COMMANDS = (
    "list",
    "workloads",
    "bench",
    "compare",
    "verdict",
    "export",
    "history",
    "set",
    "revert",
    "forget",
    "status",
    "monitor",
    "record",
)
"""Each is a module of this folder with ``add_parser(subparsers)`` and ``run(args) -> int``."""


def main(arguments: Sequence[str]) -> int:
    """Run one command and return its exit code.

    0 done; 1 unforeseen; 2 usage; 3 not authorised; 4 no such disk, scheduler or workload, or not tunable;
    5 measurement invalid or impossible; 6 helper not there; 130 cancelled.
    """
    with printable_only(), _broken_pipe_is_the_end():
        return _run(_parser(arguments[0]).parse_args(arguments))


def _run(args: argparse.Namespace) -> int:
    try:
        return int(args.run(args))
    except (KeyboardInterrupt, Cancelled) as cancelled:
        print(f"disktuner: {cancelled}" if str(cancelled) else "disktuner: cancelled", file=sys.stderr)
        return Cancelled.exit_code
    except DisktunerError as error:
        print(f"disktuner: {error}", file=sys.stderr)
        return error.exit_code
    except BrokenPipeError:
        raise
    except Exception as error:  # noqa: BLE001 - the outermost floor: said and logged here
        print(f"disktuner: {unforeseen(error)}", file=sys.stderr)
        return 1


def _parser(asked: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="disktuner",
        description="Finds out by measuring which I/O scheduler is best for a disk and what you do with it.",
        epilog="Without a command the window opens.",
    )
    parser.add_argument("--debug", action="store_true", help="show on standard error what is logged")
    parser.add_argument("--version", action="version", version=f"disktuner {__version__}")
    subparsers = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    # Only the module that was asked for is loaded: the others would cost start-up time for nothing.
    for name in [asked] if asked in COMMANDS else COMMANDS:
        module = importlib.import_module(f"disktuner.cli.{name}")
        module.add_parser(subparsers)
        subparsers.choices[name].set_defaults(run=module.run)
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
