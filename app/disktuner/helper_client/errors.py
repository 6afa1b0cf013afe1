# SPDX-License-Identifier: GPL-3.0-or-later
"""What the helper, the bus or systemd answer instead, as exceptions with a message of ours.

A helper's error is a D-Bus name, a reason and fields: ``tunable-out-of-range name=queue/nomerges low=0 high=2``. The
name is the exception's class, the reason an id of the catalogue.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Mapping

from gi.repository import Gio, GLib

from disktuner.vocabulary.english import TEXTS
from disktuner.vocabulary.errors import (
    Cancelled,
    DisktunerError,
    HelperNotThere,
    MeasurementImpossible,
    NoSuchThing,
    NotAuthorised,
    UsageError,
)
from disktuner.vocabulary.messages import Message, Value, message


class Refused(NotAuthorised):
    """polkit refused, the password was wrong or not given, or nobody could be asked."""


class NoSuchDisk(NoSuchThing):
    """There is no such whole disk."""


class StaleDisk(NoSuchThing):
    """The name now belongs to another disk than the one that was looked at."""


class NotTunable(NoSuchThing):
    """The kernel lets nobody choose a scheduler for this disk."""


class NoSuchScheduler(NoSuchThing):
    """The kernel neither offers this scheduler nor can load it."""


class InvalidTunable(UsageError):
    """No such tunable under this scheduler, or a value outside its range."""


class NotUnique(NoSuchThing):
    """The disk has no identity that a rule could hold on to."""


class NoSuchTrial(MeasurementImpossible):
    """The trial has ended: its time was over, or the helper was restarted; its disks are restored."""


class Busy(MeasurementImpossible):
    """A trial holds the disk, or too much is under way."""


class WriteFailed(MeasurementImpossible):
    """The kernel or the file system refused a write; what was there before is back."""


class HelperSilent(HelperNotThere):
    """The helper did not answer within the call's limit."""


_BUS = "org.freedesktop.DBus.Error."
_OWN = (NoSuchDisk, StaleDisk, NotTunable, NoSuchScheduler, InvalidTunable, NotUnique, NoSuchTrial, Busy, WriteFailed)
HELPER_ERRORS: Mapping[str, type[DisktunerError]] = {
    _BUS + "AccessDenied": Refused,
    **{f"org.disktuner.Error.{known.__name__}": known for known in _OWN},
}
"""The helper's errors by their D-Bus name."""

_BUS_ERRORS: Mapping[str, tuple[type[DisktunerError], str]] = {
    _BUS + "ServiceUnknown": (HelperNotThere, "helper-not-installed"),
    _BUS + "NameHasNoOwner": (HelperNotThere, "helper-not-installed"),
    _BUS + "Spawn.": (HelperNotThere, "helper-not-started"),
    _BUS + "TimedOut": (HelperNotThere, "helper-not-started"),
    "org.freedesktop.systemd1.": (HelperNotThere, "helper-not-started"),
    _BUS + "NoReply": (HelperNotThere, "helper-ended"),
    _BUS + "Timeout": (HelperNotThere, "helper-ended"),
    _BUS + "Disconnected": (HelperNotThere, "helper-ended"),
    _BUS + "LimitsExceeded": (Busy, "bus-too-busy"),
    _BUS + "UnknownMethod": (HelperNotThere, "helper-of-another-version"),
    _BUS + "UnknownInterface": (HelperNotThere, "helper-of-another-version"),
    _BUS + "UnknownObject": (HelperNotThere, "helper-of-another-version"),
    _BUS + "InvalidArgs": (HelperNotThere, "helper-of-another-version"),
}
"""What the bus itself, or systemd, answers in the helper's place; a name that ends in a dot stands for all below."""


def starts_slowly(error: GLib.Error) -> bool:
    """Say whether the bus waited in vain for the helper's start: the call has not reached it."""
    return _remote_name(error) == f"{_BUS}TimedOut"


def is_silent(error: GLib.Error) -> bool:
    """Say whether the helper did not answer within the call's limit."""
    return bool(error.matches(Gio.io_error_quark(), Gio.IOErrorEnum.TIMED_OUT))


def from_glib(error: GLib.Error, silence: str = "helper-silent") -> DisktunerError:
    """Return the exception for an error of a call; ``silence`` says what no answer means."""
    if error.matches(Gio.io_error_quark(), Gio.IOErrorEnum.CANCELLED):
        return Cancelled("interrupted")
    if error.matches(Gio.io_error_quark(), Gio.IOErrorEnum.CLOSED):
        return HelperNotThere("helper-ended")
    if is_silent(error):
        return HelperSilent(silence)
    name = _remote_name(error)
    # Gio's strip_remote_error works on a copy under PyGObject, and so does nothing.
    text = error.message.removeprefix(f"GDBus.Error:{name}: ")
    if known := HELPER_ERRORS.get(name):
        return known.of(refusal(text))
    found = (answer for key, answer in _BUS_ERRORS.items() if name == key or (key[-1] == "." and name.startswith(key)))
    kind, id_ = next(found, (HelperNotThere, "helper-not-reached"))
    return kind(id_, why=text)


def _remote_name(error: GLib.Error) -> str:
    return str(Gio.DBusError.get_remote_error(error) or "")


def refusal(text: str) -> Message:
    """Return the message of the helper's ``reason field=value …``.

    A reason that this version does not know (of a newer or an older helper, or of the bus's own policy) is quoted.
    """
    reason, *fields = text.split(" ")
    id_ = f"refused-{reason}"
    if id_ not in TEXTS:
        return message("refused-otherwise", said=text)
    pairs = (field.partition("=") for field in fields)
    return Message(id_, tuple((name, _value(name, value)) for name, _, value in pairs))


def _value(name: str, text: str) -> Value:
    """A number, several disks, the system's own words for an error's name (``ENOSPC``), or the text itself."""
    if name == "cause":
        return os.strerror(getattr(errno, text, 0)) if text in errno.errorcode.values() else text
    if name == "disks":
        return tuple(text.split(","))
    return int(text) if text.isascii() and text.isdecimal() else text
