# SPDX-License-Identifier: GPL-3.0-or-later
"""The list of all kept results, complete even if single files are damaged; an index makes it fast.

The index, which is only a cache, keeps the results' answers as messages, independent of language, for one version of
the method.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from disktuner.block.disk import full_name
from disktuner.opening import is_there, read_regular
from disktuner.results.codec import journal_of, load
from disktuner.results.model import Result
from disktuner.results.store import Store
from disktuner.vocabulary.errors import DisktunerError
from disktuner.vocabulary.goals import purpose_of
from disktuner.vocabulary.messages import Message, language, message, named, say
from disktuner.vocabulary.units import moment
from disktuner.writing import NotSaved, write_atomically

INDEX = ".index"
_FORMAT = 5
"""The format of the index; others are ignored."""
LARGEST_INDEX_BYTES = 2**26


MOST_BARS = 4
"""So many are drawn where there is little room."""

Shares = tuple[tuple[str, float], ...]
"""Names of settings with the lengths of their bars, 0 to 1."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One result in the list; ``trouble`` says why it cannot be opened, and all else is then empty.

    ``decision`` is the kind of its answer, and ``about`` the setting that it is about; results that ended early mostly
    have none. ``bars`` are those of its main figure. ``rounds`` is the number of measured rounds, ``state`` that of the
    disk.
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
    state: str = ""

    @property
    def headline(self) -> str:
        return say(self.answer) if self.answer else ""

    @property
    def problem(self) -> str:
        """Why it cannot be opened; empty if it can."""
        return say(self.trouble) if self.trouble else ""

    @property
    def purpose(self) -> str:
        """The goal's name; what is no goal of ours as it is."""
        goal = purpose_of(self.goal)
        return named(goal.name) if goal else self.goal

    def texts(self) -> dict[str, str | tuple[str, ...]]:
        """Return its texts by name, as people and other programs read them."""
        others = ("answer", "trouble", "decision", "about", "bars", "rounds")
        names = (field.name for field in fields(self) if field.name not in others)
        texts = {name: getattr(self, name) for name in names}
        return texts | {"headline": self.headline, "problem": self.problem}

    def holds(self, words: str) -> bool:
        """Whether every word occurs somewhere in the entry, as kept or as shown, whatever its case."""
        texts = (" ".join(v) if isinstance(v, tuple) else v for v in self.texts().values())
        whole = " ".join((*texts, self.purpose, when(self.created))).casefold()
        return all(word in whole for word in words.casefold().split())


Answered = tuple[Message, str, str, Shares]
"""An answer, its decision, the setting that it is about, and its bars."""

_INDEX = msgspec.json.Decoder(dict[str, tuple[str, Entry]])
"""Made on import, as in ``codec``."""


class History:
    """The results of a store with their answers.

    ``answer`` judges a result, once per file. ``method`` is the version of the method; results judged by another are
    judged again.
    """

    def __init__(self, store: Store, answer: Callable[[Result], Answered], method: int) -> None:
        self._store, self._answer, self._method = store, answer, method

    def entries(self, words: str = "") -> tuple[Entry, ...]:
        """Return the entries that contain all words, newest first, including damaged files with the reason."""
        known = _read_index(self._store)
        entries = {path.name: self._entry(path, known.get(path.name)) for path in self._store.paths()}
        if entries != known:
            self._write_index(entries)
        held = [entry for _, entry in entries.values() if entry.holds(words)]
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
            tuple(setting.name for setting in plan.settings),
            result.notes,
            answer,
            None,
            decision,
            about,
            bars,
            result.rounds,
            plan.state,
        )

    def _write_index(self, entries: Mapping[str, tuple[str, Entry]]) -> None:
        data = msgspec.json.encode({name: (state, entry) for name, (state, entry) in entries.items() if state})
        with suppress(NotSaved):  # only a cache: without it, the list is merely slower next time
            write_atomically(self._store.folder / INDEX, data, is_private=True)


def known_entries(store: Store, method: int) -> tuple[Entry, ...] | None:
    """Return all entries, newest first, without reading any result; None if the index is not complete."""
    known = _read_index(store)
    try:
        entries = [known[path.name] for path in store.paths() if known[path.name][0] == _state(path, method)]
    except (KeyError, OSError):
        return None
    return (
        tuple(sorted((entry for _, entry in entries), key=_age, reverse=True)) if len(entries) == len(known) else None
    )


def _read_index(store: Store) -> dict[str, tuple[str, Entry]]:
    """Return the index; empty if it is missing, damaged or foreign."""
    try:
        return _INDEX.decode(read_regular(store.folder / INDEX, LARGEST_INDEX_BYTES))
    except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return {}


def _state(path: Path, method: int) -> str:
    """Return what identifies the state of a result's file and the method. Raises ``OSError``."""
    status = (path if is_there(path) else journal_of(path)).stat()
    return f"{_FORMAT}:{method}:{status.st_mtime_ns}:{status.st_size}:{status.st_ino}"


def _age(entry: Entry) -> tuple[datetime, str]:
    return _instant(entry.created), entry.id


def _instant(created: str) -> datetime:
    """Return a result's time, which other programs may write in any time zone; what is no time is the oldest."""
    try:
        time = datetime.fromisoformat(created)
        return (time if time.tzinfo else time.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        return datetime.min.replace(tzinfo=UTC)


def when(created: str) -> str:
    """Return a result's time (UTC, ISO 8601) in the local time zone; unchanged if it is not a time."""
    try:
        return moment(datetime.fromisoformat(created).astimezone(), language().numbers)
    except (ValueError, OverflowError):
        return created
