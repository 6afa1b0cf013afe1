# SPDX-License-Identifier: GPL-3.0-or-later
"""One disk's queue in /sys: read, validate, write, read back, and put back what was there."""

from __future__ import annotations

import errno
import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from disktuner_helper.contract import is_disk_name, is_scheduler_name
from disktuner_helper.errors import (
    InvalidTunable,
    NoSuchDisk,
    NoSuchScheduler,
    NotTunable,
    StaleDisk,
    WriteFailed,
)
from disktuner_helper.tunables import known

_READABLE = 4096
# The kernel rounds times to its clock tick: at most 10 ms (HZ=100).
_TICK = 10


@dataclass(frozen=True, slots=True)
class Setting:
    """What a disk's queue is set to: the scheduler and every known tunable that this kernel has."""

    scheduler: str
    tunables: Mapping[str, int]


class Queue:
    """An open disk: all reads and writes go to the disk that was opened, even if its name is reused meanwhile.

    Attributes: ``name``, ``diskseq`` (0 where the kernel has none), ``devno`` ("8:0").
    """

    def __init__(self, sys_block: Path, name: str) -> None:
        """Raises NoSuchDisk for anything but the plain name of a whole disk."""
        if not is_disk_name(name):
            raise NoSuchDisk("That is no disk's name; use the kernel's name, such as sda.")
        self.name = name
        try:
            self._folder = os.open(sys_block / name, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
        except OSError as error:
            raise NoSuchDisk("There is no such disk; look at the list of disks again.") from error
        try:
            self.diskseq = int(self._read("diskseq") or 0)
            self.devno = self._read("dev") or ""
        except ValueError as error:
            os.close(self._folder)
            raise NoSuchDisk("This disk cannot be identified.") from error

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.close(self._folder)

    def require(self, diskseq: int) -> None:
        """Raise StaleDisk unless this is the disk that the caller looked at."""
        if diskseq != self.diskseq:
            raise StaleDisk("This name now belongs to another disk; look at the list of disks again.")

    def require_tunable(self) -> None:
        """Raise NotTunable where there is no scheduler to choose."""
        self.offered  # noqa: B018 reading is the test

    @property
    def offered(self) -> tuple[str, ...]:
        """The schedulers that are registered now. Raises NotTunable where there is nothing to choose."""
        text = self._read("queue/scheduler")
        if not text:
            raise NotTunable("The kernel offers no scheduler for this disk; tune the disks below it.")
        return tuple(word.strip("[]") for word in text.split())

    @property
    def scheduler(self) -> str:
        """The active scheduler. Older kernels say a bare ``none`` where there is only that."""
        offered = self.offered
        chosen = [word for word in (self._read("queue/scheduler") or "").split() if word.startswith("[")]
        return chosen[0].strip("[]") if chosen else offered[0]

    @property
    def setting(self) -> Setting:
        """Everything that a switch may change, for putting it back."""
        scheduler = self.scheduler
        values = {name: self._number(name) for name in known(scheduler)}
        return Setting(scheduler, {name: value for name, value in values.items() if value is not None})

    def switch(self, scheduler: str) -> None:
        """Make a scheduler active; on any failure the old setting is back.

        Raises NoSuchScheduler, NotTunable (the write succeeded and did nothing: dm, md, zram) or WriteFailed.
        """
        if not is_scheduler_name(scheduler):
            raise NoSuchScheduler("That is no scheduler's name.")
        before = self.setting
        if before.scheduler == scheduler:
            return
        try:
            self._switch(scheduler)
        except (WriteFailed, NoSuchScheduler, NotTunable):
            self._restore_quietly(before)
            raise

    def tune(self, values: Mapping[str, int]) -> None:
        """Write tunables in the given order; on any failure all old values are back.

        Raises InvalidTunable where this kernel has no such tunable or refuses the value, else WriteFailed.
        """
        before = self.setting
        try:
            for name, value in values.items():
                self._tune(name, value)
        except (InvalidTunable, WriteFailed):
            self._restore_quietly(before)
            raise

    def restore(self, setting: Setting) -> None:
        """Put a setting back: scheduler first, because a switch resets the tunables. Raises WriteFailed & Co.

        Only what differs is written: a written wbt_lat_usec stops bfq from switching it off by itself.
        """
        if self.scheduler != setting.scheduler:
            self._switch(setting.scheduler)
        for name, value in setting.tunables.items():
            if self._number(name) not in (None, value):
                self._tune(name, value)

    def _restore_quietly(self, setting: Setting) -> None:
        with suppress(WriteFailed, NoSuchScheduler, NotTunable, InvalidTunable):
            self.restore(setting)

    def _switch(self, scheduler: str) -> None:
        offered = self.offered
        try:
            self._write("queue/scheduler", scheduler)
        except OSError as error:
            if error.errno == errno.EINVAL and scheduler not in offered:
                raise NoSuchScheduler("The kernel has no such scheduler for this disk.") from error
            raise WriteFailed(f"The kernel refused to switch: {os.strerror(error.errno or 0)}.") from error
        if self.scheduler != scheduler:
            raise NotTunable("The kernel took the scheduler and ignored it; tune the disks below this one.")

    def _tune(self, name: str, value: int) -> None:
        if self._number(name) is None:
            raise InvalidTunable(f"This disk has no {name} now.")
        try:
            self._write(_path(name), str(value))
        except OSError as error:
            if error.errno in (errno.EINVAL, errno.ERANGE):
                raise InvalidTunable(f"The kernel refuses this value of {name}.") from error
            raise WriteFailed(f"The kernel refused to set {name}: {os.strerror(error.errno or 0)}.") from error
        written = self._number(name)
        if written is None or abs(written - value) >= _TICK:
            raise WriteFailed(f"The kernel took {name} and did something else.")

    def _number(self, name: str) -> int | None:
        text = self._read(_path(name)) or ""
        return int(text) if text.removeprefix("-").isdigit() else None

    def _read(self, path: str) -> str | None:
        try:
            file = os.open(path, os.O_RDONLY | os.O_CLOEXEC, dir_fd=self._folder)
        except OSError:
            return None
        try:
            return os.read(file, _READABLE).decode("ascii", "replace").strip()
        except OSError:
            return None
        finally:
            os.close(file)

    def _write(self, path: str, text: str) -> None:
        file = os.open(path, os.O_WRONLY | os.O_CLOEXEC, dir_fd=self._folder)
        try:
            os.write(file, text.encode("ascii"))
        finally:
            os.close(file)


def _path(tunable: str) -> str:
    return tunable if tunable.startswith("queue/") else f"queue/{tunable}"
