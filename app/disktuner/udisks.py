# SPDX-License-Identifier: GPL-3.0-or-later
"""Asks udisks for a raw disk over the system bus.

Source: org.freedesktop.UDisks2.Block.OpenForBenchmark, which returns a descriptor opened with O_DIRECT and O_SYNC, by
default read-only and not exclusively.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress

from gi.repository import Gio, GLib

from disktuner.block.disk import device_node
from disktuner.helper_client.client import connect
from disktuner.vocabulary.errors import DisktunerError, MeasurementImpossible, NotAuthorised

NAME = "org.freedesktop.UDisks2"
MANAGER = ("/org/freedesktop/UDisks2/Manager", f"{NAME}.Manager")
_DENIED = (f"{NAME}.Error.NotAuthorized", "org.freedesktop.DBus.Error.AccessDenied")


def knows(disk: str) -> bool:
    """Whether udisks runs and knows a disk."""
    with suppress(GLib.Error, DisktunerError), _bus() as bus:
        _block(bus, disk)
        return True
    return False


@contextmanager
def _bus() -> Iterator[Gio.DBusConnection]:
    """Connect to the system bus; closing the private connection ends all calls made on it."""
    connection = connect()
    try:
        yield connection
    finally:
        connection.close_sync(None)


def _block(bus: Gio.DBusConnection, disk: str) -> str:
    """Return udisks' object path for a disk. Raises ``MeasurementImpossible`` or ``GLib.Error``."""
    sought = GLib.Variant("(a{sv}a{sv})", ({"path": GLib.Variant("s", device_node(disk))}, {}))
    paths = bus.call_sync(NAME, *MANAGER, "ResolveDevice", sought, None, 0, 5000, None).unpack()[0]
    if not paths:
        raise MeasurementImpossible("udisks-does-not-know-disk", disk=disk)
    return str(paths[0])


def opened(disk: str, pause: Callable[[float], None]) -> int:
    """Return a disk's descriptor, waiting for a person's password as long as it takes, or until ``pause`` raises.

    Raises ``MeasurementImpossible``, ``NotAuthorised``, and what ``pause`` raises.
    """
    flags, cancellable = Gio.DBusCallFlags.ALLOW_INTERACTIVE_AUTHORIZATION, Gio.Cancellable()
    try:
        with _bus() as bus, ThreadPoolExecutor(1) as thread:
            answer = thread.submit(
                bus.call_with_unix_fd_list_sync, NAME, _block(bus, disk), f"{NAME}.Block", "OpenForBenchmark",
                GLib.Variant("(a{sv})", ({},)), None, flags, GLib.MAXINT, None, cancellable
            )  # fmt: skip
            try:
                while not answer.done():
                    pause(0.02)
            except DisktunerError:
                cancellable.cancel()
                raise
        reply, files = answer.result()
    except GLib.Error as error:
        if (Gio.DBusError.get_remote_error(error) or "").startswith(_DENIED):
            raise NotAuthorised("raw-read-not-allowed", disk=disk) from error
        raise MeasurementImpossible(
            "udisks-could-not-open", disk=disk, error=error.message, package="udisks2"
        ) from error
    return int(files.get(reply.unpack()[0]))
