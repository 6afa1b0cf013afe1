# SPDX-License-Identifier: GPL-3.0-or-later
"""The helper's errors as exceptions: each keeps the D-Bus name it came with."""

from __future__ import annotations

from gi.repository import Gio, GLib

from disktuner.errors import (
    Cancelled,
    DisktunerError,
    HelperNotThere,
    MeasurementImpossible,
    NoSuchThing,
    NotAuthorised,
)


class HelperDenied(NotAuthorised):
    """polkit refused. Attribute: ``dbus_name``."""

    def __init__(self, text: str, dbus_name: str) -> None:
        super().__init__(text)
        self.dbus_name = dbus_name


class HelperRefused(NoSuchThing):
    """No such disk, scheduler, tunable or trial, or the disk cannot be tuned. Attribute: ``dbus_name``."""

    def __init__(self, text: str, dbus_name: str) -> None:
        super().__init__(text)
        self.dbus_name = dbus_name


class HelperBusy(MeasurementImpossible):
    """Somebody measures this disk, or a limit is reached. Attribute: ``dbus_name``."""

    def __init__(self, text: str, dbus_name: str) -> None:
        super().__init__(text)
        self.dbus_name = dbus_name


class HelperUnreachable(HelperNotThere):
    """No bus, no helper, or it died. Attribute: ``dbus_name`` (empty where the bus itself is missing)."""

    def __init__(self, text: str, dbus_name: str) -> None:
        super().__init__(text)
        self.dbus_name = dbus_name


_DENIED = (
    "org.freedesktop.DBus.Error.AccessDenied",
    "org.freedesktop.DBus.Error.AuthFailed",
    "org.freedesktop.DBus.Error.InteractiveAuthorizationRequired",
)
_OURS = "org.disktuner.Error."


def from_glib(error: GLib.Error) -> DisktunerError:
    """The exception that says in our words what Gio reported."""
    if error.matches(Gio.io_error_quark(), Gio.IOErrorEnum.CANCELLED):
        return Cancelled("Cancelled.")
    name = Gio.DBusError.get_remote_error(error) or ""
    text = error.message.removeprefix(f"GDBus.Error:{name}: ")
    if name in _DENIED:
        return HelperDenied(text, name)
    if name == _OURS + "Busy":
        return HelperBusy(text, name)
    if name.startswith(_OURS):
        return HelperRefused(text, name)
    return HelperUnreachable(f"Disktuner's helper cannot be reached ({text}). Is Disktuner installed?", name)
