# SPDX-License-Identifier: GPL-3.0-or-later
"""Portraits of disks, stored next to the results as lines that are added during the measurement.

Where it is cut off, whatever by, all lines before are there; what is said of a portrait is worked out anew from them.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any, Literal, Self, TypeAlias

import msgspec
from msgspec import Meta

from disktuner.block.disk import Disk
from disktuner.folders import data_folder
from disktuner.opening import read_regular
from disktuner.results.model import FileSystem, Machine
from disktuner.vocabulary.messages import Message
from disktuner.writing import not_saved, opened_folder

FORMAT: Literal["disktuner.portrait/1"] = "disktuner.portrait/1"
LARGEST_BYTES = 2**22
"""Two minutes of steps take a hundredth of this."""
Step: TypeAlias = Annotated[float, Meta(ge=1e-6, le=1e9)]
"""The seconds of a step; less or more is no time in which anything was written."""
_FILE = re.compile(r"\d{8}-\d{6}-[0-9a-f]+\.jsonl")


@dataclass(frozen=True, slots=True)
class Reads:
    """How long small reads took, alone or ``beside`` writing; ``reason`` as of a sample.

    ``written_bytes`` of the curve were written by their end.
    """

    written_bytes: int
    beside: bool
    p50_s: float
    slowest_tenth_s: float
    reason: Message | None = None


@dataclass(frozen=True, slots=True)
class Burst:
    """The speed of a short write ``after_s`` after the writing had ended."""

    after_s: float
    bytes_per_s: float


@dataclass(frozen=True, slots=True)
class Copied:
    """A copy through the page cache: done after ``done_s``, and safe ``gap_s`` later; ``reason`` as of a sample."""

    size_bytes: int
    done_s: float
    gap_s: float
    reason: Message | None = None


@dataclass(frozen=True, slots=True)
class Added:
    """A line: what one step adds to a portrait.

    ``steps_s`` is how long it took to write further steps, ``curve_reason`` what is wrong with all of them, or
    disturbed them.
    """

    steps_s: tuple[Step, ...] = ()
    curve_reason: Message | None = None
    reads: Reads | None = None
    burst: Burst | None = None
    copied: Copied | None = None
    is_last: bool = False


@dataclass(frozen=True, slots=True)
class Portrait:
    """One portrait; the first line of its file is one without what was measured.

    ``disk`` is as ``list --json`` prints it, ``says`` what the disk says of itself. ``most_bytes`` is what was
    announced, ``earlier_bytes`` what was written just before the first of the steps of ``step_bytes``.
    """

    id: str
    created: str
    app_version: str
    machine: Machine
    disk: Mapping[str, Any]
    filesystem: FileSystem
    most_bytes: int
    step_bytes: Annotated[int, Meta(gt=0, le=2**50)]
    earlier_bytes: Annotated[int, Meta(ge=0, le=2**63 - 1)] = 0
    says: tuple[Message, ...] = ()
    steps_s: tuple[Step, ...] = ()
    curve_reason: Message | None = None
    reads: tuple[Reads, ...] = ()
    bursts: tuple[Burst, ...] = ()
    copied: Copied | None = None
    finished: bool = False
    format: Literal["disktuner.portrait/1"] = field(default=FORMAT, kw_only=True)

    @property
    def is_empty(self) -> bool:
        """Whether nothing has been measured yet."""
        return not (self.steps_s or self.reads)

    def plus(self, added: Added) -> Self:
        """Return the portrait with a step added."""
        return replace(
            self,
            steps_s=(*self.steps_s, *added.steps_s),
            curve_reason=added.curve_reason or self.curve_reason,
            reads=(*self.reads, *([added.reads] if added.reads else ())),
            bursts=(*self.bursts, *([added.burst] if added.burst else ())),
            copied=added.copied or self.copied,
            finished=added.is_last,
        )


_HEAD, _LINE = msgspec.json.Decoder(Portrait), msgspec.json.Decoder(Added)
"""Made at import: msgspec crashes if two threads inspect a type for the first time."""


class Portraits:
    """The portraits in a folder. Attributes: ``folder``, made when the first is saved."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder or data_folder() / "portraits"

    def newest_of(self, disk: Disk, tells: Callable[[Portrait], bool] = lambda _: True) -> Portrait | None:
        """Return the newest portrait of a disk with anything measured that ``tells`` what is wanted, if any."""
        known = (entry for entry in self._all() if disk.may_be(entry.disk) and not entry.is_empty)
        return next(filter(tells, known), None)

    def file_of(self, portrait: Portrait) -> Path:
        """Return the path of a portrait."""
        return self.folder / f"{portrait.id}.jsonl"

    def _all(self) -> Iterator[Portrait]:
        """Yield those that can be read, newest first."""
        with suppress(OSError):
            for name in sorted(os.listdir(self.folder), reverse=True):  # noqa: PTH208 - only names
                if _FILE.fullmatch(name):
                    with suppress(OSError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
                        yield _read(read_regular(self.folder / name, LARGEST_BYTES))


def _read(data: bytes) -> Portrait:
    """Return what the lines say as far as they go; the last may have been cut off."""
    head, *lines = data.split(b"\n")
    portrait = _HEAD.decode(head)
    for line in lines[:-1]:
        portrait = portrait.plus(_LINE.decode(line))
    return portrait


class PortraitFile:
    """Keeps a portrait line by line; nothing is made before the first. Attributes: ``portrait`` so far, ``path``."""

    def __init__(self, store: Portraits, empty: Portrait) -> None:
        self.portrait, self.path = empty, store.file_of(empty)
        self._fd = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._fd >= 0:
            with suppress(OSError):
                os.fsync(self._fd)
            os.close(self._fd)

    def add(self, added: Added) -> None:
        """Keep what a step added, in memory for as long as the kernel likes: it may lie on the disk that is measured.

        Raises ``NotSaved``.
        """
        try:
            if self._fd < 0:
                self._begin()
            os.write(self._fd, msgspec.json.encode(added) + b"\n")
        except OSError as error:
            raise not_saved(self.path, error) from error
        self.portrait = self.portrait.plus(added)

    def _begin(self) -> None:
        folder = opened_folder(self.path)
        try:
            flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
            self._fd = os.open(self.path.name, flags, 0o600, dir_fd=folder)
            os.write(self._fd, msgspec.json.encode(self.portrait) + b"\n")
        finally:
            os.close(folder)
