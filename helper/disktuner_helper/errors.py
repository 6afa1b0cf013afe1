# SPDX-License-Identifier: GPL-3.0-or-later
"""The errors that callers may see: the D-Bus name of each is its class's name behind a prefix."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager


class HelperError(Exception):
    """An error for the caller. Its text is ours alone: it never repeats what the caller sent unchecked."""

    prefix = "org.disktuner.Error."

    @property
    def name(self) -> str:
        """The D-Bus name."""
        return self.prefix + type(self).__name__


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


@contextmanager
def saying(what: str, refusals: Mapping[int, HelperError] | None = None) -> Iterator[None]:
    """Turn what the system refuses into an error of ours: that of ``refusals`` by errno, else WriteFailed."""
    try:
        yield
    except OSError as error:
        number = error.errno or 0
        raise (refusals or {}).get(number, WriteFailed(f"{what}: {os.strerror(number)}.")) from error
