# SPDX-License-Identifier: GPL-3.0-or-later
"""A raw disk that udisks opens for reading: polkit asks a person, and this program needs no rights of its own.

Source: the interface org.freedesktop.UDisks2.Block, method OpenForBenchmark: the file descriptor that comes back was
opened with O_DIRECT and O_SYNC and, unless asked otherwise, only for reading and not exclusively.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress

from gi.repository import Gio, GLib

from disktuner.helper_client.client import connect
from disktuner.vocabulary.errors import DisktunerError, MeasurementImpossible, NotAuthorised
from disktuner.vocabulary.messages import Message, message
from disktuner.workloads.processes import Processes

NAME = "org.freedesktop.UDisks2"
MANAGER = ("/org/freedesktop/UDisks2/Manager", f"{NAME}.Manager")
_DENIED = (f"{NAME}.Error.NotAuthorized", "org.freedesktop.DBus.Error.AccessDenied")


class RawDisk:
    """The one disk below a folder, opened when first asked for, which took ``waited_s``, a password among it."""

    def __init__(self, disks: Sequence[str] = ()) -> None:
        self._disks = tuple(disks)
        self._fd = -1
        self.waited_s = 0.0

    def open(self, processes: Processes) -> int:
        """Return the descriptor, asked for once. Raises ``MeasurementImpossible``, ``NotAuthorised``, ``Cancelled``."""
        if self._fd < 0:
            if refused := unknown(self._disks):
                raise MeasurementImpossible.of(refused)
            began = time.monotonic()
            self._fd = _opened(self._disks[0], processes)
            self.waited_s += time.monotonic() - began
        return self._fd

    def close(self) -> None:
        """Let go of the disk."""
        fd, self._fd = self._fd, -1
        if fd >= 0:
            os.close(fd)


def unknown(disks: Sequence[str]) -> Message | None:
    """Return why udisks cannot open what lies below a folder, None where it is one disk that it knows."""
    if len(disks) != 1:
        return message("raw-read-several-disks", disks=tuple(disks)) if disks else message("raw-read-no-disk")
    with suppress(GLib.Error, DisktunerError), _bus() as bus:
        _block(bus, disks[0])
        return None
    return message("udisks-does-not-know-disk", disk=disks[0])


@contextmanager
def _bus() -> Iterator[Gio.DBusConnection]:
    """Connect to the system bus; closing a connection of its own ends all that was asked on it."""
    connection = connect()
    try:
        yield connection
    finally:
        connection.close_sync(None)


def _block(bus: Gio.DBusConnection, disk: str) -> str:
    """Return the path of udisks' object for a disk. Raises ``MeasurementImpossible`` or ``GLib.Error``."""
    sought = GLib.Variant("(a{sv}a{sv})", ({"path": GLib.Variant("s", f"/dev/{disk}")}, {}))
    paths = bus.call_sync(NAME, *MANAGER, "ResolveDevice", sought, None, 0, 5000, None).unpack()[0]
    if not paths:
        raise MeasurementImpossible("udisks-does-not-know-disk", disk=disk)
    return str(paths[0])


def _opened(disk: str, processes: Processes) -> int:
    """Ask, and wait as long as a person needs for a password, but not beyond a cancel."""
    flags, cancellable = Gio.DBusCallFlags.ALLOW_INTERACTIVE_AUTHORIZATION, Gio.Cancellable()
    try:
        with _bus() as bus, ThreadPoolExecutor(1) as thread:
            answer = thread.submit(
                bus.call_with_unix_fd_list_sync, NAME, _block(bus, disk), f"{NAME}.Block", "OpenForBenchmark",
                GLib.Variant("(a{sv})", ({},)), None, flags, GLib.MAXINT, None, cancellable
            )  # fmt: skip
            try:
                while not answer.done():
                    processes.pause(0.02)
            except DisktunerError:
                cancellable.cancel()
                raise
        found, files = answer.result()
    except GLib.Error as error:
        if (Gio.DBusError.get_remote_error(error) or "").startswith(_DENIED):
            raise NotAuthorised("raw-read-not-allowed", disk=disk) from error
        raise MeasurementImpossible(
            "udisks-could-not-open", disk=disk, error=error.message, package="udisks2"
        ) from error
    return int(files.get(found.unpack()[0]))
