# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads typed values out of foreign JSON: what is not as it must be is named with its place and refused."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from disktuner.results.model import BadResult

LARGEST_TEXT_BYTES = 2**26
"""A million live points take 64.1 MB; half an hour of runs, with everything, takes 6 MB."""

LARGEST_WIDE_BYTES = 2**24
"""Of a text that is not all ASCII: one sign of another script would make each of its characters four bytes wide."""

LONGEST_NAME = 200
LONGEST_LINE = 2_000
LONGEST_TEXT = 100_000
MOST_NAMES = 1_000
LARGEST_NUMBER = 1e18
"""No disk moves more bytes a second, and no run takes so many nanoseconds."""

DEEPEST = 8
"""How deep values may lie in each other that are only kept: no part of ours goes below four."""


def bad(place: str, wrong: str) -> BadResult:
    """Return the error for something wrong at ``place``, with what to do about it."""
    return BadResult(
        f"This is no sound result: {place} {wrong}. "
        "Use an undamaged copy of the file, or measure again with 'disktuner compare'."
    )


def too_large(name: str) -> BadResult:
    """Return the error for a file that holds more than any result does."""
    return BadResult(f"{name} is larger than any result that Disktuner writes. Choose another file.")


def as_text(data: bytes) -> str:
    """Return the text of a file. Raises ``UnicodeDecodeError``, and ``BadResult`` where it would take much memory."""
    if len(data) > (LARGEST_TEXT_BYTES if data.isascii() else LARGEST_WIDE_BYTES):
        raise too_large("The file")
    return data.decode("utf-8-sig")


def object_at(value: object, place: str) -> dict[str, Any]:
    """Return ``value`` if it is a JSON object."""
    if not isinstance(value, dict):
        raise bad(place, "must be an object")
    return value


def list_at(value: object, place: str, most: int = MOST_NAMES) -> list[Any]:
    """Return ``value`` if it is a JSON list of at most so many entries."""
    if not isinstance(value, list) or len(value) > most:
        raise bad(place, f"must be a list of at most {most} entries")
    return value


def text_at(value: object, place: str, longest: int = LONGEST_LINE) -> str:
    """Return ``value`` if it is a text that is not too long and can be written (half a surrogate pair cannot)."""
    if not isinstance(value, str) or len(value) > longest or not is_writable(value):
        raise bad(place, f"must be a text of at most {longest} characters")
    return value


def is_writable(text: str) -> bool:
    """Say whether a text can stand in a file: JSON and command lines may hold halves of surrogate pairs."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def kept_at(value: object, place: str, depth: int = DEEPEST) -> Any:
    """Return a JSON value that is kept and not understood, if every number, text and depth in it is ordinary."""
    if isinstance(value, str):
        return text_at(value, place, LONGEST_TEXT)
    if isinstance(value, int | float) and not abs(value) <= 2**64:
        raise bad(place, "must not hold numbers beyond 64 bits")
    if isinstance(value, dict | list):
        if not depth:
            raise bad(place, f"must not be nested deeper than {DEEPEST} times")
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            kept_at(inner, place, depth - 1)
            if isinstance(key, str):
                text_at(key, place, LONGEST_NAME)
    return value


def name_at(value: object, place: str) -> str:
    """Return ``value`` if it can stand in a sentence as a name: short, not empty, without control characters."""
    if not isinstance(value, str) or not value or len(value) > LONGEST_NAME or not value.isprintable():
        raise bad(place, f"must be a name of 1 to {LONGEST_NAME} printable characters")
    return value


@dataclass(slots=True)
class Fields:
    """The keys of one JSON object, taken one by one; what is left over is kept as ``rest``."""

    place: str
    rest: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, value: object, place: str) -> Fields:
        """Begin to read an object."""
        return cls(place, dict(object_at(value, place)))

    def where(self, key: str) -> str:
        """Name the place of a key in sentences."""
        return f"'{self.place}.{key}'" if self.place else f"'{key}'"

    def take(self, key: str, default: Any = None) -> Any:
        """Return a key's raw value and mark it as read."""
        return self.rest.pop(key, default)

    def text(self, key: str, default: str | None = None, longest: int = LONGEST_LINE) -> str:
        """Return a text; without a ``default`` it must be there."""
        return text_at(self.rest.pop(key, default), self.where(key), longest)

    def name(self, key: str) -> str:
        """Return a name that must be there."""
        return name_at(self.rest.pop(key, None), self.where(key))

    def optional_name(self, key: str) -> str | None:
        """Return a name or None."""
        value = self.rest.pop(key, None)
        return None if value is None else name_at(value, self.where(key))

    def integer(self, key: str, default: int | None = None) -> int | None:
        """Return a whole number of at most 64 bits, or the default."""
        value = self.rest.pop(key, default)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int) or abs(value) >= 2**64:
            raise bad(self.where(key), "must be a whole number")
        return value

    def flag(self, key: str, default: bool) -> bool:
        """Return a truth value."""
        value = self.rest.pop(key, default)
        if not isinstance(value, bool):
            raise bad(self.where(key), "must be true or false")
        return value

    def names(self, key: str, most: int = MOST_NAMES) -> tuple[str, ...]:
        """Return a list of names, each only once and in its order; empty where it is missing."""
        value = self.rest.pop(key, None)
        found = [] if value is None else list_at(value, self.where(key), most)
        return tuple(dict.fromkeys(name_at(each, self.where(key)) for each in found))

    def mapping(self, key: str) -> Mapping[str, Any]:
        """Return an object as it is, empty where it is missing."""
        value = self.rest.pop(key, None)
        return {} if value is None else object_at(value, self.where(key))

    def unknown(self) -> dict[str, Any]:
        """Return what was not taken, to be kept."""
        kept_at(self.rest, f"'{self.place}'" if self.place else "what it says besides")
        return self.rest
