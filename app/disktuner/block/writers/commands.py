# SPDX-License-Identifier: GPL-3.0-or-later
"""What a command or a script writes into queues, as far as its text says so: nobody can be asked that."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import replace

from disktuner.block.writers.writer import Standing, State, Subject, Writer, text_of
from disktuner.vocabulary.messages import message
from disktuner.vocabulary.tunables import name_of

READ_AHEAD = "queue/read_ahead_kb"
SETS = re.compile(r"(?:queue|bdi)/|blockdev|hdparm|iocost")
"""What stands in every text that sets a queue."""

_WRITES = re.compile(
    r"(?:echo|printf)\s+(?:-\w+\s+)*[\"']?(?P<value>[\w.$-]+)(?:\\n)?[\"']?\s*"
    r"(?:>{1,2}|\|\s*(?:sudo\s+)?tee(?:\s+-a)?)\s*(?P<path>[\"']?[^;&|\n<>]*?/(?:queue|bdi)/\w[\w/]*)"
    r"|(?:(?:blockdev\s+(?:-\S+\s+)*?--setf?ra|hdparm\s+(?:-\S+\s+)*?-a)\s*(?P<sectors>\d+)\s+(?:-\S+\s+)*"
    r"|iocost\s+apply\s+)[\"']?(?P<device>[/$%][^\s;'\"]+)"
)
_CONDITION = re.compile(r"&&|\|\||(?:^|[\s;])(?:if|for|while|until|case|test|\[{1,2})\s")
_TARGET = re.compile(r"(?P<disk>[^/]*)/(?P<name>(?:queue|bdi)/\w[\w/]*)")
_SHELLS = ("sh", "bash", "dash", "ash", "ksh", "zsh", "busybox", "env")


def attribute_of(name: str) -> str:
    """``queue/iosched/slice_idle`` is called ``iosched/slice_idle``, and read-ahead has two names."""
    if name == "bdi/read_ahead_kb":
        return READ_AHEAD
    return name_of(name)


def _by_name(subject: Subject, text: str) -> str:
    """A text in which the limits of write-back, which lie at the disk's device number, lie at its name, too."""
    own = rf"/sys/(?:class|devices/virtual)/bdi/{re.escape(subject.disk.devno)}/"
    return re.sub(own, f"/sys/block/{subject.disk.name}/bdi/", text)


def attribute_at(subject: Subject, path: str) -> str:
    """The attribute of the disk that a path in sysfs, perhaps with a pattern, means; empty where it means another."""
    match = _TARGET.search(_by_name(subject, path))
    return attribute_of(match["name"]) if match and subject.is_called(match["disk"]) else ""


def effects(subject: Subject, text: str, who: str = "udev", file: str = "") -> Iterator[Writer]:
    """Yield what the text of a shell does to the disk, by line; in a loop or behind a condition is only mentioned."""
    text = _by_name(subject, text)
    for match in _WRITES.finditer(text):
        target = _TARGET.search(match["path"] or "")
        disk = target["disk"] if target else match["device"]
        attribute = attribute_of(target["name"]) if target else READ_AHEAD if match["sectors"] else "io.cost"
        value = match["value"] or (str(int(match["sectors"]) // 2) if match["sectors"] else "?")
        if re.search(r"[$`%]", disk) or subject.is_called(disk):
            is_open = re.search(r"[$`%*?\[]", disk) or re.search(r"[$`%]", value)
            is_open = is_open or _CONDITION.search(text, 0, match.start())
            line = text.count("\n", 0, match.start()) + 1
            yield Writer(who, file, line, attribute, value, State.MENTIONS if is_open else State.ACTS)


def effects_of_run(subject: Subject, command: str) -> Iterator[Writer]:
    """The same of a command that udev starts, which knows no redirection unless it is a shell's."""
    try:
        program, *words = shlex.split(command)
    except ValueError:
        program, *words = command.split() or [""]
    name = program.rpartition("/")[2]
    for effect in effects(subject, " ".join(words) if name in _SHELLS else command):
        yield replace(effect, state=State.DEAD) if name in ("echo", "printf") else effect


def script_writers(subject: Subject, who: str, file: str, standing: Standing = (State.ACTS, None)) -> Iterator[Writer]:
    """Yield what the lines of a script do to the disk, which as a whole stands as its owner says."""
    state, why = standing
    text = re.sub(r"(?m)^[ \t]*#.*$", "", text_of(subject.tree, file))
    leaves = re.search(r"(?m)^exit\b", text)
    for one in effects(subject, text, who, file):
        if state is not State.ACTS:
            yield replace(one, state=state, why=why)
        elif leaves and text.count("\n", 0, leaves.start()) < one.line:
            yield replace(one, state=State.DEAD, why=message("dead-after-exit"))
        else:
            yield one
