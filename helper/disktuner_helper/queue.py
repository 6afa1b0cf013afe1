# SPDX-License-Identifier: GPL-3.0-or-later
"""One disk's queue, and how much may wait in memory for it, in /sys: read, validate, write, read back, put back.

The closed list of tunables and their order of writing are in schedulers.toml, which the app reads, too.
"""

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
# max_ratio and max_bytes both set this share of what may wait in memory for all disks, in millionths (Linux 6.2). It
# alone goes back exactly: max_bytes follows the memory that is free, and max_ratio shows whole percents.
_SHARE, _OF_SHARE = "bdi/max_ratio_fine", ("bdi/max_ratio", "bdi/max_bytes")
# Each write below queue/ freezes the queue. Of a zoned disk that has never ended beside writes in Linux 6.10 to 6.12,
# and below dm-crypt up to 6.15 (blktests, tests zbd/012 and zbd/013).
_ZONED, _HANGS_SINCE, _QUIET_S = ("host-managed", "host-aware"), (6, 10), 0.5
_DECLARED = tomllib.loads(Path(__file__).with_name("schedulers.toml").read_bytes().decode())


@dataclass(frozen=True, slots=True)
class Setting:
    """What a disk's queue is set to: the scheduler and tunables, in the order of writing."""

    scheduler: str
    tunables: Mapping[str, int]

    @property
    def kept(self) -> Mapping[str, int]:
        """The tunables as the kernel keeps them: without what it works out anew whenever it is read."""
        derived = _OF_SHARE if _SHARE in self.tunables else ()
        return {name: value for name, value in self.tunables.items() if name not in derived}

    def is_same_as(self, other: "Setting") -> bool:
        return (self.scheduler, self.kept) == (other.scheduler, other.kept)

    def change_from(self, before: "Setting") -> str:
        """What changes with it, for the log."""
        tuned = (f"{name}: {before.tunables.get(name)} -> {value}" for name, value in self.tunables.items())
        return " ".join((f"{before.scheduler} -> {self.scheduler}", *tuned))


class Queue(AbstractContextManager["Queue"]):
    """An open disk: all reads and writes go to the disk that was opened, even if its name is reused meanwhile.

    Attributes: ``name``, ``diskseq`` (0 where the kernel has none), ``devno`` ("8:0").
    """

    def __init__(self, root: Path, name: str, diskseq: int | None = None, *, insists: bool = False) -> None:
        """Raises NoSuchDisk for anything but the plain name of a whole disk, StaleDisk if it is not the one meant, and
        NotTunable where a change may hang, unless somebody ``insists``: then it is made while nothing is written.
        """
        if not contract.DISK_NAME.fullmatch(name):
            raise errors.NoSuchDisk("not-a-disk-name")
        self.name = name
        self._quiet: list[str] | None = None
        gone = errors.NoSuchDisk("no-such-disk", disk=name)
        with errors.os_error_as("disk-not-opened", {errno.ENOENT: gone}, disk=name):
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
        """The active scheduler. Older kernels say a bare ``none`` where there is only that. Raises NotTunable."""
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
        """Everything that a switch may change and this kernel has, for putting it back: whatever the scheduler keeps.

        Out-of-tree schedulers have tunables that nobody may set here; they get them back nevertheless.
        """
        scheduler, own = self.scheduler, list[Path]()
        with suppress(FileNotFoundError):
            own = sorted(Path(f"/proc/self/fd/{self._folder}/queue/iosched").iterdir())
        names = (*known(scheduler), _SHARE, *(f"iosched/{file.name}" for file in own))
        values = {name: self._number(name) for name in dict.fromkeys(names)}
        return Setting(scheduler, {name: value for name, value in values.items() if value is not None})

    @contextmanager
    def undoing(self, before: Setting) -> Iterator[None]:
        """Where what is done meanwhile fails, ``before`` is back."""
        try:
            yield
        except Exception:
            with suppress(errors.HelperError, OSError):
                self.restore(before)
            raise

    def restore(self, setting: Setting) -> None:
        """Put a setting back: scheduler first, because a switch resets the tunables; then each that is still there.

        One that cannot go back does not keep the others from it. Raises what ``apply`` does for the scheduler, and
        WriteFailed where a tunable of the closed list is not what it was.
        """
        self.apply(Setting(setting.scheduler, {}))
        for name, value in setting.kept.items():
            with suppress(errors.HelperError, OSError):
                self.apply(Setting(setting.scheduler, {name: value}))
        now, mine = self.setting.tunables, {*known(setting.scheduler), _SHARE}
        if any(now.get(name, value) != value for name, value in setting.kept.items() if name in mine):
            raise errors.WriteFailed("not-taken-back", disk=self.name)

    def apply(self, wish: Setting) -> None:
        """Write it; only what differs: a written wbt_lat_usec stops bfq from switching it off by itself.

        Raises NoSuchScheduler, NotTunable (the write succeeded and did nothing: dm, md, zram), InvalidTunable (this
        kernel has no such tunable or refuses the value) and WriteFailed, and leaves what was written by then.
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
            # No scheduler is called so, but the kernel loads the module by that name before it finds that out.
            with suppress(errors.HelperError):
                self._write("queue/scheduler", module, refusal)
        self._write("queue/scheduler", scheduler, refusal)
        if self.scheduler != scheduler:
            raise errors.NotTunable("scheduler-ignored", disk=self.name)

    def _tune(self, name: str, value: int) -> None:
        refusal = errors.InvalidTunable("value-refused", disk=self.name, name=name)
        if self._number(name) is None:
            raise refusal
        if name == "queue/wbt_lat_usec":  # while bfq has it off, the kernel ignores a write of the number it keeps
            self._write("queue/wbt_lat_usec", "0", refusal)
        self._write(file_of(name), str(value), refusal)
        # What may wait is rounded to a millionth of what may wait for all disks, and that changes all the time.
        rounding = value // 4 if name == "bdi/max_bytes" else _TICK
        if (written := self._number(name)) is None or abs(written - value) >= rounding:
            raise errors.WriteFailed("value-altered", disk=self.name, name=name)

    def _number(self, name: str) -> int | None:
        text = self._read(file_of(name))
        return int(text) if text.removeprefix("-").isdigit() else None

    def _read(self, path: str) -> str:
        """The text of a file of the disk's; empty where there is none or the kernel has nothing to say."""
        unreadable = errors.os_error_as("file-not-read", file=path)
        with suppress(errors.WriteFailed), unreadable, open(path, "rb", 0, opener=self._open) as file:
            return file.read(4096).decode("ascii", "replace").strip()
        return ""

    def _write(self, path: str, text: str, refusal: errors.HelperError) -> None:
        """Raises ``refusal`` where the kernel finds the text invalid, else WriteFailed; Busy where that may hang."""
        if path.startswith("queue/") and self._may_hang:
            self._require_quiet()
        invalid = {errno.EINVAL: refusal, errno.ERANGE: refusal}
        otherwise = errors.os_error_as("write-refused", invalid, disk=self.name, file=path)
        with otherwise, open(path, "wb", 0, opener=self._open) as file:
            file.write(text.encode("ascii"))

    def _require_quiet(self) -> None:
        """Raise Busy while anything is written. Everybody else waits meanwhile: so only once, if nothing was since."""
        if (before := self._written) == self._quiet:
            return
        time.sleep(_QUIET_S)
        if before != self._written or before[1:] != ["0"]:
            raise errors.Busy("zoned-is-written", disk=self.name)
        self._quiet = before

    @property
    def _written(self) -> list[str]:
        """How many writes have ended, and how many requests are under way (Documentation/block/stat.rst)."""
        return self._read("stat").split()[4:9:4]

    def _open(self, path: str, flags: int) -> int:
        return os.open(path, flags, dir_fd=self._folder)


def file_of(name: str) -> str:
    """Where a tunable lies below the disk's folder."""
    return f"queue/{name}" if name.startswith("iosched/") else name


def known(scheduler: str) -> dict[str, range]:
    """Every tunable that may be set while this scheduler is active, in the order of writing."""
    rows = {**_DECLARED["tunables"]["all"], **_DECLARED["tunables"].get(scheduler, {})}
    return {name: range(least, most + 1) for name, (least, most, *_) in rows.items()}


def module_of(scheduler: str) -> str:
    """The name by which the kernel finds a scheduler's module, as NAME-iosched; empty where that is its own."""
    return str(_DECLARED["schedulers"].get(scheduler, {}).get("module", ""))


def limiting_writes() -> list[str]:
    """The schedulers under which the kernel has wbt off."""
    return [name for name, row in _DECLARED["schedulers"].items() if row.get("limits_writes")]


def checked(scheduler: str, tunables: Mapping[str, str]) -> dict[str, int]:
    """The wish as integers in the order of writing. Raises InvalidTunable."""
    allowed = known(scheduler)
    if not tunables.keys() <= allowed.keys():
        raise errors.InvalidTunable("tunable-not-listed")
    if tunables.keys() >= {*_OF_SHARE}:
        raise errors.InvalidTunable("same-limit-twice")
    return {name: _in_range(name, tunables[name], limits) for name, limits in allowed.items() if name in tunables}


def _in_range(name: str, text: str, limits: range) -> int:
    if text.isascii() and text.isdigit() and len(text) <= 12 and int(text) in limits:
        return int(text)
    raise errors.InvalidTunable("tunable-out-of-range", name=name, low=limits.start, high=limits.stop - 1)
