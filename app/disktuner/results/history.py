# SPDX-License-Identifier: GPL-3.0-or-later
"""The list of all kept results: fast by an index that is only a cache, whole although single files are damaged.

The index holds what the results were answered, as messages: in whatever language they are said, they count for one
version of the method.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, fields
from datetime import datetime
from pathlib import Path

import msgspec

from disktuner.block.disk import full_name
from disktuner.opening import is_there, read_regular
from disktuner.results.codec import journal_of, load
from disktuner.results.model import Result
from disktuner.results.store import Store
from disktuner.vocabulary.errors import DisktunerError
from disktuner.vocabulary.messages import Message, language, message, say
from disktuner.vocabulary.units import moment
from disktuner.writing import NotSaved, write_atomically

INDEX = ".index"
_FORMAT = 4
"""Of the index: what an older one says of a file is not read."""
LARGEST_INDEX_BYTES = 2**26


Shares = tuple[tuple[str, float], ...]
"""The names of settings, and how long each one's bar is, from 0 to 1."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One result in the list; ``trouble`` says why it cannot be opened, then all else is empty.

    ``decision`` says what kind of answer it has, and ``about`` which setting that is about; a run that was ended early
    mostly has none. ``bars`` are those of the figure that stands for it. ``rounds`` are those that were measured.
    """

    id: str
    created: str = ""
    disk: str = ""
    goal: str = ""
    baseline: str = ""
    schedulers: tuple[str, ...] = ()
    notes: str = ""
    answer: Message | None = None
    trouble: Message | None = None
    decision: str = ""
    about: str = ""
    bars: Shares = ()
    rounds: int = 0

    @property
    def headline(self) -> str:
        """The answer in a few words."""
        return say(self.answer) if self.answer else ""

    @property
    def problem(self) -> str:
        """Why it cannot be opened, empty where it can."""
        return say(self.trouble) if self.trouble else ""

    def texts(self) -> dict[str, str | tuple[str, ...]]:
        """Return all of it by name, as people and other programs read it."""
        others = ("answer", "trouble", "decision", "about", "bars", "rounds")
        kept = {each.name: getattr(self, each.name) for each in fields(self) if each.name not in others}
        return kept | {"headline": self.headline, "problem": self.problem}

    def holds(self, words: str) -> bool:
        """Say whether every word occurs somewhere in the entry, whatever its case."""
        whole = " ".join(" ".join(v) if isinstance(v, tuple) else v for v in self.texts().values()).casefold()
        return all(word in whole for word in words.casefold().split())


Answered = tuple[Message, str, str, Shares]
"""An answer, its decision, the setting that it is about, and its bars."""

_INDEX = msgspec.json.Decoder(dict[str, tuple[str, Entry]])
"""Made at once, as in ``codec``."""


class History:
    """The results of a store with their answers.

    ``answer`` draws one from a result, with its decision, the setting it is about and its bars, once per file.
    ``method`` is the version of what answers: an answer of another one is drawn anew.
    """

    def __init__(self, store: Store, answer: Callable[[Result], Answered], method: int) -> None:
        self._store, self._answer, self._method = store, answer, method

    def entries(self, words: str = "") -> tuple[Entry, ...]:
        """Return the entries that hold all words, newest first; damaged files are among them, with the reason."""
        known = _read_index(self._store)
        found = {path.name: self._entry(path, known.get(path.name)) for path in self._store.paths()}
        if found != known:
            self._write_index(found)
        held = [entry for _, entry in found.values() if entry.holds(words)]
        return tuple(sorted(held, key=_age, reverse=True))

    def _entry(self, path: Path, known: tuple[str, Entry] | None) -> tuple[str, Entry]:
        try:
            state = _state(path, self._method)
        except OSError:
            return "", Entry(path.stem, trouble=message("just-gone"))
        if known is not None and known[0] == state:
            return known
        try:
            return state, self._summary(path.stem, load(path))
        except DisktunerError as error:
            return state, Entry(path.stem, trouble=error.message)

    def _summary(self, name: str, result: Result) -> Entry:
        answer, decision, about, bars = self._answer(result)
        plan = result.plan
        return Entry(
            name,
            result.created,
            full_name(result.disk.get),
            plan.goal or "",
            plan.baseline.name,
            tuple(each.name for each in plan.settings),
            result.notes,
            answer,
            None,
            decision,
            about,
            bars,
            result.rounds,
        )

    def _write_index(self, found: Mapping[str, tuple[str, Entry]]) -> None:
        data = msgspec.json.encode({name: each for name, each in found.items() if each[0]})
        with suppress(NotSaved):  # only a cache: the list is as good without, merely slower the next time
            write_atomically(self._store.folder / INDEX, data, is_private=True)


def known_entries(store: Store, method: int) -> tuple[Entry, ...] | None:
    """Return all entries, newest first, without reading a result; None where the index does not have them all."""
    known = _read_index(store)
    try:
        found = [known[path.name] for path in store.paths() if known[path.name][0] == _state(path, method)]
    except (KeyError, OSError):
        return None
    return tuple(sorted((entry for _, entry in found), key=_age, reverse=True)) if len(found) == len(known) else None


def _read_index(store: Store) -> dict[str, tuple[str, Entry]]:
    """Return the cache; a missing, damaged or foreign one is the same as none."""
    try:
        return _INDEX.decode(read_regular(store.folder / INDEX, LARGEST_INDEX_BYTES))
    except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return {}


def _state(path: Path, method: int) -> str:
    """Return what tells whether a result is as it was, and was judged by this method. Raises ``OSError``."""
    status = (path if is_there(path) else journal_of(path)).stat()
    return f"{_FORMAT}:{method}:{status.st_mtime_ns}:{status.st_size}:{status.st_ino}"


def _age(entry: Entry) -> tuple[str, str]:
    return entry.created, entry.id


def when(created: str) -> str:
    """Return a result's time (UTC, ISO 8601) in the local time zone; as it stands where it is no time."""
    try:
        return moment(datetime.fromisoformat(created).astimezone(), language().numbers)
    except (ValueError, OverflowError):
        return created
