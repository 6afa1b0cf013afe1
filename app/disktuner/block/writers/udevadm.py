# SPDX-License-Identifier: GPL-3.0-or-later
"""What udev would do for a disk, by ``udevadm test``, which writes nothing if only root could.

Parses the output of systemd 252, 255, 257 and 258 (src/udev/udev-rules.c, udevadm-test.c).
"""

from __future__ import annotations

import re
import shlex
import stat
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from disktuner.block.asking import Ask
from disktuner.block.writers.writer import Subject
from disktuner.opening import is_folder

_HARMLESS = re.compile(r"assuming|please fix|no matching label|style:|nknown (?:user|group)|multiple|Reordering")
_SYSFS = ("", "queue", "queue/iosched", "bdi", "power", "device", "device/power")
_AT = re.compile(r"(?P<disk>\S+: )?(?P<place>/.+?\.rules:\d+):? (?P<said>.*)")
_WRITES = [
    re.compile(form)
    for form in (
        r"ATTR '(?P<path>.+?)' writing '(?P<value>.*)'",
        r"Running in test mode, skipping writing ATTR\{(?P<path>.+?)\}=\"(?P<value>.*)\"[.]",
        r".*: Running in test mode, skipping writing \"(?P<value>.*)\" to sysfs attribute \"(?P<path>.+)\"[.]",
    )
]
_FAILED = re.compile(
    r"(?:Failed to write .*?, ignoring|.*Failed to verify sysfs attribute .*): "
    r"(?!Permission denied|Operation not permitted|Read-only file system)"
)
_COMMAND = re.compile(r"RUN '.*'|.*: Set command: .*")
_QUEUED = re.compile(r"run: '(.*)'|\s+RUN\{\w+\} : (.*)")
_BLIND = re.compile(
    r"Failed to (?:execute|run) (?!builtin .*: No such file or directory).*"
    r"|(?:.*: )?Command \".*\" returned \d+ \(error\).*|.*skipping execution of .*"
)
_SKIPPED = re.compile(r"(?:.*: )?Running in test mode, skipping execution of ['\"](.*)['\"]\.?")
_PROPERTY = re.compile(r"\s{0,2}([A-Za-z_][\w.-]*)=(.*)")


@dataclass(slots=True)
class UdevEvent:
    """What one event would do; a place is ``FILE:LINE``, for a continued rule any of its lines.

    ``writes`` are paths and values of attributes; None if writing fails for reasons other than a lack of rights.
    ``commands`` are started at the end; ``reset`` has the rule that discards a place's commands. ``dropped`` says why
    udev rejects a line, ``blind`` has the rules whose program failed, ``properties`` are the disk's at the end.
    ``skipped`` are PROGRAM commands that were not started (since systemd 257), and ``answers`` their output.
    """

    writes: defaultdict[str, list[tuple[str, str | None]]] = field(default_factory=lambda: defaultdict(list))
    commands: defaultdict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    reset: dict[str, str] = field(default_factory=dict)
    dropped: dict[str, str] = field(default_factory=dict)
    blind: dict[str, bool] = field(default_factory=dict)
    properties: dict[str, str] = field(default_factory=dict)
    skipped: dict[str, str] = field(default_factory=dict)
    answers: dict[str, str] = field(default_factory=dict)


def events(ask: Ask, files: Sequence[str], subject: Subject) -> Sequence[UdevEvent] | None:
    """Return what the rules in ``files`` do when the disk appears (``add``) and later (``change``); None if there are
    none, or if it is unknown."""
    folder = Path("/sys/block") / subject.disk.name
    if not files or not subject.udev or not _is_only_roots(folder):
        return None
    excluding = conflicts(ask, files)
    said = [ask("udevadm", "test", "--action", action, str(folder), log=True) for action in ("add", "change")]
    simulated = [event_of(log or "", excluding) for log in said]
    for event in simulated:
        event.answers |= dict(answers(ask, files, event))
    return simulated if all(event.properties for event in simulated) else None


def answers(ask: Ask, files: Sequence[str], event: UdevEvent) -> Iterator[tuple[str, str]]:
    """Yield the output of programs that ``udevadm test`` itself ran up to systemd 255, run here without rights too.

    A program that fails may do so for lack of rights, and is no answer.
    """
    for place, command in event.skipped.items():
        with suppress(ValueError):  # unclosed quotes
            words = shlex.split(command) if place.rpartition(":")[0] in files else []
            variables = (f"{name}={value}" for name, value in event.properties.items())
            if words and (said := ask("env", *variables, str(Path("/usr/lib/udev", words[0])), *words[1:])) is not None:
                yield place, said.rstrip("\n")


def conflicts(ask: Ask, files: Sequence[str]) -> Mapping[str, str]:
    """Return what ``udevadm verify`` reports about rules with contradictory conditions (since systemd 254)."""
    matches = map(_AT.fullmatch, (ask("udevadm", "verify", *files, log=True) or "").splitlines())
    return {at["place"]: at["said"] for at in matches if at and "conflicting" in at["said"]}


def _is_only_roots(folder: Path) -> bool:
    """Whether only root may write a disk's attributes; up to systemd 255, ``udevadm test`` writes if it can."""
    try:
        states = [path.lstat() for part in _SYSFS if is_folder(folder / part) for path in (folder / part).iterdir()]
    except OSError:
        return False
    return all(status.st_uid == 0 and not status.st_mode & 0o022 for status in states if stat.S_ISREG(status.st_mode))


def event_of(said: str, excluding: Mapping[str, str]) -> UdevEvent:
    """Return the event in a debug log, with the places from ``conflicts`` as dropped."""
    event, here, remark, named, queued = UdevEvent(dropped=dict(excluding)), "", "", list[str](), list[str]()
    for line in said.splitlines():
        at = _AT.fullmatch(line)
        runs = "PROGRAM" in remark
        here, remark = (at["place"], at["said"]) if at else (here, line)
        if runs and (is_skipped := _SKIPPED.fullmatch(remark)):
            event.skipped[here] = is_skipped[1]
        if _BLIND.fullmatch(remark):
            event.blind[here] = True
        elif at:
            named += [here] if _COMMAND.fullmatch(remark) else []
            _note(event, here, remark, at["disk"] is None)
        elif is_queued := _QUEUED.fullmatch(line):
            queued.append(is_queued[1] or is_queued[2])
        elif is_property := _PROPERTY.fullmatch(line):
            event.properties[is_property[1]] = is_property[2]
    thrown_away = max(0, len(named) - len(queued))  # by a RUN=, and all that came before it
    event.reset = dict.fromkeys(named[:thrown_away], named[thrown_away] if thrown_away < len(named) else "")
    for place, command in zip(named[thrown_away:], queued, strict=False):
        event.commands[place].append(command)
    return event


def _note(event: UdevEvent, here: str, said: str, of_file: bool) -> None:
    if writes := next(filter(None, (form.fullmatch(said) for form in _WRITES)), None):
        event.writes[here].append((writes["path"], writes["value"]))
    elif _FAILED.match(said) and event.writes[here]:
        event.writes[here][-1] = event.writes[here][-1][0], None
    elif of_file and not _HARMLESS.search(said) and not _COMMAND.fullmatch(said):
        event.dropped.setdefault(here, said)
