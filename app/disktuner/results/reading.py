# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads typed values out of foreign JSON: what is not as it must be is named with its place and refused."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from disktuner.results.errors import BadResult

T = TypeVar("T", str, int, float, bool)

LONGEST_NAME = 200
LONGEST_TEXT = 100_000


def bad(place: str, wrong: str) -> BadResult:
    """Return the error for something wrong at ``place``, with what to do about it."""
    return BadResult(
        f"This is no sound result: {place} {wrong}. "
        "Use an undamaged copy of the file, or measure again with 'disktuner compare'."
    )


def object_at(value: object, place: str) -> dict[str, Any]:
    """Return ``value`` if it is a JSON object."""
    if not isinstance(value, dict):
        raise bad(place, "must be an object")
    return value


def list_at(value: object, place: str) -> list[Any]:
    """Return ``value`` if it is a JSON list."""
    if not isinstance(value, list):
        raise bad(place, "must be a list")
    return value


def number_at(value: object, place: str) -> float:
    """Return ``value`` if it is a finite number (a truth value is none)."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise bad(place, "must be a number")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise bad(place, "must be a finite number")
    return number


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

    def text(self, key: str, default: str | None = None) -> str:
        """Return a text; without a ``default`` it must be there."""
        value = self.rest.pop(key, default)
        if not isinstance(value, str) or len(value) > LONGEST_TEXT:
            raise bad(self.where(key), "must be a text")
        return value

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

    def number(self, key: str, default: float) -> float:
        """Return a finite number."""
        return number_at(self.rest.pop(key, default), self.where(key))

    def flag(self, key: str, default: bool) -> bool:
        """Return a truth value."""
        value = self.rest.pop(key, default)
        if not isinstance(value, bool):
            raise bad(self.where(key), "must be true or false")
        return value

    def names(self, key: str, default: tuple[str, ...] | None = None) -> tuple[str, ...]:
        """Return a list of names, each only once and in its order; without a ``default`` it must be there."""
        value = self.rest.pop(key, None)
        if value is None and default is not None:
            return default
        return tuple(dict.fromkeys(name_at(each, self.where(key)) for each in list_at(value, self.where(key))))

    def mapping(self, key: str) -> Mapping[str, Any]:
        """Return an object as it is, empty where it is missing."""
        value = self.rest.pop(key, None)
        return {} if value is None else object_at(value, self.where(key))
