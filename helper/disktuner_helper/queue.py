# SPDX-License-Identifier: GPL-3.0-or-later
"""One disk's queue in /sys, and how much may wait in memory for it: read, validate, write, read back, restore."""

import errno
import os
import re
import time
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from disktuner_helper import contract, errors

# The kernel rounds times to its clock tick: at most 10 ms (HZ=100).
_TICK = 10
# max_ratio and max_bytes both set this share of what may wait in memory for all disks, in millionths (Linux 6.2). Only
# it can be restored exactly: max_bytes follows the free memory, and max_ratio shows whole percents.
_SHARE, _OF_SHARE = "bdi/max_ratio_fine", ("bdi/max_ratio", "bdi/max_bytes")
# Each write below queue/ freezes the queue. On a zoned disk with writes in flight that never ended in Linux 6.10 to
# 6.12, and below dm-crypt up to 6.15 (blktests, tests zbd/012 and zbd/013).
_ZONED, _HANGS_SINCE, _QUIET_S = ("host-managed", "host-aware"), (6, 10), 0.5
# The closed list of tunables, in the order of writing; the app reads it too.
_DECLARED = tomllib.loads(Path(__file__).with_name("schedulers.toml").read_bytes().decode())
# Under these the kernel has wbt off.
LIMITING_WRITES = [name for name, row in _DECLARED["schedulers"].items() if row.get("limits_writes")]


@dataclass(frozen=True, slots=True)
class Setting:
    """A queue's scheduler and tunables, in the order of writing."""

    scheduler: str
    tunables: Mapping[str, int]

    @property
    def kept(self) -> Mapping[str, int]:
        """The tunables that the kernel stores, without those it derives whenever they are read."""
        derived = _OF_SHARE if _SHARE in self.tunables else ()
        return {name: value for name, value in self.tunables.items() if name not in derived}

    def change_from(self, before: "Setting") -> str:
        """Describe the change for the log."""
        tuned = (f"{name}: {before.tunables.get(name)} -> {value}" for name, value in self.tunables.items())
        return " ".join((f"{before.scheduler} -> {self.scheduler}", *tuned))


class Queue(AbstractContextManager["Queue"]):
    """An open disk: all reads and writes go to the disk that was opened, even if its name is reused.

    ``diskseq`` is 0 if the kernel has none, ``devno`` like "8:0".
    """

    def __init__(self, root: Path, name: str, diskseq: int | None = None, *, insists: bool = False) -> None:
        """Raises NoSuchDisk for anything but the plain name of a whole disk, StaleDisk if ``diskseq`` differs, and
        NotTunable if a change may hang, unless the caller ``insists``: then it is made only while nothing is written.
        """
        if not contract.DISK_NAME.fullmatch(name):
            raise errors.NoSuchDisk("not-a-disk-name")
        self.name = name
        self._quiet: list[str] | None = None
        no_such_disk = errors.NoSuchDisk("no-such-disk", disk=name)
        with errors.os_error_as("disk-not-opened", {errno.ENOENT: no_such_disk}, disk=name):
            self._folder = os.open(root / "sys/block" / name, os.O_PATH | os.O_DIRECTORY)
        try:
            self.diskseq = int(self._read("diskseq") or 0)
            self.devno = self._read("dev")
            if diskseq not in (None, self.diskseq):
                raise errors.StaleDisk("another-disk", disk=name)
            if self._may_hang and not insists:
                raise errors.NotTunable("zoned-may-hang", disk=name)
        except Exception:
            os.close(self._folder)
            raise

    def __exit__(self, *_: object) -> None:
        os.close(self._folder)

    @property
    def scheduler(self) -> str:
        """The active scheduler. Older kernels show a bare ``none`` if there is no other. Raises NotTunable."""
        words = self._read("queue/scheduler").split()
        if not words:
            raise errors.NotTunable("no-scheduler", disk=self.name)
        return next((word for word in words if word.startswith("[")), words[0]).strip("[]")

    @property
    def _may_hang(self) -> bool:
        """Whether freezing the queue may never end."""
        release = re.match(r"(\d{1,4})\.(\d{1,4})", os.uname().release)
        is_old = release is not None and (int(release[1]), int(release[2])) < _HANGS_SINCE
        return not is_old and self._read("queue/zoned") in _ZONED

    @property
    def setting(self) -> Setting:
        """Everything that a switch may change and this kernel has, also what callers may not set."""
        scheduler, attributes = self.scheduler, list[Path]()
        with suppress(FileNotFoundError):
            attributes = sorted(Path(f"/proc/self/fd/{self._folder}/queue/iosched").iterdir())
        names = (*known(scheduler), _SHARE, *(f"iosched/{file.name}" for file in attributes))
        values = {name: self._number(name) for name in dict.fromkeys(names)}
        return Setting(scheduler, {name: value for name, value in values.items() if value is not None})

    @contextmanager
    def undoing(self) -> Iterator[Setting]:
        """Yield the setting, which is restored if the body raises."""
        before = self.setting
        try:
            yield before
        except Exception:
            with suppress(errors.HelperError, OSError):
                self.restore(before)
            raise

    def restore(self, setting: Setting) -> None:
        """Restore a setting: the scheduler first, because a switch resets the tunables; then each remaining tunable.

        One that cannot be does not stop the others. Raises WriteFailed if one of the closed list is not what it was.
        """
        self.apply(Setting(setting.scheduler, {}))
        for name, value in setting.kept.items():
            with suppress(errors.HelperError, OSError):
                self.apply(Setting(setting.scheduler, {name: value}))
        now, listed = self.setting.tunables, {*known(setting.scheduler), _SHARE}
        if any(now.get(name, value) != value for name, value in setting.kept.items() if name in listed):
            raise errors.WriteFailed("not-taken-back", disk=self.name)

    def apply(self, wish: Setting) -> None:
        """Write what differs, and only that: a written wbt_lat_usec stops bfq from switching it off by itself.

        Raises NoSuchScheduler, NotTunable, InvalidTunable and WriteFailed, without undoing earlier writes.
        """
        if self.scheduler != wish.scheduler:
            self._switch(wish.scheduler)
        for name, value in wish.tunables.items():
            if self._number(name) != value:
                self._tune(name, value)

    def _switch(self, scheduler: str) -> None:
        refusal = errors.NoSuchScheduler("no-such-scheduler", disk=self.name)
        if not contract.SCHEDULER_NAME.fullmatch(scheduler):
            raise refusal
        if (module := module_of(scheduler)) and scheduler not in self._read("queue/scheduler").split():
            # No scheduler has this name, but the kernel loads the module of this name before it notices.
            with suppress(errors.HelperError):
                self._write("queue/scheduler", module, refusal)
        self._write("queue/scheduler", scheduler, refusal)
        if self.scheduler != scheduler:  # as on dm, md and zram
            raise errors.NotTunable("scheduler-ignored", disk=self.name)

    def _tune(self, name: str, value: int) -> None:
        refusal = errors.InvalidTunable("value-refused", disk=self.name, name=name)
        if self._number(name) is None:
            raise refusal
        if name == "queue/wbt_lat_usec":  # while bfq has it off, the kernel ignores a write of the stored number
            self._write("queue/wbt_lat_usec", "0", refusal)
        self._write(file_of(name), str(value), refusal)
        # What may wait is rounded to a millionth of the limit for all disks, which changes constantly.
        rounding = value // 4 if name == "bdi/max_bytes" else _TICK
        if (written := self._number(name)) is None or abs(written - value) >= rounding:
            raise errors.WriteFailed("value-altered", disk=self.name, name=name)

    def _number(self, name: str) -> int | None:
        text = self._read(file_of(name))
        return int(text) if text.removeprefix("-").isdigit() else None

    def _read(self, path: str) -> str:
        """Return the text of one of the disk's files; empty if there is none or it cannot be read."""
        unreadable = errors.os_error_as("file-not-read", file=path)
        with suppress(errors.WriteFailed), unreadable, open(path, "rb", 0, opener=self._open) as file:
            return file.read(4096).decode("ascii", "replace").strip()
        return ""

    def _write(self, path: str, text: str, refusal: errors.HelperError) -> None:
        """Raises ``refusal`` if the kernel finds the text invalid, else WriteFailed; Busy if the write may hang."""
        if path.startswith("queue/") and self._may_hang:
            self._require_quiet()
        invalid = {errno.EINVAL: refusal, errno.ERANGE: refusal}
        otherwise = errors.os_error_as("write-refused", invalid, disk=self.name, file=path)
        with otherwise, open(path, "wb", 0, opener=self._open) as file:
            file.write(text.encode("ascii"))

    def _require_quiet(self) -> None:
        """Raise Busy while anything is written to the disk."""
        if (before := self._written) == self._quiet:
            return  # all other calls wait meanwhile: one pause is enough
        time.sleep(_QUIET_S)
        if before != self._written or before[1:] != ["0"]:
            raise errors.Busy("zoned-is-written", disk=self.name)
        self._quiet = before

    @property
    def _written(self) -> list[str]:
        """Counts of completed writes and of requests in flight, as texts (Documentation/block/stat.rst)."""
        return self._read("stat").split()[4:9:4]

    def _open(self, path: str, flags: int) -> int:
        return os.open(path, flags, dir_fd=self._folder)


def file_of(name: str) -> str:
    """Return a tunable's path below the disk's folder."""
    return f"queue/{name}" if name.startswith("iosched/") else name


def known(scheduler: str) -> dict[str, range]:
    """Return the range of every tunable that may be set under a scheduler, in the order of writing."""
    rows = {**_DECLARED["tunables"]["all"], **_DECLARED["tunables"].get(scheduler, {})}
    return {name: range(least, most + 1) for name, (least, most, *_) in rows.items()}


def module_of(scheduler: str) -> str:
    """Return the NAME of a scheduler's module NAME-iosched; empty if it is the scheduler's."""
    return str(_DECLARED["schedulers"].get(scheduler, {}).get("module", ""))


def checked(scheduler: str, tunables: Mapping[str, str]) -> dict[str, int]:
    """Return tunables as integers in the order of writing. Raises InvalidTunable."""
    allowed = known(scheduler)
    if not tunables.keys() <= allowed.keys():
        raise errors.InvalidTunable("tunable-not-listed")
    if tunables.keys() >= {*_OF_SHARE}:
        raise errors.InvalidTunable("same-limit-twice")
    for name, text in tunables.items():
        limits = allowed[name]
        if not (text.isascii() and text.isdigit() and len(text) <= 12 and int(text) in limits):
            raise errors.InvalidTunable("tunable-out-of-range", name=name, low=limits.start, high=limits.stop - 1)
    return {name: int(tunables[name]) for name in allowed if name in tunables}
