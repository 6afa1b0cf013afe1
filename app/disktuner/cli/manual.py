# SPDX-License-Identifier: GPL-3.0-or-later
"""The manual page of a program, made from its commands' arguments in the current language.

It is written with the macros of man(7).
"""

from __future__ import annotations

import argparse
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from disktuner import __version__
from disktuner.cli.arguments import Parser
from disktuner.cli.main import DISKTUNER, Program, parser_for
from disktuner.cli.usage import CHINESE
from disktuner.vocabulary.messages import Message, message, say, text

_EXITS = (
    (0, "done"),
    (1, "unforeseen"),
    (2, "usage"),
    (3, "not-authorised"),
    (4, "no-such-thing"),
    (5, "measurement"),
    (6, "no-helper"),
    (130, "cancelled"),
)


@dataclass(frozen=True, slots=True)
class Page:
    """What a page says besides the arguments: ids of descriptions, files, exit codes, examples to copy."""

    program: Program
    summary: str
    description: Sequence[str]
    exits: Collection[int]
    files: Sequence[tuple[str, str]]
    examples: Sequence[tuple[Message, Sequence[str]]]
    see_also: Sequence[tuple[str, int]]


_FILES = (
    ("~/.local/share/disktuner/", "results"),
    ("~/.local/state/disktuner/log", "log"),
    ("~/.local/state/disktuner/window.conf", "window"),
    ("/etc/udev/rules.d/90-disktuner-*.rules", "rules"),
    ("/run/disktuner/", "run"),
)
_VARIABLES = (
    ("XDG_DATA_HOME", message("manual-variable-data", folder="~/.local/share")),
    ("XDG_STATE_HOME", message("manual-variable-state", folder="~/.local/state")),
    ("NO_COLOR", message("manual-variable-no-colour")),
)
_EXAMPLES = (
    (message("manual-example-list"), ("disktuner list",)),
    (message("manual-example-compare", folder="/srv"), ("disktuner compare /srv --goal desktop",)),
    (message("manual-example-tune"), ("disktuner tune /srv --goal desktop",)),
    (message("manual-example-export"), ("disktuner export result.json --to picture.png",)),
    (message("manual-example-set", scheduler="bfq", disk="sda"), ("disktuner set sda bfq", "disktuner revert sda")),
    (message("manual-example-check"), ("disktuner check",)),
)
_SEE_ALSO = (
    ("disktuner-fleet", 1),
    ("fio", 1),
    ("ionice", 1),
    ("iostat", 1),
    ("pkttyagent", 1),
    ("udev", 7),
    ("lsblk", 8),
)
_COMMENTS = (r".\" SPDX-License-Identifier: GPL-3.0-or-later", r".\" ./dev pages makes this page.")
_DESCRIPTION = tuple(f"manual-{id_}" for id_ in ("what-it-does", "puts-back", "rights", "no-telemetry", "window"))
_CODES = frozenset(code for code, _ in _EXITS)
PAGE = Page(DISKTUNER, "manual-summary", _DESCRIPTION, _CODES, _FILES, _EXAMPLES, _SEE_ALSO)


def manual_page(page: Page) -> str:
    """Return a page as troff source."""
    program = page.program
    parser = parser_for(program.modules, program)
    exits = ((_bold(str(code)), text(f"manual-exit-{name}")) for code, name in _EXITS if code in page.exits)
    sections: Iterable[tuple[str, Iterable[str]]] = (
        ("name", [rf"{_escaped(program.name)} \- {_escaped(text(page.summary))}"]),
        ("synopsis", _synopsis(parser)),
        ("description", _paragraphs(map(text, page.description))),
        ("options", _options(parser)),
        ("commands", (line for name, command in parser.commands.items() for line in _command(program, name, command))),
        ("exit-status", _entries(exits)),
        ("files", _entries((_italic(file), text(f"manual-file-{name}")) for file, name in page.files)),
        ("environment", _entries((_bold(name), say(about)) for name, about in _VARIABLES)),
        ("examples", (line for about, calls in page.examples for line in _example(about, calls))),
        ("see-also", [", ".join(f"{_bold(name)}({section})" for name, section in page.see_also)]),
    )
    volume = _escaped(text("manual-volume"))
    head = (
        *_COMMENTS,
        f'.TH {program.name.upper()} 1 "" "Disktuner {__version__}" "{volume}"',
        ".nh",
        ".ad l",
        ".ds AD l",
    )  # groff 1.23 adjusts by AD anew
    body = (line for name, lines in sections for line in (f'.SH "{_escaped(text(f"manual-{name}"))}"', *lines))
    return "\n".join((*head, *body, ""))


def _synopsis(parser: Parser) -> Iterator[str]:
    yield f"{_bold(parser.prog)} {_usage(parser)}"
    yield ".br"
    yield f"{_bold(parser.prog)} {_usage(parser)} {_italic('COMMAND')} [{_italic('ARGUMENT')} ...]"


def _command(program: Program, name: str, command: Parser) -> Iterator[str]:
    yield ".TP"
    yield f"{_bold(f'{program.name} {name}')} {_usage(command)}".rstrip()
    yield _flowing(program.help_of(name))
    if command.description:
        yield from (".RS", ".nf", *map(_flowing, command.description.splitlines()), ".fi", ".RE")
    if listed := [action for action in command.actions() if action.dest != "help"]:
        yield ".RS"
        yield from _entries((_invocation(action), action.help or "") for action in listed)
        yield ".RE"


def _options(parser: Parser) -> Iterator[str]:
    yield from _entries((_invocation(action), action.help or "") for action in parser.actions())


def _usage(parser: Parser) -> str:
    """Return the arguments of a command, with bars between mutually exclusive ones."""
    shown = []
    for group, required in parser.alternatives():
        calls = " | ".join(map(_call, group))
        needed = f"({calls})" if len(group) > 1 else calls
        shown.append(needed if required else f"[{calls}]")
    return " ".join(shown)


def _call(action: argparse.Action) -> str:
    """Return an argument as typed: an option by its long name."""
    if not action.option_strings:
        return _values(action)
    return " ".join(filter(None, (_bold(action.option_strings[-1]), _values(action))))


def _invocation(action: argparse.Action) -> str:
    """Return an argument as listed: an option by all its names."""
    names = ", ".join(map(_bold, action.option_strings))
    return " ".join(filter(None, (names, _values(action))))


def _values(action: argparse.Action) -> str:
    if action.nargs == 0:
        return ""
    names = action.metavar if isinstance(action.metavar, tuple) else (action.metavar or action.dest.upper(),)
    if isinstance(action.nargs, int) and len(names) < action.nargs:
        names *= action.nargs
    shown = " ".join(map(_italic, names))
    return f"{shown} ..." if action.nargs in ("*", "+") else shown


def _paragraphs(sentences: Iterable[str]) -> Iterator[str]:
    for number, sentence in enumerate(sentences):
        if number:
            yield ".PP"
        yield _flowing(sentence)


def _entries(entries: Iterable[tuple[str, str]]) -> Iterator[str]:
    for head, about in entries:
        yield ".TP"
        yield head
        yield _flowing(about)


def _example(about: Message, calls: Sequence[str]) -> Iterator[str]:
    yield ".PP"
    yield _flowing(say(about))
    yield ".PP"
    yield ".RS 4"
    yield ".nf"
    yield from map(_bold, calls)
    yield ".fi"
    yield ".RE"


def _bold(words: str) -> str:
    return rf"\fB{_flowing(words)}\fR"


def _italic(words: str) -> str:
    return rf"\fI{_flowing(words)}\fR"


def _flowing(words: str) -> str:
    """Return words with line breaks allowed: in Chinese, which has no spaces, anywhere but before punctuation."""
    return CHINESE.sub(r"\g<0>\\:", _escaped(words))


def _escaped(words: str) -> str:
    """Return words escaped for troff: hyphens stay copyable, and no line begins with a request."""
    shown = words.replace("\\", r"\e").replace("-", r"\-").replace('"', r"\(dq").replace("~", r"\(ti")
    return rf"\&{shown}" if shown.startswith((".", "'")) else shown
