# SPDX-License-Identifier: GPL-3.0-or-later
"""A disk's queue that answers as the kernel does: brackets, EINVAL, tunables that come and go with the scheduler.

tests/bus/test_fake_kernel.py compares it with a real loop disk.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, Self

import pytest
from tests.unit.helper.fake import add_disk

import disktuner_helper.queue

TUNABLES = {
    "none": {},
    "mq-deadline": {"read_expire": 500, "writes_starved": 2, "front_merges": 1},
    "kyber": {"read_lat_nsec": 2_000_000, "write_lat_nsec": 10_000_000},
    "bfq": {"low_latency": 1, "slice_idle": 8, "strict_guarantees": 0},
}
DEFAULT_REQUESTS = {"none": 128, "mq-deadline": 256, "kyber": 256, "bfq": 256}


class FakeQueue:
    """The files of queue/ by name. ``refuse`` maps a file to the errno of its next writes, ``ignore`` names files
    whose writes succeed and do nothing, ``wrong`` files that take something else.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.values: dict[str, int] = {"nr_requests": 128, "nomerges": 0, "read_ahead_kb": 128}
        self.scheduler = "none"
        self.refuse: dict[str, int] = {}
        self.ignore: set[str] = set()
        self.wrong: dict[str, int] = {}

    def read(self, name: str) -> str:
        if name == "scheduler":
            return " ".join(f"[{one}]" if one == self.scheduler else one for one in TUNABLES) + "\n"
        if name not in self.values:
            raise OSError(errno.ENOENT, name)
        return f"{self.values[name]}\n"

    def write(self, name: str, text: str) -> None:
        if name in self.refuse:
            raise OSError(self.refuse[name], name)
        if name in self.ignore:
            return
        if name == "scheduler":
            self.switch(text)
            return
        self.read(name)
        if not text.isdigit():
            raise OSError(errno.EINVAL, name)
        self.values[name] = self.wrong.get(name, int(text))

    def switch(self, scheduler: str) -> None:
        if scheduler not in TUNABLES:
            raise OSError(errno.EINVAL, "scheduler")
        if scheduler == self.scheduler:
            return
        self.scheduler = scheduler
        kept = {name: value for name, value in self.values.items() if not name.startswith("iosched/")}
        own = {f"iosched/{name}": value for name, value in TUNABLES[scheduler].items()}
        self.values = {**kept, **own, "nr_requests": DEFAULT_REQUESTS[scheduler]}


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

    def add(self, name: str = "sda", number: int = 0, properties: dict[str, str] | None = None) -> FakeQueue:
        add_disk(self._root, name, number, properties or {"ID_SERIAL": f"Disk_{name}_1"})
        folder = self._root / "sys/block" / name
        self._queues[str(folder)] = FakeQueue(folder)
        return self._queues[str(folder)]

    def open(self, path: str, mode: str, buffering: int, opener: Callable[[str, int], int]) -> Any:
        """Files of queue/ are the fake's, others are read as they are."""
        assert buffering == 0
        if not path.startswith("queue/"):
            return open(path, mode, buffering, opener=opener)
        number = opener("queue", os.O_RDONLY)
        folder = str(Path(f"/proc/self/fd/{number}").readlink().parent)
        os.close(number)
        return FakeFile(self._queues[folder], path.removeprefix("queue/"))
