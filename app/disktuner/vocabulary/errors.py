# SPDX-License-Identifier: GPL-3.0-or-later
"""The root of the program's errors: each is a message for a person, with its values, and knows its exit code."""

from __future__ import annotations

from typing import Self

from disktuner.vocabulary.messages import Message, Value, say


class DisktunerError(Exception):
    """An error that a person may read: ``NoSuchThing("no-such-disk", disk="sdx")``.

    Attributes: ``message`` is what happened and what to do next, an id of the catalogue with its values.
    """

    exit_code = 1

    def __init__(self, id_: str, /, **values: Value) -> None:
        self.message = Message(id_, tuple(values.items()))
        super().__init__(id_)

    @classmethod
    def of(cls, message: Message) -> Self:
        """Return the error that says a message."""
        return cls(message.id, **message.values)

    def __str__(self) -> str:
        return say(self.message)


class NotAuthorised(DisktunerError):
    """polkit said no, or nobody was there to ask."""

    exit_code = 3


class NoSuchThing(DisktunerError):
    """No such disk, scheduler or workload, or the disk cannot be tuned."""

    exit_code = 4


class MeasurementImpossible(DisktunerError):
    """A measurement is invalid or cannot be made here."""

    exit_code = 5


class Answered(DisktunerError):
    """What was to be measured is known without; nothing failed, and the message is the answer."""

    exit_code = 0


class HelperNotThere(DisktunerError):
    """The privileged helper cannot be reached."""

    exit_code = 6


class Cancelled(DisktunerError):
    """The user ended it; everything is restored."""

    exit_code = 130


class UsageError(DisktunerError):
    """The request itself is wrong, or names a result that does not exist."""

    exit_code = 2
