# SPDX-License-Identifier: GPL-3.0-or-later
"""Incidents: what was counted around the time when programs stood still, kept in files of the user's own."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

import msgspec

from disktuner.folders import state_folder
from disktuner.opening import read_regular
from disktuner.vocabulary.errors import NoSuchThing
from disktuner.watch.causes import Cause, cause_of, evidence
from disktuner.watch.samples import Program, Sample, stalled_within_s
from disktuner.writing import write_atomically

FORMAT: Literal["disktuner.incident/1"] = "disktuner.incident/1"
MOST = 100
"""The oldest go when there are more."""
LARGEST_BYTES = 4_000_000
"""Ten minutes of 40 busy disks take less than half of it."""
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
    ``earlier`` is what programs moved before the first sample.
    """

    started: str
    begun_s: float
    ended_s: float
    asked: bool
    disks: Mapping[str, About]
    samples: tuple[Sample, ...]
    earlier: tuple[Program, ...] = ()
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


class Incidents:
    """The incidents in a folder that only this user reads. Attributes: ``folder``."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder or state_folder() / "incidents"

    def save(self, incident: Incident) -> None:
        """Keep it; the oldest go. Raises ``NotSaved``."""
        write_atomically(self._path(incident.id), msgspec.json.encode(incident), is_private=True)
        with suppress(OSError):
            self.folder.chmod(0o700)
        for old in self.ids()[MOST:]:
            self.remove(old)

    def ids(self) -> list[str]:
        """All there are, the newest first."""
        try:
            names = os.listdir(self.folder)  # noqa: PTH208 - only names
        except OSError:
            return []
        return sorted((stem for name in names if _ID.fullmatch(stem := name.removesuffix(".json"))), reverse=True)

    def load(self, id_: str) -> Incident:
        """Read one. Raises ``NoSuchThing`` where there is none or it is none."""
        try:
            data = read_regular(self._path(id_), LARGEST_BYTES)
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
        with suppress(OSError):
            self._path(id_).unlink()

    def _path(self, id_: str) -> Path:
        if not _ID.fullmatch(id_):
            raise NoSuchThing("no-such-incident", incident=id_)
        return self.folder / f"{id_}.json"
