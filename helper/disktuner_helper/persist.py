# SPDX-License-Identifier: GPL-3.0-or-later
"""The one udev rule file: a commented block per disk, written whole; what others wrote in it stays."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from disktuner_helper import files
from disktuner_helper.contract import Places, is_scheduler_name
from disktuner_helper.errors import HelperError, NoSuchDisk, WriteFailed
from disktuner_helper.identity import KEYS, Identity, disks_with, identify, properties, title
from disktuner_helper.snapshot import now
from disktuner_helper.tunables import checked

_HEADER = (
    "# Written by Disktuner: how disks order their work at every start, one block per disk.\n"
    "# `disktuner forget DISK` takes a block out. Other lines of yours stay as they are.\n"
)
_MATCH = 'ACTION=="add|change", SUBSYSTEM=="block", ENV{{DEVTYPE}}=="disk", ENV{{{key}}}=="{value}", {held}, '
# A file of this name (the disk's device number) lies there while the disk is measured.
_NOT_HELD = 'TEST!="/run/disktuner/hold/%M:%m"'
_BLOCK = re.compile(
    r"^# disktuner: begin (?P<key>[A-Z_]{1,32})=(?P<value>[A-Za-z0-9_.:-]{1,128})\n"
    r"# (?P<title>[A-Za-z0-9_.:!+ -]{0,64}) \((?P<disk>[A-Za-z0-9!_.-]{1,32})\), known by [^\n]{0,80}; "
    r"chosen (?P<since>[0-9TZ:-]{20})\n"
    r"(?P<rules>(?:ACTION==[^\n]{0,600}\n){1,40})"
    r"# disktuner: end\n",
    re.MULTILINE | re.ASCII,
)
_ASSIGNMENT = re.compile(r'ATTR\{queue/([a-z_/]{1,40})\}="([A-Za-z0-9_-]{1,16})"$', re.ASCII)


@dataclass(frozen=True, slots=True)
class Choice:
    """What one disk gets at every start. ``disk`` and ``title`` are what it was called at ``since`` (UTC)."""

    identity: Identity
    disk: str
    title: str
    since: str
    scheduler: str
    tunables: Mapping[str, int]

    @property
    def block(self) -> str:
        """The block of the rule file: scheduler first, because a switch resets the tunables."""
        known_by = KEYS[self.identity.key]
        match = _MATCH.format(key=self.identity.key, value=self.identity.value, held=_NOT_HELD)
        wishes = {"scheduler": self.scheduler}
        wishes |= {name.removeprefix("queue/"): str(value) for name, value in self.tunables.items()}
        lines = "".join(f'{match}ATTR{{queue/{name}}}="{value}"\n' for name, value in wishes.items())
        return (
            f"# disktuner: begin {self.identity.key}={self.identity.value}\n"
            f"# {self.title} ({self.disk}), known by {known_by}; chosen {self.since}\n"
            f"{lines}# disktuner: end\n"
        )

    def to_json(self) -> dict[str, Any]:
        """As GetState and /var/lib/disktuner show it."""
        return {
            "key": self.identity.key,
            "value": self.identity.value,
            "disk": self.disk,
            "title": self.title,
            "since": self.since,
            "scheduler": self.scheduler,
            "tunables": dict(self.tunables),
        }


class Persistent:
    """The persistent choices. The rule file is the truth; /var/lib/disktuner holds a copy for comparison."""

    def __init__(self, places: Places) -> None:
        self._places = places
        self.file: Path = places.rules / "90-disktuner.rules"
        self._record = places.lib / "persistent.json"

    def choose(self, disk: str, scheduler: str, tunables: Mapping[str, int]) -> Choice:
        """A choice for a disk that is here. Raises NotUnique."""
        model, _ = title(self._places, disk)
        return Choice(identify(self._places, disk), disk, model, now(), scheduler, tunables)

    def write(self, choice: Choice) -> None:
        """Put a disk's block into the file, in the place of its old one. Raises WriteFailed."""
        text = self._text()
        old = next((found for found in self._mine(text) if found[0].identity == choice.identity), None)
        if old is None:
            _require_finished(text)
            text = (text or _HEADER) + ("" if not text or text.endswith("\n") else "\n") + choice.block
        else:
            text = text[: old[1].start()] + choice.block + text[old[1].end() :]
        self._store(text)

    def forget(self, disk: str) -> list[Choice]:
        """Take out the blocks of a disk, or of one of that name that is gone; returns them.

        Raises NoSuchDisk where there is neither such a disk nor such a block, and WriteFailed.
        """
        own = properties(self._places, disk)
        gone = self._take_out(lambda choice: own.get(choice.identity.key) == choice.identity.value)
        if not gone:
            gone = self._take_out(lambda choice: choice.disk == disk and not disks_with(self._places, choice.identity))
        if not gone and not own and not (self._places.sys_block / disk).is_dir():
            raise NoSuchDisk("There is no such disk and no choice for one of that name.")
        return gone

    def forget_all(self) -> list[Choice]:
        """Take out all blocks that Disktuner wrote; returns them. Raises WriteFailed."""
        return self._take_out(lambda _: True)

    @property
    def choices(self) -> tuple[Choice, ...]:
        """What is chosen for good. Raises WriteFailed where the file cannot be read."""
        return tuple(choice for choice, _ in self._mine(self._text()))

    @property
    def unreadable(self) -> tuple[int, ...]:
        """The lines (from 1) that Disktuner did not write and does not touch."""
        text = self._text()
        rest = list(text)
        for _, match in self._mine(text):
            rest[match.start() : match.end()] = [char if char == "\n" else " " for char in match.group()]
        lines = "".join(rest).removeprefix(_HEADER).split("\n")
        skipped = text.startswith(_HEADER) * _HEADER.count("\n")
        return tuple(number for number, line in enumerate(lines, skipped + 1) if line.strip())

    def _take_out(self, unwanted: Callable[[Choice], bool]) -> list[Choice]:
        text = self._text()
        found = [(choice, match) for choice, match in self._mine(text) if unwanted(choice)]
        for _, match in reversed(found):
            text = text[: match.start()] + text[match.end() :]
        if found:
            self._store(text)
        return [choice for choice, _ in found]

    def _store(self, text: str) -> None:
        if text.strip() in ("", _HEADER.strip()):
            files.remove(self.file)
        else:
            files.replace(self.file, text.encode("utf-8", "surrogateescape"))
        record = {f"{one.identity.key}={one.identity.value}": one.to_json() for one, _ in self._mine(text)}
        files.replace_json(self._record, record)

    def _text(self) -> str:
        return (files.read(self.file) or b"").decode("utf-8", "surrogateescape")

    def _mine(self, text: str) -> list[tuple[Choice, re.Match[str]]]:
        """The blocks that are exactly as Disktuner writes them; anything else is somebody's own."""
        parsed = ((_parsed(match), match) for match in _BLOCK.finditer(text))
        return [(choice, match) for choice, match in parsed if choice and choice.block == match.group()]


def _parsed(match: re.Match[str]) -> Choice | None:
    wishes = [_ASSIGNMENT.search(line) for line in match["rules"].splitlines()]
    pairs = [wish.groups() for wish in wishes if wish]
    if match["key"] not in KEYS or not pairs or pairs[0][0] != "scheduler" or not is_scheduler_name(pairs[0][1]):
        return None
    try:
        tunables = checked(pairs[0][1], dict(_named(pairs[1:])))
    except HelperError:
        return None
    identity = Identity(match["key"], match["value"])
    return Choice(identity, match["disk"], match["title"], match["since"], pairs[0][1], tunables)


def _named(pairs: Iterable[tuple[str | Any, ...]]) -> Iterable[tuple[str, str]]:
    return ((name if name.startswith("iosched/") else f"queue/{name}", value) for name, value in pairs)


def _require_finished(text: str) -> None:
    """A line that ends with a backslash would swallow the first line of a block below it."""
    written = [line for line in text.split("\n") if line.strip() and not line.lstrip().startswith("#")]
    if written and written[-1].endswith("\\"):
        raise WriteFailed("The rule file ends in an unfinished line; finish or remove that line.")
