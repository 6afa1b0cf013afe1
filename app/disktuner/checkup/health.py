# SPDX-License-Identifier: GPL-3.0-or-later
"""Disks' reports on their own health, as cached by udisks: no disk is accessed, and no rights are needed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from disktuner.block.disk import kernel_name

NAME = "org.freedesktop.UDisks2"
_BLOCK, _ATA, _NVME = f"{NAME}.Block", f"{NAME}.Drive.Ata", f"{NAME}.NVMe.Controller"
_MANAGER = (NAME, "/org/freedesktop/UDisks2", "org.freedesktop.DBus.ObjectManager", "GetManagedObjects")
_WAIT_MS = 1500
_SELF_TEST = "SMART"
_FAILING = ("spare", "degraded", "readonly", "volatile_mem")  # being hot is no failure
Objects = Mapping[str, Mapping[str, Mapping[str, Any]]]
"""The object manager's answer: properties by interface by path."""


@dataclass(frozen=True, slots=True)
class Health:
    """The number of ``bad_sectors`` (pending and replaced), and the disk's own ``warnings``."""

    bad_sectors: int = 0
    warnings: tuple[str, ...] = ()


def read_health() -> Mapping[str, Health] | None:
    """Return the health of disks by name; None if udisks is not running, which is not started.

    Waits 1.5 seconds at most. Source: udisks2's interfaces Drive.Ata and NVMe.Controller.
    """
    from gi.repository import Gio, GLib  # noqa: PLC0415 - slow to load, and only this needs it

    flags = Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION
    try:
        address = Gio.dbus_address_get_for_bus_sync(Gio.BusType.SYSTEM, None)
        connection = Gio.DBusConnection.new_for_address_sync(address, flags, None, None)
        connection.set_exit_on_close(False)
        try:
            answer = connection.call_sync(*_MANAGER, None, None, Gio.DBusCallFlags.NO_AUTO_START, _WAIT_MS, None)
        finally:
            connection.close_sync(None)
    except GLib.Error:
        return None
    return health_of(answer.unpack()[0])


def health_of(objects: Objects) -> Mapping[str, Health]:
    """Return the health of whole disks by name, from all of udisks' objects."""
    drives = {path: _health(interfaces) for path, interfaces in objects.items()}
    blocks = (interfaces[_BLOCK] for interfaces in objects.values() if _BLOCK in interfaces)
    return {_name(block.get("Device", b"")): drives[block["Drive"]] for block in blocks if block.get("Drive") in drives}


def _name(device: Any) -> str:
    """``/dev/sda`` in bytes with a closing NUL."""
    return kernel_name(bytes(device).rstrip(b"\0").decode("utf-8", "replace"))


def _health(interfaces: Mapping[str, Mapping[str, Any]]) -> Health:
    ata, nvme = interfaces.get(_ATA, {}), interfaces.get(_NVME, {})
    warnings = tuple(warning for warning in _FAILING if warning in nvme.get("SmartCriticalWarning", ()))
    if ata.get("SmartEnabled") and ata.get("SmartFailing"):
        warnings = (*warnings, _SELF_TEST)
    bad = ata.get("SmartNumBadSectors", 0) if ata.get("SmartEnabled") else 0
    return Health(max(int(bad), 0), warnings)  # -1 is "not known"
