# SPDX-License-Identifier: GPL-3.0-or-later
"""What a command or a script writes into queues, as far as its text says so: nobody can be asked that."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from typing import NamedTuple

from disktuner.block.writers.writer import UNKNOWN, State, Subject, Writer, text_of
from disktuner.vocabulary.messages import Message, message

READ_AHEAD = "queue/read_ahead_kb"
SETS = re.compile(r"(?:queue|bdi)/|blockdev|hdparm|iocost")
"""What stands in every text that sets a queue."""

_PATH = r"[^;&|\n<>]*?(?:/(?:queue|bdi)/\w[\w/]*|/class/bdi/[\d:]+/\w+)"
_WRITES = re.compile(
    rf"(?:echo|printf)\s+(?:-\w+\s+)*[\"']?(?P<value>[\w.$-]+)(?:\\n)?[\"']?\s*"
    rf"(?P<to>>{{1,2}}|\|\s*(?:sudo\s+)?tee(?:\s+-a)?)\s*[\"']?(?P<path>{_PATH})\b"
    r"|blockdev\s+(?:-\S+\s+)*?--set(?:ra|fra)\s+(?P<sectors>\d+)\s+(?P<device>[\"\']?[/$%]\S+)"
    r"|hdparm\s+(?:-\S+\s+)*?-a\s*(?P<ahead>\d+)\s+(?:-\S+\s+)*(?P<drive>[/$%][^\s;'\"]+)"
    r"|iocost\s+apply\s+(?P<shared>[/$%]\S+)"
)
_CONDITION = re.compile(r"&&|\|\||(?:^|[\s;])(?:if|for|while|until|case|test|\[{1,2})\s")
_TARGET = re.compile(r"(?P<disk>[^/]*)/(?P<name>(?:queue|bdi)/\w[\w/]*)")
_OF_BDI = re.compile(r"/class/bdi/(?P<disk>[\d:]+)/(?P<name>\w+)")
_SHELLS = ("sh", "bash", "dash", "ash", "ksh", "zsh", "busybox", "env")
_OPEN_SIGNS = re.compile(r"[$`%]")
_GLOB = re.compile(r"[*?\[]")


class Effect(NamedTuple):
    """An attribute that gets a value, by what stands at ``start`` in the text: ACTS, DEAD where nothing is written, or
    MENTIONS where a shell decides."""

    attribute: str
    value: str
    state: State
    start: int = 0


def attribute_of(name: str) -> str:
    """``queue/iosched/slice_idle`` is called ``iosched/slice_idle``, and read-ahead has two names."""
    if name == "bdi/read_ahead_kb":
        return READ_AHEAD
    return name.removeprefix("queue/") if "/iosched/" in name else name


def target_of(path: str) -> tuple[str, str] | None:
    """The disk (a pattern, a number or a variable) and the attribute that a path in sysfs names."""
    if match := _OF_BDI.search(path):
        return match["disk"], attribute_of(f"bdi/{match['name']}")
    match = _TARGET.search(path)
    return None if match is None else (match["disk"], attribute_of(match["name"]))


def effects(subject: Subject, text: str) -> Iterator[Effect]:
    """Yield what the text of a shell does to the disk; in a loop or behind a condition that is only mentioned."""
    for match in _WRITES.finditer(text):
        disk, attribute, value = _parts(match)
        if _OPEN_SIGNS.search(disk):
            state = State.MENTIONS
        elif not subject.is_called(disk):
            continue
        else:
            redirected = match["to"] and ">" in match["to"] and _GLOB.search(disk)
            uncertain = redirected or _CONDITION.search(text, 0, match.start())
            state = State.MENTIONS if uncertain else State.ACTS
        known = not _OPEN_SIGNS.search(value)
        yield Effect(attribute, value if known else UNKNOWN, state if known else State.MENTIONS, match.start())


def _parts(match: re.Match[str]) -> tuple[str, str, str]:
    """The disk, the attribute and its value."""
    sectors = match["sectors"] or match["ahead"]
    if match["path"]:
        disk, attribute = target_of(match["path"]) or ("$", "queue/scheduler")
        return disk, attribute, match["value"]
    device = match["device"] or match["drive"] or match["shared"]
    return device.strip("\"'"), READ_AHEAD if sectors else "io.cost", str(int(sectors) // 2) if sectors else UNKNOWN


def effects_of_run(subject: Subject, command: str) -> Iterator[Effect]:
    """The same of a command that udev starts, which knows no redirection unless it is a shell's."""
    try:
        words = shlex.split(command)
    except ValueError:
        words = command.split()
    shell = bool(words) and words[0].rpartition("/")[2] in _SHELLS
    for effect in effects(subject, " ".join(words[1:]) if shell else command):
        prints = not shell and re.match(r"\S*(?:echo|printf)\s", command)
        yield effect._replace(state=State.DEAD) if prints else effect


def script_writers(
    subject: Subject, who: str, file: str, state: State = State.ACTS, why: Message | None = None
) -> Iterator[Writer]:
    """Yield what the lines of a script do to the disk; ``state`` is that of the whole script."""
    text = re.sub(r"(?m)^[ \t]*#.*$", lambda line: " " * len(line[0]), text_of(subject.tree, file))
    leaves = re.search(r"(?m)^exit\b", text)
    for effect in effects(subject, text):
        here, because = (effect.state, None) if state is State.ACTS else (state, why)
        if leaves and leaves.start() < effect.start and state is State.ACTS:
            here, because = State.DEAD, message("dead-after-exit")
        line = text.count("\n", 0, effect.start) + 1
        yield Writer(who, file, line, effect.attribute, effect.value, here, because)
