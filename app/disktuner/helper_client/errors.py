# SPDX-License-Identifier: GPL-3.0-or-later
"""Errors of the helper as exceptions with our messages.

A helper's error is a D-Bus name, a reason and fields: ``tunable-out-of-range name=queue/nomerges low=0 high=2``. The
name is the exception's class, the reason an id in the catalogue.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Mapping

from disktuner.vocabulary.english import TEXTS
from disktuner.vocabulary.errors import (
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
    """The name now belongs to a different disk."""


class NotTunable(NoSuchThing):
    """The kernel offers no choice of scheduler for this disk."""


class NoSuchScheduler(NoSuchThing):
    """The kernel neither offers this scheduler nor can load it."""


class InvalidTunable(UsageError):
    """No such tunable under this scheduler, or a value outside its range."""


class NotUnique(NoSuchThing):
    """The disk has no identity that a rule could match."""


class NoSuchTrial(MeasurementImpossible):
    """The trial timed out or the helper was restarted; the disks are restored."""


class Busy(MeasurementImpossible):
    """A trial holds the disk, or too much is under way."""


class WriteFailed(MeasurementImpossible):
    """The kernel or the file system refused a write; the previous state is restored."""


class HelperSilent(HelperNotThere):
    """The helper did not answer within the call's limit."""


BUS = "org.freedesktop.DBus.Error."
_OWN = (NoSuchDisk, StaleDisk, NotTunable, NoSuchScheduler, InvalidTunable, NotUnique, NoSuchTrial, Busy, WriteFailed)
HELPER_ERRORS: Mapping[str, type[DisktunerError]] = {
    BUS + "AccessDenied": Refused,
    **{f"org.disktuner.Error.{known.__name__}": known for known in _OWN},
}
"""The helper's errors by their D-Bus name."""


def refusal(text: str) -> Message:
    """Return the message for the helper's ``reason field=value …``.

    An unknown reason (from another version of the helper, or the bus's policy) is quoted.
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
