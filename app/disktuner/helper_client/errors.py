# SPDX-License-Identifier: GPL-3.0-or-later
"""The helper's errors as exceptions: each class and its D-Bus name are declared together."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from gi.repository import Gio, GLib

from disktuner.vocabulary.errors import (
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

_BUS = "org.freedesktop.DBus.Error."


def _not_installed(_: str) -> DisktunerError:
    return not_there("the system bus does not know it")


def _not_started(why: str) -> DisktunerError:
    other = "If another Disktuner is running on this computer, close it"
    advice = f"{other}; else `journalctl -u disktuner-helper` says more. Then try again."
    return HelperNotThere(f"Disktuner's helper could not be started ({why.rstrip('.')}). {advice}")


def _no_answer(_: str) -> DisktunerError:
    restored = (
        "What was being measured has the scheduler it had; whether anything else was changed, `disktuner status` says."
    )
    return HelperNotThere(f"Disktuner's helper ended before it answered. {restored} Then try again.")


def _too_many(_: str) -> DisktunerError:
    return Busy(
        "The system bus takes no more calls of yours for now. Wait until those under way have ended, then try again."
    )


def _another_version(_: str) -> DisktunerError:
    return HelperNotThere(
        "Disktuner's helper is of another version than this program. Install both anew from one source."
    )


_OF_THE_BUS: Mapping[str, Callable[[str], DisktunerError]] = {
    _BUS + "ServiceUnknown": _not_installed,
    _BUS + "NameHasNoOwner": _not_installed,
    _BUS + "Spawn.": _not_started,
    _BUS + "TimedOut": _not_started,
    "org.freedesktop.systemd1.": _not_started,
    _BUS + "NoReply": _no_answer,
    _BUS + "Timeout": _no_answer,
    _BUS + "Disconnected": _no_answer,
    _BUS + "LimitsExceeded": _too_many,
    _BUS + "UnknownMethod": _another_version,
    _BUS + "UnknownInterface": _another_version,
    _BUS + "UnknownObject": _another_version,
    _BUS + "InvalidArgs": _another_version,
}
"""What the bus itself, or systemd, answers in the helper's place; a name that ends in a dot stands for all below."""


def from_glib(error: GLib.Error) -> DisktunerError:
    """Return the exception for an error of a call, with a sentence for a person.

    The helper's own sentences are for people as they are, also why polkit refused: only the helper saw that.
    """
    if error.matches(Gio.io_error_quark(), Gio.IOErrorEnum.CANCELLED):
        return Cancelled("Cancelled.")
    if error.matches(Gio.io_error_quark(), Gio.IOErrorEnum.CLOSED):
        return _no_answer("")
    name = Gio.DBusError.get_remote_error(error) or ""
    # Gio's strip_remote_error works on a copy under PyGObject, and so does nothing.
    text = error.message.removeprefix(f"GDBus.Error:{name}: ")
    if known := _BY_NAME.get(name):
        return known(text)
    return next((say for key, say in _OF_THE_BUS.items() if _is(name, key)), not_there)(text)


def _is(name: str, key: str) -> bool:
    return name.startswith(key) if key.endswith(".") else name == key


def not_there(why: str) -> HelperNotThere:
    """Return the error for a bus or helper that does not answer."""
    advice = "Install Disktuner, or start it from its checkout with ./dev run."
    return HelperNotThere(f"Disktuner's helper cannot be reached ({why.rstrip('.')}). {advice}")
