# SPDX-License-Identifier: GPL-3.0-or-later
"""Reports without polling, by a descriptor to wait on, that disks or mounts appeared, changed or vanished."""

from __future__ import annotations

import os
import select

import pyudev


class Monitor:
    """Waits for block devices (netlink) and mounts (``/proc/self/mountinfo``).

    Wait for ``fileno()`` to become readable, then call ``read()``. Close it, or use it as a context manager. It
    receives the kernel's events, which come even without udevd, and udev's, which come after its rules, so that a
    scheduler set by a rule is seen. If netlink is forbidden (in some containers), it only receives mounts.
    """

    def __init__(self) -> None:
        self._poll = select.epoll()
        self._mounts = os.open("/proc/self/mountinfo", os.O_RDONLY | os.O_CLOEXEC)
        self._poll.register(self._mounts, select.EPOLLPRI | select.EPOLLERR)
        self._mounted = self._mount_table()
        self._listen()

    def __enter__(self) -> Monitor:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def fileno(self) -> int:
        """Return the descriptor that becomes readable on events."""
        return self._poll.fileno()

    def read(self) -> bool:
        """Whether anything happened since the last call, which only means "read again": sysfs is the truth."""
        self._poll.poll(0)
        # Polling our descriptor makes the kernel forget that mounts changed (poll of mountinfo reports it once), so
        # only the table itself is certain.
        before, self._mounted = self._mounted, self._mount_table()
        return self._heard_of_devices() or self._mounted != before

    def close(self) -> None:
        """Stop listening; may be called twice."""
        if self._mounts >= 0:
            self._poll.close()
            os.close(self._mounts)
            self._mounts = -1
            self._sources: tuple[pyudev.Monitor, ...] = ()

    def _listen(self) -> None:
        try:
            context = pyudev.Context()
            self._sources = tuple(pyudev.Monitor.from_netlink(context, source) for source in ("kernel", "udev"))
        except (OSError, ImportError):  # no netlink, or no libudev
            self._sources = ()
        for source in self._sources:
            source.filter_by("block")
            source.start()
            self._poll.register(source, select.EPOLLIN)

    def _heard_of_devices(self) -> bool:
        """Read all events of block devices; return whether there were any."""
        has_heard = False
        try:
            for source in self._sources:
                while source.poll(timeout=0) is not None:
                    has_heard = True
        except OSError:  # ENOBUFS: more happened than fits, so that some is lost
            self._listen()  # the error would stay with the old sockets
            return True
        return has_heard

    def _mount_table(self) -> bytes:
        parts = []
        os.lseek(self._mounts, 0, os.SEEK_SET)
        while part := os.read(self._mounts, 1 << 16):
            parts.append(part)
        return b"".join(parts)
