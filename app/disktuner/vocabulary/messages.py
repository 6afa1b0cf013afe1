# SPDX-License-Identifier: GPL-3.0-or-later
"""Messages: an id with values, said as a whole sentence of the catalogue in the reader's language.

Nothing but ``say`` turns a message into words, and nothing ever reads words back: code looks at ``Message.id`` and its
values, result files keep both.
"""

from __future__ import annotations

import string
from collections.abc import Callable, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias

from disktuner.vocabulary import units
from disktuner.vocabulary.english import TEXTS
from disktuner.vocabulary.printable import printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

Template: TypeAlias = str | tuple[str, ...]
"""A sentence with places (``{size:bytes}``), or its forms for singular and plurals, chosen by the value ``count``."""


@dataclass(frozen=True, slots=True)
class Message:
    """What is to be said: the id of a sentence in the catalogue, and the values of its places by name."""

    id: str
    pairs: tuple[tuple[str, Value], ...] = ()

    @property
    def values(self) -> dict[str, Value]:
        """The values by name."""
        return dict(self.pairs)


Value: TypeAlias = str | int | float | bool | Message | tuple[str, ...] | None
"""A place in a sentence holds a text, a number in base units (bytes, seconds, a share of 1), a list or a message."""


def message(id_: str, /, **values: Value) -> Message:
    """Return a message; ``message("too-little-room", folder=folder, needed=10**9)``."""
    return Message(id_, tuple(values.items()))


def literal(text: str) -> Message:
    """Return the words of others as a message, shown as they are: a program's output, an old result's reason."""
    return message("literal", text=text)


@dataclass(frozen=True, slots=True)
class Language:
    """A language.

    ``id`` is its locale (``pl``, ``zh_CN``), ``texts`` are its sentences by id, ``name_of`` turns the English name of a
    declared fact into its own, ``numbers`` says how it writes numbers and chooses plurals.
    """

    id: str
    texts: Mapping[str, Template]
    name_of: Callable[[str], str] = str
    numbers: units.Numbers = units.ENGLISH

    @property
    def tag(self) -> str:
        """The language as HTML and XML call it (BCP 47): ``zh-CN``."""
        return self.id.replace("_", "-")


ENGLISH = Language("en", TEXTS)
_spoken = [ENGLISH]  # the one language of this process: set by the outermost floor before anything is said


def language() -> Language:
    """Return the language in which ``say`` speaks now."""
    return _spoken[-1]


@contextmanager
def speaking(other: Language) -> Iterator[None]:
    """Say everything in another language meanwhile."""
    _spoken.append(other)
    try:
        yield
    finally:
        _spoken.pop()


def in_window(spoken: Language) -> Language:
    """Return a language that says where to go in the window, if the catalogue knows, in place of a command."""
    return replace(spoken, texts=_InWindow(spoken.texts))


class _InWindow(Mapping[str, Template]):
    """The sentences of a language, those for the window first."""

    def __init__(self, texts: Mapping[str, Template]) -> None:
        self._texts = texts

    def __getitem__(self, id_: str) -> Template:
        return self._texts[here if (here := f"in-window-{id_}") in self._texts else id_]

    def __iter__(self) -> Iterator[str]:
        return iter(self._texts)

    def __len__(self) -> int:
        return len(self._texts)


def say(what: Message) -> str:
    """Return the sentence. A message that this version does not know (a newer result's) shows its id and values."""
    by = language() if what.id in language().texts else ENGLISH
    template = by.texts.get(what.id)
    values = what.values
    if template is None:
        shown = ", ".join(f"{name} {value}" for name, value in values.items())
        return printable(f"{what.id} ({shown})" if shown else what.id)
    count = values.get("count")
    try:
        if not isinstance(template, str):
            template = template[by.numbers.plural(int(count) if isinstance(count, int | float) else 0)]
        return _FORMATTER.vformat(template, (), values)
    except (LookupError, ValueError, TypeError, ArithmeticError):  # a foreign file's message lacks a value, or its type
        return printable(f"{what.id} ({values})")


def say_all(sentences: Iterable[Message]) -> str:
    """Return several sentences as one text; a full-width full stop brings its own space."""
    return " ".join(map(say, sentences)).replace("。 ", "。")


def text(id_: str, /, **values: Value) -> str:
    """Return the sentence of an id: ``say(message(...))`` for what is shown at once."""
    return say(Message(id_, tuple(values.items())))


def cleaned(what: Message, clean: Callable[[str], str]) -> Message:
    """Return a message with all texts in its values cleaned, those of messages within it, too."""

    def of(value: Value) -> Value:
        if isinstance(value, Message):
            return cleaned(value, clean)
        if isinstance(value, tuple):
            return tuple(map(clean, value))
        return clean(value) if isinstance(value, str) else value

    return Message(what.id, tuple((name, of(value)) for name, value in what.pairs))


def without_words(what: Message) -> str:
    """Return a message for the log: ids and numbers, and nothing that a user, a file or a program said."""
    shown = [
        f"{name} {without_words(value) if isinstance(value, Message) else value}"
        for name, value in what.pairs
        if isinstance(value, Message | int | float)
    ]
    return f"{what.id} ({', '.join(shown)})" if shown else what.id


def named(english: str) -> str:
    """Return a declared fact's name (of a goal, a metric, a kind of disk) in the reader's language."""
    return language().name_of(english)


class _Formatter(string.Formatter):
    """Fills a sentence's places; what follows the colon is a way of writing values (``units.WAYS``)."""

    def format_field(self, value: Any, format_spec: str) -> str:
        if isinstance(value, Message):
            value = say(value)
        if format_spec == "named":
            return printable(named(str(value)))
        if format_spec:
            return units.WAYS[format_spec](value, language().numbers)
        if isinstance(value, int) and not isinstance(value, bool):
            return units.count(value, language().numbers)
        if isinstance(value, float):
            return units.digits(value, language().numbers)
        if isinstance(value, tuple):
            return units.in_a_row(value, language().numbers)
        return printable(str(value))

    def convert_field(self, value: Any, conversion: str | None) -> Any:
        """``{reason!s}`` is a sentence within a sentence, without its full stop; ``{subject!a}`` begins a sentence."""
        if isinstance(value, Message):
            value = say(value)
        if conversion == "a":
            return str(value)[:1].upper() + str(value)[1:]
        return str(value).rstrip(".。") if conversion == "s" else value


_FORMATTER = _Formatter()
