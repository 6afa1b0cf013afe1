# SPDX-License-Identifier: GPL-3.0-or-later
"""The helper's errors as exceptions: each class and its D-Bus name are declared together."""

from __future__ import annotations

from gi.repository import Gio, GLib

from disktuner.errors import (
    Cancelled,
    DisktunerError,
    HelperNotThere,
    MeasurementImpossible,
    NoSuchThing,
    NotAuthorised,
    UsageError,
)

_PREFIX = "org.disktuner.Error."


class Refused(NotAuthorised):
    """polkit refused, the password was wrong or not given, or nobody could be asked."""

    dbus_name = "org.freedesktop.DBus.Error.AccessDenied"


class NoSuchDisk(NoSuchThing):
    """There is no such whole disk."""

    dbus_name = _PREFIX + "NoSuchDisk"


class StaleDisk(NoSuchThing):
    """The name now belongs to another disk than the one that was looked at."""

    dbus_name = _PREFIX + "StaleDisk"


class NotTunable(NoSuchThing):
    """The kernel lets nobody choose a scheduler for this disk."""

    dbus_name = _PREFIX + "NotTunable"


class NoSuchScheduler(NoSuchThing):
    """The kernel neither offers this scheduler nor can load it."""

    dbus_name = _PREFIX + "NoSuchScheduler"


class InvalidTunable(UsageError):
    """No such tunable under this scheduler, or a value outside its range."""

    dbus_name = _PREFIX + "InvalidTunable"


class NotUnique(NoSuchThing):
    """The disk has no identity that a rule could hold on to."""

    dbus_name = _PREFIX + "NotUnique"


class NoSuchTrial(MeasurementImpossible):
    """The trial has ended: its time was over, or the helper was restarted; its disks are restored."""

    dbus_name = _PREFIX + "NoSuchTrial"


class Busy(MeasurementImpossible):
    """A trial holds the disk, or too much is under way."""

    dbus_name = _PREFIX + "Busy"


class WriteFailed(MeasurementImpossible):
    """The kernel or the file system refused a write; what was there before is back."""

    dbus_name = _PREFIX + "WriteFailed"


CLASSES: tuple[type[DisktunerError], ...] = (
    Refused,
    NoSuchDisk,
    StaleDisk,
    NotTunable,
    NoSuchScheduler,
    InvalidTunable,
    NotUnique,
    NoSuchTrial,
    Busy,
    WriteFailed,
)
_BY_NAME = {getattr(one, "dbus_name"): one for one in CLASSES}  # noqa: B009 - mypy cannot see it in the union

_REFUSED = "This was not allowed: no administrator agreed. Try again and confirm with an administrator's password."


def from_glib(error: GLib.Error) -> DisktunerError:
    """Return the exception for an error of a call, with a sentence for a person."""
    if error.matches(Gio.io_error_quark(), Gio.IOErrorEnum.CANCELLED):
        return Cancelled("Cancelled.")
    name = Gio.DBusError.get_remote_error(error) or ""
    Gio.DBusError.strip_remote_error(error)
    known = _BY_NAME.get(name)
    if known is Refused:
        return Refused(_REFUSED)
    return known(error.message) if known else not_there(error.message)


def not_there(why: str) -> HelperNotThere:
    """Return the error for a bus or helper that does not answer."""
    advice = "Install Disktuner, or start it from its checkout with ./dev run."
    return HelperNotThere(f"Disktuner's helper cannot be reached ({why}). {advice}")
