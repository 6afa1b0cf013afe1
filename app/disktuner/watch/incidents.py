# SPDX-License-Identifier: GPL-3.0-or-later
"""Incidents: what was counted around the time when programs stood still, kept in files of the user's own."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

import msgspec

from disktuner.folders import config_folder, runtime_folder, state_folder
from disktuner.opening import read_regular
from disktuner.vocabulary.errors import NoSuchThing
from disktuner.watch.causes import Cause, Reason, cause_of, evidence
from disktuner.watch.kernel_log import kernel_lines
from disktuner.watch.samples import Program, Sample, stalled_within_s
from disktuner.writing import NotSaved, write_atomically

FORMAT: Literal["disktuner.incident/1"] = "disktuner.incident/1"
MOST, COMPLETED = 100, 3
"""The oldest go when there are more; the newest are completed by what the kernel said."""
LARGEST_BYTES = 4_000_000
"""Ten minutes of 40 busy disks take less than half of it."""
LARGEST_PATH = 4096
_ID = re.compile(r"\d{8}-\d{6}")


@dataclass(frozen=True, slots=True)
class About:
    """What a disk is: its model as the kernel has it, its scheduler then, and which of ``/`` and home it holds."""

    model: str = ""
    scheduler: str = ""
    holds: str = ""


@dataclass(frozen=True, slots=True)
class Incident:
    """When programs stood still, or when somebody ``asked`` to keep the last minutes; the cause follows from the rest.

    ``started`` is when it began (UTC, ISO 8601), ``begun_s`` and ``ended_s`` the same by the samples' clock.
    ``earlier`` is what programs moved before the first sample, ``kernel`` what the kernel said of faults of disks.
    """

    started: str
    begun_s: float
    ended_s: float
    asked: bool
    disks: Mapping[str, About]
    samples: tuple[Sample, ...]
    earlier: tuple[Program, ...] = ()
    kernel: tuple[str, ...] = ()
    format: Literal["disktuner.incident/1"] = FORMAT

    @property
    def id(self) -> str:
        """When it began, as its file is called."""
        return f"{datetime.fromisoformat(self.started).astimezone(UTC):%Y%m%d-%H%M%S}"

    @property
    def stalled_s(self) -> float:
        """For how long all programs waited."""
        return stalled_within_s([each for each in self.samples if self.begun_s <= each.time_s <= self.ended_s])

    @property
    def cause(self) -> Cause:
        """Why."""
        own = [name for name, about in self.disks.items() if about.holds]
        return cause_of(evidence(self.samples, self.begun_s, self.ended_s, own, self.earlier))


_DECODER = msgspec.json.Decoder(Incident)
"""Made at once: where two threads let msgspec look at a type for the first time, it crashes the program."""


def with_kernel_lines(incident: Incident) -> Incident:
    """Return it with what the kernel said of a disk that did not answer, where the user may read that. May wait."""
    if incident.kernel or incident.cause.reason not in (Reason.SILENT, Reason.GONE):
        return incident
    lasted_s = incident.ended_s - incident.begun_s
    return replace(incident, kernel=kernel_lines(datetime.fromisoformat(incident.started), lasted_s))


class Incidents:
    """The incidents in a folder that only this user reads. Attributes: ``folder``, ``second``.

    ``memory`` is a folder in memory: what the disk has not taken yet is there. ``second`` is one on another disk, for
    what the first never takes.
    """

    def __init__(self, folder: Path, memory: Path | None = None, second: Path | None = None) -> None:
        self.folder, self.second = folder, second
        self._memory = memory

    @classmethod
    def of_user(cls) -> Incidents:
        """Return those of the user who runs this."""
        memory = runtime_folder()
        return cls(state_folder() / "incidents", memory and memory / "incidents", chosen_second())

    def hold(self, incident: Incident) -> None:
        """Keep it in memory until it is saved, where there is such a place."""
        if self._memory:
            with suppress(NotSaved):
                _write(self._memory, incident)

    def save(self, incident: Incident) -> None:
        """Keep it; the oldest go. Raises ``NotSaved``."""
        _write(self.folder, incident)
        for old in _ids(self.folder)[MOST:]:
            self.remove(old)
        if self._memory:
            _remove(self._memory, incident.id)

    def rescue(self, incident: Incident) -> None:
        """Keep it in the second folder, where one was named. Raises ``NotSaved``."""
        if self.second:
            _write(self.second, incident)

    def complete(self) -> None:
        """Take over what another recorder held, and ask the kernel what it said meanwhile. May wait for long."""
        for id_ in self.ids()[:COMPLETED]:
            with suppress(NoSuchThing, NotSaved):
                incident = self.load(id_)
                complete = with_kernel_lines(incident)
                if complete != incident or id_ not in _ids(self.folder):
                    self.save(complete)

    def ids(self) -> list[str]:
        """All there are, the newest first."""
        return sorted({id_ for folder in self._folders for id_ in _ids(folder)}, reverse=True)

    @property
    def _folders(self) -> list[Path]:
        """What can't hold up comes first."""
        return [folder for folder in (self._memory, self.folder, self.second) if folder]

    def load(self, id_: str) -> Incident:
        """Read one. Raises ``NoSuchThing`` where there is none or it is none."""
        folder = next((each for each in self._folders if id_ in _ids(each)), self.folder)
        try:
            data = read_regular(_path(folder, id_), LARGEST_BYTES)
            found = _DECODER.decode(data)
            _ = found.id, found.stalled_s, found.cause  # what these cannot be told of is none
        except (OSError, msgspec.MsgspecError, ValueError, LookupError, OverflowError) as error:
            raise NoSuchThing("no-such-incident", incident=id_) from error
        return found

    def all(self) -> list[Incident]:
        """Those that can be read, the newest first."""
        found = []
        for id_ in self.ids():
            with suppress(NoSuchThing):
                found.append(self.load(id_))
        return found

    def remove(self, id_: str) -> None:
        """Delete one; nothing happens where it is gone."""
        for folder in self._folders:
            _remove(folder, id_)


def chosen_second() -> Path | None:
    """Return where incidents are in the second folder that the user named, None where none was.

    The folder itself is the user's, and keeps its mode.
    """
    try:
        named = read_regular(_choice(), LARGEST_PATH).decode().strip()
    except (OSError, UnicodeDecodeError):
        return None
    return Path(named, "disktuner-incidents") if named.startswith("/") else None


def choose_second(folder: Path | None) -> None:
    """Have incidents that their own disk does not take kept in this folder, on another disk; None: no more.

    Raises ``NotSaved``. A recorder that runs already heeds it once it is started anew.
    """
    write_atomically(_choice(), f"{folder or ''}\n".encode(), is_private=True)


def _choice() -> Path:
    return config_folder() / "watch-second"


def _write(folder: Path, incident: Incident) -> None:
    write_atomically(_path(folder, incident.id), msgspec.json.encode(incident), is_private=True)
    with suppress(OSError):
        folder.chmod(0o700)


def _ids(folder: Path) -> list[str]:
    try:
        names = os.listdir(folder)  # noqa: PTH208 - only names
    except OSError:
        return []
    return sorted((stem for name in names if _ID.fullmatch(stem := name.removesuffix(".json"))), reverse=True)


def _remove(folder: Path, id_: str) -> None:
    with suppress(OSError):
        _path(folder, id_).unlink()
        folder.rmdir()


def _path(folder: Path, id_: str) -> Path:
    if not _ID.fullmatch(id_):
        raise NoSuchThing("no-such-incident", incident=id_)
    return folder / f"{id_}.json"
