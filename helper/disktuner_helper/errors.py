# SPDX-License-Identifier: GPL-3.0-or-later
"""The errors that callers may see: the D-Bus name of each is its class's name behind a prefix, its text says why."""

import errno
from collections.abc import Iterator, Mapping
from contextlib import contextmanager


class HelperError(Exception):
    """An error for the caller: a reason, and fields without spaces in them. Its text is ``reason field=value …``.

    Callers make sentences of it. No field repeats what the caller sent unchecked. ``prefix``: of its D-Bus name.
    """

    prefix = "org.disktuner.Error."

    def __init__(self, reason: str, **fields: object) -> None:
        super().__init__(" ".join((reason, *(f"{name}={value}" for name, value in fields.items()))))


class AccessDenied(HelperError):
    """polkit refused, nobody could be asked, or the caller has gone."""

    prefix = "org.freedesktop.DBus.Error."


class NoSuchDisk(HelperError):
    """There is no such whole disk."""


class StaleDisk(HelperError):
    """The name now belongs to another disk than the caller looked at."""


class NotTunable(HelperError):
    """The kernel lets nobody choose a scheduler for this disk."""


class NoSuchScheduler(HelperError):
    """The kernel neither offers this scheduler nor can load it."""


class InvalidTunable(HelperError):
    """A tunable outside the closed list, outside its range, or not of the current scheduler."""


class NoSuchTrial(HelperError):
    """No such trial, or it is somebody else's."""


class Busy(HelperError):
    """A trial holds the disk, or a limit is reached."""


class NotUnique(HelperError):
    """The disk has no identity that a rule could hold on to."""


class WriteFailed(HelperError):
    """The kernel or the file system refused a write; what was there before is back."""


LIMITS = {errno.EMFILE, errno.ENFILE, errno.ENOMEM}


@contextmanager
def os_error_as(reason: str, refusals: Mapping[int, HelperError] | None = None, **fields: object) -> Iterator[None]:
    """Turn what the system refuses into an error of ours: that of ``refusals`` by errno, else WriteFailed.

    Where a limit of the process or of the computer is reached, that says nothing of the file: it goes up as it is.
    """
    try:
        yield
    except OSError as error:
        if error.errno in LIMITS:
            raise
        failed = WriteFailed(reason, **fields, cause=errno.errorcode.get(error.errno or 0, error.errno))
        raise (refusals or {}).get(error.errno or 0, failed) from error
