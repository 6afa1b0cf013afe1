# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs the requested command, and turns errors into sentences and exit codes."""

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
from dataclasses import dataclass, field

from disktuner.cli import usage
from disktuner.cli.arguments import Parser
from disktuner.cli.streams import NotPrinted, complain, printable_only
from disktuner.log import unforeseen
from disktuner.version import commit, version
from disktuner.vocabulary.errors import Cancelled, DisktunerError, UsageError
from disktuner.vocabulary.messages import text

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Program:
    """A program with commands: its name, the commands' modules, and the ids of its and their descriptions.

    A module's ``add_COMMAND(parser)`` declares the arguments, and what ``run`` is. Other commands than those of
    ``helps`` say ``help-COMMAND``. ``elsewhere`` are commands that another program has, by its name.
    """

    name: str
    modules: Mapping[str, str]
    about: str
    epilog: str | None = None
    helps: Mapping[str, str] = field(default_factory=dict)
    elsewhere: Mapping[str, str] = field(default_factory=dict)

    def help_of(self, command: str) -> str:
        """Return the description of a command."""
        return text(self.helps.get(command, f"help-{command}"))


COMMANDS = {
    "list": "disktuner.cli.disks",
    "workloads": "disktuner.cli.measuring",
    "bench": "disktuner.cli.measuring",
    "compare": "disktuner.cli.measuring",
    "tune": "disktuner.cli.tuning",
    "portrait": "disktuner.cli.portrait",
    "verdict": "disktuner.cli.results",
    "export": "disktuner.cli.results",
    "history": "disktuner.cli.results",
    "set": "disktuner.cli.changes",
    "revert": "disktuner.cli.changes",
    "forget": "disktuner.cli.changes",
    "try-in-daily-use": "disktuner_watch.commands.daily_use",
    "status": "disktuner.cli.status",
    "check": "disktuner.cli.check",
    "monitor": "disktuner.cli.monitor",
    "watch": "disktuner_watch.commands.watch",
}
"""The modules of all commands, by name: those of ``disktuner_watch``, which nothing here imports, too."""

DISKTUNER = Program("disktuner", COMMANDS, "help-disktuner", "help-window", elsewhere={"summary": "disktuner-fleet"})


def main(arguments: Sequence[str], program: Program = DISKTUNER) -> int:
    """Run one command and return its exit code.

    0 done; 1 unforeseen; 2 usage; 3 not authorised; 4 no such disk, scheduler or workload, or not tunable;
    5 measurement invalid or impossible; 6 helper not there; 130 cancelled.
    """
    with printable_only(), _unwritable_output_is_the_end():
        asked = next((word for word in arguments if not word.startswith("-")), "")
        if asked in program.elsewhere:
            return _hand_over(program.elsewhere[asked], arguments)
        if asked and asked not in program.modules:
            complain(_no_such_command(asked, program))
            return UsageError.exit_code
        parser = parser_for([asked] if asked else [], program)
        return _run(parser.parse_args(arguments))


def _hand_over(name: str, arguments: Sequence[str]) -> int:
    """Become another program, from a separate package that may not be installed: signals and exit code are its own."""
    import shutil  # noqa: PLC0415 - every other command does without

    path = shutil.which(name)
    if path is None:
        complain(text("in-another-package", package=name))
        return UsageError.exit_code
    sys.stdout.flush()
    return os.execv(path, [path, *arguments])  # noqa: S606 - a path, and no shell


def _no_such_command(asked: str, program: Program) -> str:
    similar = difflib.get_close_matches(asked, program.modules, 1)
    return text("did-you-mean", given=asked, command=similar[0]) if similar else text("no-such-command", given=asked)


def _run(args: argparse.Namespace) -> int:
    try:
        return int(args.run(args))
    except KeyboardInterrupt:
        complain(text("interrupted"))
        return Cancelled.exit_code
    except (BrokenPipeError, NotPrinted):
        raise
    except DisktunerError as error:
        log.debug("%s: %s", type(error).__name__, error.message.id)
        complain(str(error))
        return error.exit_code
    except Exception as error:  # noqa: BLE001 - the outermost floor: said and logged here
        complain(unforeseen(error))
        return 1


def parser_for(asked: Collection[str], program: Program = DISKTUNER) -> Parser:
    """Return the parser with all commands; those that are asked for know their arguments.

    Only their modules are loaded: the others would cost start-up time for nothing.
    """
    usage.speak()
    epilog = text(program.epilog) if program.epilog else None
    parser = Parser(program.name, description=text(program.about), epilog=epilog)
    parser.add_argument("--debug", action="store_true", help=text("help-debug"))
    hidden = argparse.SUPPRESS
    parser.add_argument("--version", action=_Version, nargs=0, dest=hidden, default=hidden, help=text("help-version"))
    subparsers = parser.add_subparsers(title=text("help-commands"), metavar="COMMAND", required=True)
    for name in asked or program.modules:
        parser.commands[name] = subparsers.add_parser(name, help=program.help_of(name))
        if name in asked:
            module = importlib.import_module(program.modules[name])
            getattr(module, f"add_{name.replace('-', '_')}")(parser.commands[name])
    return parser


class _Version(argparse.Action):
    """Prints the version and exits; only this asks git."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        known = commit()
        print(f"{parser.prog} {version()}{f' (commit {known})' if known else ''}")
        parser.exit()


@contextlib.contextmanager
def _unwritable_output_is_the_end() -> Iterator[None]:
    """Let ``disktuner … | head`` end quietly, like other programs, and say if the disk of the output is full."""
    try:
        try:
            yield
        finally:
            sys.stdout.flush()  # --help and --version exit
    except (BrokenPipeError, NotPrinted) as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # for what Python still has to write
        if isinstance(error, NotPrinted):
            complain(str(error))
            sys.exit(error.exit_code)
        sys.exit(128 + signal.SIGPIPE)
