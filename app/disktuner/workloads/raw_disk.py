# SPDX-License-Identifier: GPL-3.0-or-later
"""A raw disk that udisks opens for reading: polkit asks a person, and this program needs no rights of its own.

Source: the interface org.freedesktop.UDisks2.Block, method OpenForBenchmark: the file descriptor that comes back was
opened with O_DIRECT and O_SYNC and, unless asked otherwise, only for reading and not exclusively.
"""

from __future__ import annotations

import fcntl
import os
import stat
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from disktuner.vocabulary.errors import DisktunerError, MeasurementImpossible, NotAuthorised
from disktuner.vocabulary.messages import Message, message

if TYPE_CHECKING:
    from gi.repository import Gio, GLib

    from disktuner.workloads.workload import Processes

# ruff: noqa: PLC0415 - only this one workload needs the bus

PACKAGE = "udisks2"
NAME = "org.freedesktop.UDisks2"
MANAGER = ("/org/freedesktop/UDisks2/Manager", f"{NAME}.Manager")
BLOCK = f"{NAME}.Block"
_DENIED = (f"{NAME}.Error.NotAuthorized", "org.freedesktop.DBus.Error.AccessDenied")
_STEP_S = 0.02
_ANSWER_MS = 5000


class RawDisk:
    """The one disk below a folder, opened when it is first asked for and closed with the experiment.

    Attributes: ``waited_s`` is how long opening took, a person's password among it.
    """

    def __init__(self, disks: Sequence[str] = ()) -> None:
        self._disks = tuple(disks)
        self._fd = -1
        self.waited_s = 0.0

    def open(self, processes: Processes) -> int:
        """Return the descriptor, which knows only this one position; nobody is asked twice.

        Raises ``MeasurementImpossible``, ``NotAuthorised``, and ``Cancelled`` also while somebody is asked.
        """
        if refused := _not_one(self._disks):
            raise MeasurementImpossible.of(refused)
        if self._fd < 0:
            began = time.monotonic()
            self._fd = _opened(self._disks[0], processes)
            self.waited_s += time.monotonic() - began
        return self._fd

    def close(self) -> None:
        """Let go of the disk."""
        fd, self._fd = self._fd, -1
        if fd >= 0:
            os.close(fd)

    def __enter__(self) -> RawDisk:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def not_there() -> Message | None:
    """Return what to install, None where udisks is on the system bus or can be started by it."""
    from gi.repository import GLib

    with suppress(GLib.Error):
        connection = _connect()
        try:
            for method in ("ListNames", "ListActivatableNames"):
                bus = ("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus")
                if NAME in connection.call_sync(*bus, method, None, None, 0, -1, None).unpack()[0]:
                    return None
        finally:
            connection.close_sync(None)
    return message("udisks-missing", package=PACKAGE)


def unknown(disks: Sequence[str]) -> Message | None:
    """Return why udisks cannot open what lies below a folder, None where it is one disk that it knows."""
    from gi.repository import GLib

    if refused := _not_one(disks):
        return refused
    with suppress(GLib.Error):
        connection = _connect()
        try:
            sought = _sought(disks[0])
            if connection.call_sync(NAME, *MANAGER, "ResolveDevice", sought, None, 0, _ANSWER_MS, None).unpack()[0]:
                return None
        finally:
            connection.close_sync(None)
    return message("udisks-does-not-know-disk", disk=disks[0])


def _not_one(disks: Sequence[str]) -> Message | None:
    if not disks:
        return message("raw-read-no-disk")
    return message("raw-read-several-disks", disks=tuple(disks)) if len(disks) > 1 else None


def _opened(disk: str, processes: Processes) -> int:
    from gi.repository import GLib

    try:
        connection = _connect()
        try:
            fd = _ask(connection, disk, processes)
        finally:
            connection.close_sync(None)
    except GLib.Error as error:
        raise _refusal(disk, error) from error
    if not _is_for_reading(fd, disk):
        os.close(fd)
        raise MeasurementImpossible("udisks-opened-something-else", disk=disk, package=PACKAGE)
    return fd


def _connect() -> Gio.DBusConnection:
    """A connection of its own, so that closing it ends all that was asked on it."""
    from gi.repository import Gio

    flags = Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION
    address = Gio.dbus_address_get_for_bus_sync(Gio.BusType.SYSTEM, None)
    connection = Gio.DBusConnection.new_for_address_sync(address, flags, None, None)
    connection.set_exit_on_close(False)
    return connection


def _ask(connection: Gio.DBusConnection, disk: str, processes: Processes) -> int:
    from gi.repository import GLib

    found, _ = _call(connection, (*MANAGER, "ResolveDevice"), _sought(disk), processes)
    paths = found.unpack()[0]
    if not paths:
        raise MeasurementImpossible("udisks-does-not-know-disk", disk=disk)
    reading = GLib.Variant("(a{sv})", ({},))
    answer, files = _call(connection, (paths[0], BLOCK, "OpenForBenchmark"), reading, processes)
    return int(files.get(answer.unpack()[0]))


def _sought(disk: str) -> GLib.Variant:
    from gi.repository import GLib

    return GLib.Variant("(a{sv}a{sv})", ({"path": GLib.Variant("s", f"/dev/{disk}")}, {}))


def _call(
    connection: Gio.DBusConnection, method: tuple[str, str, str], asked: GLib.Variant, processes: Processes
) -> tuple[GLib.Variant, Gio.UnixFDList]:
    """Call, and wait as long as a person needs for a password, but not beyond a cancel."""
    from gi.repository import Gio, GLib

    context, cancellable, answers = GLib.MainContext.new(), Gio.Cancellable(), list[Gio.AsyncResult]()
    context.push_thread_default()
    try:
        connection.call_with_unix_fd_list(
            NAME, *method, asked, None, Gio.DBusCallFlags.ALLOW_INTERACTIVE_AUTHORIZATION,
            GLib.MAXINT, None, cancellable, lambda _, answer: answers.append(answer),
        )  # fmt: skip
        try:
            while not answers:
                if not context.iteration(False):
                    processes.pause(_STEP_S)
        except DisktunerError:
            cancellable.cancel()
            while not answers:
                context.iteration(True)
            raise
    finally:
        context.pop_thread_default()
    found, files = connection.call_with_unix_fd_list_finish(answers[0])
    return found, files


def _refusal(disk: str, error: GLib.Error) -> DisktunerError:
    from gi.repository import Gio

    name = Gio.DBusError.get_remote_error(error) or ""
    if name.startswith(_DENIED):
        return NotAuthorised("raw-read-not-allowed", disk=disk)
    return MeasurementImpossible("udisks-could-not-open", disk=disk, error=error.message, package=PACKAGE)


def _is_for_reading(fd: int, disk: str) -> bool:
    """Whether it is this disk, cannot be written to, and goes around the page cache."""
    flags, status = fcntl.fcntl(fd, fcntl.F_GETFL), os.fstat(fd)
    number = f"{os.major(status.st_rdev)}:{os.minor(status.st_rdev)}"
    known = Path(f"/sys/class/block/{disk}/dev").read_text().strip()
    reads = flags & os.O_ACCMODE == os.O_RDONLY and bool(flags & os.O_DIRECT)
    return reads and stat.S_ISBLK(status.st_mode) and number == known
