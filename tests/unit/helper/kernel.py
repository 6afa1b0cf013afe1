# SPDX-License-Identifier: GPL-3.0-or-later
"""A disk's queue that answers as the kernel does: brackets, EINVAL, tunables that come and go with the scheduler.

tests/bus/test_fake_kernel.py compares it with a real loop disk.
"""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import pytest
from tests.unit.helper.fake import add_disk

import disktuner_helper.queue

TUNABLES = {
    "none": {},
    "mq-deadline": {"read_expire": 500, "writes_starved": 2, "front_merges": 1, "async_depth": 256},
    "kyber": {"read_lat_nsec": 2_000_000, "write_lat_nsec": 10_000_000},
    "bfq": {"low_latency": 1, "slice_idle": 8, "strict_guarantees": 0},
}
TAGS = 128
# Linux 7.0 (988bb1b9, 8cbe62f4, 2110858c): what part of nr_requests queue/async_depth gets when a scheduler attaches.
ASYNC_PERCENT = {"none": 100, "mq-deadline": 100, "kyber": 75, "bfq": 75}


@dataclass(slots=True)
class Wbt:
    """queue/wbt_lat_usec (block/blk-wbt.c): bfq switches it off when it attaches and on when it leaves, until somebody
    writes a number.

    Meanwhile the kernel keeps the number and ignores a write of the same one; -1 only writes the disk's default number.
    """

    number: int
    default: int
    manual: bool = False
    off: bool = False

    def read(self) -> int:
        return 0 if self.off else self.number

    def write(self, value: int) -> None:
        value = self.default if value == -1 else value
        if value != self.number:
            self.number, self.manual, self.off = value, True, value == 0

    def attach(self, scheduler: str) -> None:
        if not self.manual:
            self.off = scheduler == "bfq"


@dataclass(slots=True)
class WriteBack:
    """bdi/ (mm/page-writeback.c): how much may wait for the disk, kept in millionths of ``most_bytes``, the limit for
    all disks, which follows the free memory.
    """

    most_bytes: int = 4_000_000_000
    share: int = 1_000_000
    strict: int = 0

    def read(self, name: str) -> int:
        return {
            "bdi/max_ratio": self.share // 10_000,
            "bdi/max_ratio_fine": self.share,
            "bdi/max_bytes": self.most_bytes * self.share // 1_000_000,
            "bdi/strict_limit": self.strict,
        }[name]

    def write(self, name: str, value: int) -> None:
        share = {
            "bdi/max_ratio": value * 10_000,
            "bdi/max_ratio_fine": value,
            "bdi/max_bytes": value // 4096 * 4096 * 1_000_000 // self.most_bytes,
            "bdi/strict_limit": value * 1_000_000,
        }[name]
        if not 0 <= share <= 1_000_000:
            raise OSError(errno.EINVAL, name)
        if name == "bdi/strict_limit":
            self.strict = value
        else:
            self.share = share


LIMITS = ("bdi/max_ratio", "bdi/max_ratio_fine", "bdi/max_bytes", "bdi/strict_limit")


class FakeQueue:
    """The files of queue/ by name, and those of bdi/ if there is a ``write_back``.

    ``refuse`` maps a file to the errno of its next writes, ``ignore`` names files whose writes succeed without effect,
    ``wrong`` maps files to what they take instead, ``modules`` maps an alias to the scheduler that it loads, ``texts``
    holds other files' contents. ``seven``: as in Linux 7.0.
    """

    def __init__(self, folder: Path, *, seven: bool = False) -> None:
        self.folder = folder
        self.values: dict[str, int] = {"nr_requests": TAGS, "nomerges": 0, "read_ahead_kb": 128}
        self.tunables = {scheduler: dict(values) for scheduler, values in TUNABLES.items()}
        self.scheduler = "none"
        self.wbt: Wbt | None = None
        self.write_back: WriteBack | None = None
        self.refuse: dict[str, int] = {}
        self.ignore: set[str] = set()
        self.wrong: dict[str, int] = {}
        self.modules: dict[str, str] = {}
        self.texts: dict[str, str] = {}
        if seven:
            self.values["async_depth"] = TAGS
            del self.tunables["mq-deadline"]["async_depth"]

    def read(self, name: str) -> str:
        if name == "scheduler":
            return (
                " ".join(f"[{tunable}]" if tunable == self.scheduler else tunable for tunable in self.tunables) + "\n"
            )
        if name in self.texts:
            return f"{self.texts[name]}\n"
        if name == "wbt_lat_usec" and self.wbt:
            return f"{self.wbt.read()}\n"
        if name in LIMITS and self.write_back:
            return f"{self.write_back.read(name)}\n"
        if name not in self.values:
            raise OSError(errno.ENOENT, name)
        return f"{self.values[name]}\n"

    @property
    def whole(self) -> dict[str, str]:
        """All files' contents by name."""
        return {name: self.read(name) for name in (*self.values, "scheduler", *(["wbt_lat_usec"] if self.wbt else []))}

    def write(self, name: str, text: str) -> None:
        if name in self.refuse:
            raise OSError(self.refuse[name], name)
        if name in self.ignore:
            return
        if name == "scheduler":
            self.switch(text)
            return
        self.read(name)
        if not text.removeprefix("-").isdigit():
            raise OSError(errno.EINVAL, name)
        self.set(name, self.wrong.get(name, int(text)))

    def set(self, name: str, value: int) -> None:
        if name == "wbt_lat_usec" and self.wbt:
            self.wbt.write(value)
        elif name in LIMITS and self.write_back:
            self.write_back.write(name, value)
        elif name == "nr_requests":
            self.resize(value)
        elif name == "async_depth" and (self.scheduler == "none" or value == 0):
            raise OSError(errno.EINVAL, name)
        else:
            self.values[name] = min(value, self.values["nr_requests"]) if name == "async_depth" else value
        if name == "iosched/strict_guarantees" and value:
            self.values["iosched/slice_idle"] = max(self.values["iosched/slice_idle"], 8)

    def resize(self, value: int) -> None:
        """blk_mq_update_nr_requests: what is derived from the number follows it."""
        old, new = self.values["nr_requests"], max(value, 4)
        if self.scheduler == "none" and new > TAGS:
            raise OSError(errno.EINVAL, "nr_requests")
        self.values["nr_requests"] = new
        if new != old and "async_depth" in self.values:
            self.values["async_depth"] = max(self.values["async_depth"] * new // old, 1)
        if new != old and "iosched/async_depth" in self.values:
            self.values["iosched/async_depth"] = new

    def switch(self, scheduler: str) -> None:
        if scheduler not in self.tunables and (name := self.modules.pop(scheduler, None)):
            self.tunables[name] = {}
        if scheduler not in self.tunables:
            raise OSError(errno.EINVAL, "scheduler")
        if scheduler == self.scheduler:
            return
        self.scheduler = scheduler
        values_left = {name: value for name, value in self.values.items() if not name.startswith("iosched/")}
        tunables = {f"iosched/{name}": value for name, value in self.tunables[scheduler].items()}
        requests = TAGS if scheduler == "none" else 2 * TAGS
        self.values = {**values_left, **tunables, "nr_requests": requests}
        if "async_depth" in self.values:
            self.values["async_depth"] = requests * ASYNC_PERCENT.get(scheduler, 100) // 100
        if self.wbt:
            self.wbt.attach(scheduler)
        self._show(tunables)

    def _show(self, tunables: dict[str, int]) -> None:
        """Make the names listable too."""
        place = self.folder / "queue/iosched"
        shutil.rmtree(place, ignore_errors=True)
        for name in tunables:
            place.mkdir(parents=True, exist_ok=True)
            (self.folder / "queue" / name).touch()


class FakeFile:
    """An unbuffered file of a fake queue."""

    def __init__(self, queue: FakeQueue, name: str) -> None:
        self._queue = queue
        self._name = name

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def read(self, _size: int) -> bytes:
        return self._queue.read(self._name).encode()

    def write(self, text: bytes) -> None:
        self._queue.write(self._name, text.decode())


class FakeKernel:
    """All fake disks below a root; stands in for ``open`` in the helper's queue module."""

    def __init__(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self._root = root
        self._queues: dict[str, FakeQueue] = {}
        monkeypatch.setattr(disktuner_helper.queue, "open", self.open, raising=False)

    def add(self, name: str = "sda", number: int = 0, *, seven: bool = False) -> FakeQueue:
        add_disk(self._root, name, number, {"ID_SERIAL": f"Disk_{name}_1"})
        folder = self._root / "sys/block" / name
        self._queues[str(folder)] = FakeQueue(folder, seven=seven)
        return self._queues[str(folder)]

    def pull_out(self, queue: FakeQueue) -> None:
        """Its folder has no name any more, and whoever has it open hears that there is no such disk."""

        def refuse(*_: str) -> str:
            raise OSError(errno.ENODEV, "gone")

        nowhere = queue.folder.rename(queue.folder.parent.with_name("pulled-out"))
        self._queues[str(nowhere)] = queue
        queue.read = queue.write = refuse  # type: ignore[method-assign]

    def open(self, path: str, mode: str, buffering: int, opener: Callable[[str, int], int]) -> Any:
        """Open files of queue/ and bdi/ as the fake's, others as they are."""
        assert buffering == 0
        if not path.startswith(("queue/", "bdi/")):
            return open(path, mode, buffering, opener=opener)
        number = opener("queue", os.O_RDONLY)
        folder = str(Path(f"/proc/self/fd/{number}").readlink().parent)
        os.close(number)
        return FakeFile(self._queues[folder], path.removeprefix("queue/"))
