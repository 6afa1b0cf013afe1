# SPDX-License-Identifier: GPL-3.0-or-later
"""The errors that callers may see: each one's D-Bus name is a prefix and its class's name, its text the reason."""

import errno
from collections.abc import Iterator, Mapping
from contextlib import contextmanager


class HelperError(Exception):
    """An error for the caller: a reason and fields without spaces or unchecked input, ``reason field=value …``."""

    prefix = "org.disktuner.Error."  # of its D-Bus name

    def __init__(self, reason: str, **fields: object) -> None:
        super().__init__(" ".join((reason, *(f"{name}={value}" for name, value in fields.items()))))


class AccessDenied(HelperError):
    """polkit refused, nobody could be asked, or the caller is gone."""

    prefix = "org.freedesktop.DBus.Error."


def _error(name: str, meaning: str) -> type[HelperError]:
    return type(name, (HelperError,), {"__doc__": meaning})


NoSuchDisk = _error("NoSuchDisk", "There is no such whole disk.")
StaleDisk = _error("StaleDisk", "The name now belongs to a different disk than the one the caller looked at.")
NotTunable = _error("NotTunable", "The kernel allows no choice of scheduler for this disk.")
NoSuchScheduler = _error("NoSuchScheduler", "The kernel neither offers this scheduler nor can load it.")
InvalidTunable = _error("InvalidTunable", "It is not in the closed list, out of range, or not the current scheduler's.")
NoSuchTrial = _error("NoSuchTrial", "There is no such trial, or it is somebody else's.")
Busy = _error("Busy", "A trial holds the disk, or a limit is reached.")
NotUnique = _error("NotUnique", "The disk has no unique identity for a rule to match.")
WriteFailed = _error("WriteFailed", "The kernel or the file system refused a write; the previous state is restored.")


@contextmanager
def os_error_as(reason: str, refusals: Mapping[int, HelperError] | None = None, **fields: object) -> Iterator[None]:
    """Turn an OSError into the error that ``refusals`` has for its errno, else into WriteFailed."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.EMFILE, errno.ENFILE, errno.ENOMEM):
            raise  # a limit of the process or the computer says nothing about the file
        failed = WriteFailed(reason, **fields, cause=errno.errorcode.get(error.errno or 0, error.errno))
        raise (refusals or {}).get(error.errno or 0, failed) from error
