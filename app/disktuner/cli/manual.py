# SPDX-License-Identifier: GPL-3.0-or-later
"""The manual page, made of the commands' own arguments, in the language that is spoken.

It is written with the macros of man(7).
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterable, Iterator, Sequence

from disktuner import __version__
from disktuner.cli.arguments import actions, alternatives, commands
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
_SEE_ALSO = (("fio", 1), ("ionice", 1), ("iostat", 1), ("pkttyagent", 1), ("udev", 7), ("lsblk", 8))
_COMMENTS = (r".\" SPDX-License-Identifier: GPL-3.0-or-later", r".\" ./dev docs makes this page.")
_CHINESE = re.compile(r"[\u3001-\u9fff\uff01-\uff5e“”](?![\u3001\u3002\uff0c\uff1b\uff1a\uff1f\uff01\uff09\u300b”])")
_DESCRIPTION = ("what-it-does", "puts-back", "rights", "no-telemetry", "window")


def manual_page(parser: argparse.ArgumentParser) -> str:
    """Return the page as troff source; the parser has all commands, each with all its arguments."""
    sections: Iterable[tuple[str, Iterable[str]]] = (
        ("name", [rf"disktuner \- {_escaped(text('manual-summary'))}"]),
        ("synopsis", _synopsis(parser)),
        ("description", _paragraphs(text(f"manual-{each}") for each in _DESCRIPTION)),
        ("options", _options(parser)),
        ("commands", (line for name, command in commands(parser) for line in _command(name, command))),
        ("exit-status", _entries((_bold(str(code)), text(f"manual-exit-{name}")) for code, name in _EXITS)),
        ("files", _entries((_italic(file), text(f"manual-file-{name}")) for file, name in _FILES)),
        ("environment", _entries((_bold(name), say(about)) for name, about in _VARIABLES)),
        ("examples", (line for about, calls in _EXAMPLES for line in _example(about, calls))),
        ("see-also", [", ".join(f"{_bold(name)}({section})" for name, section in _SEE_ALSO)]),
    )
    volume = _escaped(text("manual-volume"))
    head = (
        *_COMMENTS,
        f'.TH DISKTUNER 1 "" "Disktuner {__version__}" "{volume}"',
        ".nh",
        ".ad l",
        ".ds AD l",
    )  # groff 1.23 adjusts by AD anew
    body = (line for name, lines in sections for line in (f'.SH "{_escaped(text(f"manual-{name}"))}"', *lines))
    return "\n".join((*head, *body, ""))


def _synopsis(parser: argparse.ArgumentParser) -> Iterator[str]:
    yield f"{_bold('disktuner')} {_usage(parser)}"
    yield ".br"
    yield f"{_bold('disktuner')} {_usage(parser)} {_italic('COMMAND')} [{_italic('ARGUMENT')} ...]"


def _command(name: str, command: argparse.ArgumentParser) -> Iterator[str]:
    yield ".TP"
    yield f"{_bold(f'disktuner {name}')} {_usage(command)}".rstrip()
    yield _flowing(text(f"help-{name}"))
    if command.description:
        yield from (".RS", ".nf", *map(_flowing, command.description.splitlines()), ".fi", ".RE")
    if listed := [each for each in actions(command) if each.dest != "help"]:
        yield ".RS"
        yield from _entries((_invocation(each), each.help or "") for each in listed)
        yield ".RE"


def _options(parser: argparse.ArgumentParser) -> Iterator[str]:
    yield from _entries((_invocation(each), each.help or "") for each in actions(parser))


def _usage(parser: argparse.ArgumentParser) -> str:
    """All arguments of a command; only one of those between bars can be given."""
    shown = []
    for group, required in alternatives(parser):
        calls = " | ".join(map(_call, group))
        needed = f"({calls})" if len(group) > 1 else calls
        shown.append(needed if required else f"[{calls}]")
    return " ".join(shown)


def _call(action: argparse.Action) -> str:
    """An argument as it is typed: an option by its long name."""
    if not action.option_strings:
        return _values(action)
    return " ".join(filter(None, (_bold(action.option_strings[-1]), _values(action))))


def _invocation(action: argparse.Action) -> str:
    """An argument as it is listed: an option by all its names."""
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
    """Words whose lines may end: in Chinese, which has no spaces, after any of its signs, but before no punctuation."""
    return _CHINESE.sub(r"\g<0>\\:", _escaped(words))


def _escaped(words: str) -> str:
    """Words as troff shows them: hyphens that can be copied, and nothing at the beginning of a line that it obeys."""
    shown = words.replace("\\", r"\e").replace("-", r"\-").replace('"', r"\(dq").replace("~", r"\(ti")
    return rf"\&{shown}" if shown.startswith((".", "'")) else shown
