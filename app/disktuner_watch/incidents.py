# SPDX-License-Identifier: GPL-3.0-or-later
"""Incidents: the samples around the time when programs stood still, saved in the user's files."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Literal

import msgspec

from disktuner.folders import config_folder, runtime_folder, state_folder
from disktuner.vocabulary.errors import NoSuchThing
from disktuner.writing import NotSaved, not_saved, write_atomically
from disktuner_watch.causes import Cause, FreezeReason, cause_of, evidence
from disktuner_watch.files import files_in, names_in, remove
from disktuner_watch.folder import ANSWER_S, Folder
from disktuner_watch.kernel_log import kernel_lines
from disktuner_watch.samples import Program, Sample, stalled_within_s

FORMAT: Literal["disktuner.incident/1"] = "disktuner.incident/1"
MOST, MOST_WAITING, COMPLETED = 100, 20, 3
"""The most that are saved, and that wait in memory; how many of the newest get the kernel's messages at start."""
_CHOICE = "watch-second"
_ID = re.compile(r"\d{8}-\d{6}")


@dataclass(frozen=True, slots=True)
class About:
    """A disk's model as the kernel names it, its scheduler at the time, and which of ``/`` and home it holds."""

    model: str = ""
    scheduler: str = ""
    holds: str = ""


@dataclass(frozen=True, slots=True)
class Incident:
    """A time when programs stood still, or for which the user ``asked``; the cause follows from the samples.

    ``started`` is its beginning (UTC, ISO 8601); ``begun_s`` and ``ended_s`` are by the samples' clock. ``earlier`` is
    what programs moved before the first sample, ``kernel`` the kernel's messages on disk faults.
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
        """Its beginning in UTC, which names its file."""
        return f"{datetime.fromisoformat(self.started).astimezone(UTC):%Y%m%d-%H%M%S}"

    @property
    def stalled_s(self) -> float:
        """For how long all programs waited."""
        return stalled_within_s([sample for sample in self.samples if self.begun_s <= sample.time_s <= self.ended_s])

    @property
    def cause(self) -> Cause:
        """The cause, worked out from the samples."""
        system_disks = [name for name, about in self.disks.items() if about.holds]
        return cause_of(evidence(self.samples, self.begun_s, self.ended_s, system_disks, self.earlier))


_DECODER = msgspec.json.Decoder(Incident)
"""Made at import: msgspec crashes if two threads inspect a type for the first time."""


def with_kernel_lines(incident: Incident) -> Incident:
    """Return the incident with the kernel's messages on a silent or lost disk, if the user may read them. May wait."""
    if incident.kernel or incident.cause.reason not in (FreezeReason.SILENT, FreezeReason.GONE):
        return incident
    lasted_s = incident.ended_s - incident.begun_s
    return replace(incident, kernel=kernel_lines(datetime.fromisoformat(incident.started), lasted_s))


class Incidents:
    """The incidents in a folder that only this user reads. Attributes: ``folder``, ``second``.

    ``memory`` is a folder in memory for what the disk has not accepted yet. ``second`` returns, within a number of
    seconds, a folder on another disk for what the first never accepts. Listing, reading and deleting do not wait for
    a disk that does not answer.
    """

    def __init__(
        self,
        folder: Path,
        memory: Path | None = None,
        second: Callable[[float | None], Path | None] = lambda _: None,
    ) -> None:
        self.folder = folder
        self._memory = memory
        self._choose_second = second
        self._folders_by_path: dict[Path, Folder] = {}
        self._waiting: dict[str, tuple[Incident, bool]] = {}

    @classmethod
    def of_user(cls) -> Incidents:
        """Return the incidents of the current user."""
        memory = runtime_folder()
        return cls(state_folder() / "incidents", memory and memory / "incidents", chosen_second)

    @cached_property
    def second(self) -> Path | None:
        """The second folder; None if none was chosen, or the disk that knows it did not answer."""
        return self._choose_second(ANSWER_S)

    @property
    def _on_disks(self) -> list[Folder]:
        return [self._folders_by_path.setdefault(path, Folder(path)) for path in (self.folder, self.second) if path]

    @property
    def silent(self) -> list[Path]:
        """The folders whose disk did not answer when last asked."""
        return [folder.path for folder in self._on_disks if folder.is_silent]

    def hold(self, incident: Incident, *, is_over: bool = True) -> bool:
        """Hold an incident in memory, for other processes too, until it is saved; false if there is no such folder.

        The disk may never accept it: of many that wait, the first, which show how it began, and the newest stay.
        """
        if incident.id not in self._waiting and len(self._waiting) >= MOST_WAITING:
            dropped, _ = self._waiting.popitem()
            if self._memory:
                remove(self._memory, _file(dropped))
        self._waiting[incident.id] = incident, is_over
        if self._memory:
            with suppress(NotSaved):
                _write(self._memory, incident)
                return True
        return False

    def held(self, id_: str) -> tuple[Incident | None, bool]:
        """Release what was last held under an id, and whether it was over; None if it was dropped."""
        return self._waiting.pop(id_, (None, False))

    def save(self, incident: Incident) -> None:
        """Save an incident and delete the oldest ones. May wait for long. Raises ``NotSaved``."""
        _write(self.folder, incident)
        for old in _newest(names_in(self.folder))[MOST:]:
            for folder in filter(None, (self._memory, self.folder, self.second)):
                remove(folder, _file(old))
        if self._memory:
            remove(self._memory, _file(incident.id))

    def rescue(self, incident: Incident) -> bool:
        """Save an incident in the second folder; false if none was chosen. Raises ``NotSaved``, also for a link."""
        if self.second is None:
            return False
        try:
            self.second.mkdir(0o700, exist_ok=True)
            handle = os.open(self.second, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        except OSError as error:
            raise not_saved(self.second, error) from error
        try:
            _write(Path(f"/proc/self/fd/{handle}"), incident)
        finally:
            os.close(handle)
        return True

    def complete(self) -> None:
        """Save what an earlier recorder still held, with the kernel's messages since. May wait for long."""
        self.second = self._choose_second(None)
        for id_ in self.ids()[:COMPLETED]:
            with suppress(NoSuchThing, NotSaved):
                incident = self.load(id_)
                complete = with_kernel_lines(incident)
                if complete != incident or id_ not in _newest(names_in(self.folder)):
                    self.save(complete)

    def ids(self) -> list[str]:
        """All ids, the newest first."""
        in_memory = names_in(self._memory) if self._memory else []
        return _newest([*in_memory, *(name for folder in self._on_disks for name in folder.names())])

    def load(self, id_: str) -> Incident:
        """Read an incident. Raises ``NoSuchThing`` if there is none or its disk does not answer."""
        content = self._files([_file(id_)]).get(_file(id_), b"")
        if not content and self.silent:
            raise NoSuchThing("incidents-silent", folder=str(self.silent[0]))
        return _decode(id_, content)

    def all(self) -> list[Incident]:
        """All readable incidents, the newest first."""
        files, incidents = self._files([_file(id_) for id_ in self.ids()]), []
        for name in sorted(files, reverse=True):
            with suppress(NoSuchThing):
                incidents.append(_decode(Path(name).stem, files[name]))
        return incidents

    def _files(self, names: list[str]) -> dict[str, bytes]:
        """Return the contents of the files with these names; disks are asked only for those not in memory."""
        files = files_in(self._memory, names) if self._memory else {}
        for folder in self._on_disks:
            files |= folder.files(name for name in names if name not in files)
        return files

    def remove(self, id_: str) -> None:
        """Delete an incident, if it still exists. Raises ``NotSaved`` if a disk does not answer."""
        if self._memory:
            remove(self._memory, _file(id_))
        for folder in self._on_disks:
            folder.remove(_file(id_))
        if self.silent:
            raise NotSaved("incident-not-removed", folder=str(self.silent[0]))


def chosen_second(answer_s: float | None = ANSWER_S) -> Path | None:
    """Return the place for incidents in the second folder; None if none was chosen, or the disk that knows it does not
    answer in time.

    It is a folder within the user's, which keeps its mode.
    """
    path = os.fsdecode(Folder(config_folder(), answer_s).files([_CHOICE]).get(_CHOICE, b"").strip())
    return Path(path, "disktuner-incidents") if path.startswith("/") else None


def choose_second(folder: Path | None) -> None:
    """Have incidents that their disk does not accept saved in this folder on another disk; None: in none.

    Raises ``NotSaved``. A running recorder heeds this once restarted.
    """
    write_atomically(config_folder() / _CHOICE, f"{folder or ''}\n".encode(), is_private=True)


def _decode(id_: str, content: bytes) -> Incident:
    try:
        incident = _DECODER.decode(content)
        _ = incident.id, incident.stalled_s, incident.cause  # what these cannot be told of is none
    except (msgspec.MsgspecError, ValueError, LookupError, OverflowError) as error:
        raise NoSuchThing("no-such-incident", incident=id_) from error
    return incident


def _write(folder: Path, incident: Incident) -> None:
    write_atomically(folder / _file(incident.id), msgspec.json.encode(incident), is_private=True)
    with suppress(OSError):
        folder.chmod(0o700)


def _newest(names: Iterable[str]) -> list[str]:
    """Return the ids of the incidents among files, the newest first."""
    return sorted({stem for name in names if _ID.fullmatch(stem := name.removesuffix(".json"))}, reverse=True)


def _file(id_: str) -> str:
    if not _ID.fullmatch(id_):
        raise NoSuchThing("no-such-incident", incident=id_)
    return f"{id_}.json"
