# SPDX-License-Identifier: GPL-3.0-or-later
"""The root of the program's errors: each is a sentence for a person and knows its exit code."""

from __future__ import annotations


class DisktunerError(Exception):
    """An error whose text a person may read: what happened, and what to do next."""

    exit_code = 1


class NotAuthorised(DisktunerError):
    """polkit said no, or nobody was there to ask."""

    exit_code = 3


class NoSuchThing(DisktunerError):
    """No such disk, scheduler or workload, or it cannot be tuned."""

    exit_code = 4


class MeasurementImpossible(DisktunerError):
    """A measurement is invalid or cannot be made here."""

    exit_code = 5


class HelperNotThere(DisktunerError):
    """The privileged helper cannot be reached."""

    exit_code = 6


class Cancelled(DisktunerError):
    """The user ended it; everything is restored."""

    exit_code = 130


class UsageError(DisktunerError):
    """The request itself is wrong."""

    exit_code = 2
