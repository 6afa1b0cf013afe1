# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads typed values out of foreign JSON: what is not as it must be is named with its place and refused."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NoReturn

from disktuner.results.model import BadResult
from disktuner.vocabulary.messages import Message, Value, message

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


DEEPEST_MESSAGE = 3
"""A warning holds the reason of a run, and that the words of a program."""

MOST_VALUES, MOST_LISTED = 20, 100


def bad(wrong: str, place: str = "", **values: Value) -> BadResult:
    """Return the error for something wrong at a place: ``wrong`` is the id of its sentence."""
    return BadResult("unsound", wrong=message(wrong, place=place, **values))


def as_text(data: bytes) -> str:
    """Return the text of a file. Raises ``UnicodeDecodeError``, and ``BadResult`` where it would take much memory."""
    if len(data) > (LARGEST_TEXT_BYTES if data.isascii() else LARGEST_WIDE_BYTES):
        raise BadResult("file-too-large")
    return data.decode("utf-8-sig")


def parse(text: str) -> Any:
    """Return what JSON text says. Raises ``BadResult``, also for what JSON allows and no measurement yields."""
    try:
        return json.loads(text, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        raise BadResult("file-is-damaged", line=error.lineno, column=error.colno, why=error.msg) from None
    except (RecursionError, ValueError):
        raise BadResult("file-is-foreign-json") from None


def _refuse_constant(name: str) -> NoReturn:
    raise BadResult("constant-in-result", constant=name)


def object_at(value: object, place: str) -> dict[str, Any]:
    """Return ``value`` if it is a JSON object."""
    if not isinstance(value, dict):
        raise bad("must-be-object", place)
    return value


def list_at(value: object, place: str, most: int = MOST_NAMES) -> list[Any]:
    """Return ``value`` if it is a JSON list of at most so many entries."""
    if not isinstance(value, list) or len(value) > most:
        raise bad("must-be-list", place, most=most)
    return value


def text_at(value: object, place: str, longest: int = LONGEST_LINE) -> str:
    """Return ``value`` if it is a text that is not too long and can be written (half a surrogate pair cannot)."""
    if not isinstance(value, str) or len(value) > longest or not is_writable(value):
        raise bad("must-be-text", place, most=longest)
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
        raise bad("number-too-large", place)
    if isinstance(value, dict | list):
        if not depth:
            raise bad("nested-too-deep", place, most=DEEPEST)
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            kept_at(inner, place, depth - 1)
            if isinstance(key, str):
                text_at(key, place, LONGEST_NAME)
    return value


def name_at(value: object, place: str) -> str:
    """Return ``value`` if it can stand in a sentence as a name: short, not empty, without control characters."""
    if not isinstance(value, str) or not value or len(value) > LONGEST_NAME or not value.isprintable():
        raise bad("must-be-name", place, most=LONGEST_NAME)
    return value


def message_at(value: object, place: str, depth: int = DEEPEST_MESSAGE) -> Message:
    """Return the message that ``message_json`` wrote.

    Its id need not be one that this version knows, and every value is small: it may be shown whoever wrote it.
    """
    if not isinstance(value, dict) or not depth:
        raise bad("must-be-message", place)
    values = object_at(value.get("values", {}), f"{place}.values")
    if len(values) > MOST_VALUES:
        raise bad("must-be-message", place)
    pairs = tuple((name_at(name, place), _value_at(each, f"{place}.{name}", depth)) for name, each in values.items())
    return Message(name_at(value.get("id"), f"{place}.id"), pairs)


def _value_at(value: object, place: str, depth: int) -> Value:
    if isinstance(value, dict):
        return message_at(value, place, depth - 1)
    if isinstance(value, list):
        return tuple(text_at(each, place, LONGEST_NAME) for each in list_at(value, place, MOST_LISTED))
    if isinstance(value, str):
        return text_at(value, place)
    if value is None or isinstance(value, int | float):
        kept_at(value, place)
        return value
    raise bad("must-be-message", place)


def message_json(what: Message) -> dict[str, Any]:
    """Return a message as a JSON object."""
    return {"id": what.id, "values": {name: _plain(value) for name, value in what.pairs}}


def _plain(value: Value) -> Any:
    if isinstance(value, Message):
        return message_json(value)
    return list(value) if isinstance(value, tuple) else value


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
        return f"{self.place}.{key}" if self.place else key

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
            raise bad("must-be-integer", self.where(key))
        return value

    def flag(self, key: str, default: bool) -> bool:
        """Return a truth value."""
        value = self.rest.pop(key, default)
        if not isinstance(value, bool):
            raise bad("must-be-flag", self.where(key))
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
        kept_at(self.rest, self.place or "result")
        return self.rest
