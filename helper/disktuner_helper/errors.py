# SPDX-License-Identifier: GPL-3.0-or-later
"""The errors that callers may see: each class and its D-Bus name are declared together."""

from __future__ import annotations

PREFIX = "org.disktuner.Error."


class HelperError(Exception):
    """An error for the caller. Its text is ours alone: it never repeats what the caller sent unchecked."""

    name = PREFIX + "WriteFailed"


class AccessDenied(HelperError):
    """polkit refused, nobody could be asked, or the caller has gone."""

    name = "org.freedesktop.DBus.Error.AccessDenied"


class NoSuchDisk(HelperError):
    """There is no such whole disk."""

    name = PREFIX + "NoSuchDisk"


class StaleDisk(HelperError):
    """The name now belongs to another disk than the caller looked at."""

    name = PREFIX + "StaleDisk"


class NotTunable(HelperError):
    """The kernel lets nobody choose a scheduler for this disk."""

    name = PREFIX + "NotTunable"


class NoSuchScheduler(HelperError):
    """The kernel neither offers this scheduler nor can load it."""

    name = PREFIX + "NoSuchScheduler"


class InvalidTunable(HelperError):
    """A tunable outside the closed list, outside its range, or not of the current scheduler."""

    name = PREFIX + "InvalidTunable"


class NoSuchTrial(HelperError):
    """No such trial, or it is somebody else's."""

    name = PREFIX + "NoSuchTrial"


class Busy(HelperError):
    """A trial holds the disk, or a limit is reached."""

    name = PREFIX + "Busy"


class NotUnique(HelperError):
    """The disk has no identity that a rule could hold on to."""

    name = PREFIX + "NotUnique"


class WriteFailed(HelperError):
    """The kernel or the file system refused a write; what was there before is back."""

    name = PREFIX + "WriteFailed"
