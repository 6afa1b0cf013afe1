# SPDX-License-Identifier: GPL-3.0-or-later
"""The list of all kept results: fast by an index that is only a cache, whole although single files are damaged.

The index holds headlines as they were said, so it counts for one language.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path

import msgspec

from disktuner.opening import read_regular
from disktuner.results.codec import journal_of, load
from disktuner.results.model import Result
from disktuner.results.store import Store
from disktuner.vocabulary.errors import DisktunerError
from disktuner.vocabulary.messages import language, text
from disktuner.vocabulary.units import moment
from disktuner.writing import NotSaved, write_atomically

INDEX = ".index"
_FORMAT = 2
"""Of the index: what an older one says of a file is not read."""
LARGEST_INDEX_BYTES = 2**26


@dataclass(frozen=True, slots=True)
class Entry:
    """One result in the list; ``problem`` says why it cannot be opened, then the other texts are empty.

    ``answers`` is whether its headline is an answer; a run that was ended early mostly has none.
    """

    id: str
    created: str = ""
    disk: str = ""
    goal: str = ""
    baseline: str = ""
    schedulers: tuple[str, ...] = ()
    headline: str = ""
    notes: str = ""
    problem: str = ""
    answers: bool = False

    def holds(self, words: str) -> bool:
        """Say whether every word occurs somewhere in the entry, whatever its case."""
        whole = " ".join(" ".join(v) if isinstance(v, tuple) else str(v) for v in asdict(self).values()).casefold()
        return all(word in whole for word in words.casefold().split())


_INDEX = msgspec.json.Decoder(dict[str, tuple[str, Entry]])
"""Made at once, as in ``codec``."""


class History:
    """The results of a store with their headlines.

    ``headline`` draws one from a result, with whether it is an answer, and is asked once per file.
    """

    def __init__(self, store: Store, headline: Callable[[Result], tuple[str, bool]]) -> None:
        self._store = store
        self._headline = headline

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
            state = _state(path)
        except OSError:
            return "", Entry(path.stem, problem=text("just-gone"))
        if known is not None and known[0] == state:
            return known
        try:
            return state, self._summary(path.stem, load(path))
        except DisktunerError as error:
            return state, Entry(path.stem, problem=str(error))

    def _summary(self, name: str, result: Result) -> Entry:
        disk = result.disk
        title = " ".join(str(disk[key]) for key in ("vendor", "model", "name") if disk.get(key))
        plan = result.plan
        headline, answers = self._headline(result)
        return Entry(
            name,
            result.created,
            title,
            plan.goal or "",
            plan.baseline.name,
            tuple(each.name for each in plan.settings),
            headline,
            result.notes,
            answers=answers,
        )

    def _write_index(self, found: Mapping[str, tuple[str, Entry]]) -> None:
        data = msgspec.json.encode({name: each for name, each in found.items() if each[0]})
        with suppress(NotSaved):  # only a cache: the list is as good without, merely slower the next time
            write_atomically(self._store.folder / INDEX, data, is_private=True)


def known_entries(store: Store) -> tuple[Entry, ...] | None:
    """Return all entries, newest first, without reading a result; None where the index does not have them all."""
    known = _read_index(store)
    try:
        found = [known[path.name] for path in store.paths() if known[path.name][0] == _state(path)]
    except (KeyError, OSError):
        return None
    return tuple(sorted((entry for _, entry in found), key=_age, reverse=True)) if len(found) == len(known) else None


def _read_index(store: Store) -> dict[str, tuple[str, Entry]]:
    """Return the cache; a missing, damaged or foreign one is the same as none."""
    try:
        return _INDEX.decode(read_regular(store.folder / INDEX, LARGEST_INDEX_BYTES))
    except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return {}


def _state(path: Path) -> str:
    """Return what tells whether a result is as it was, and was told in this language. Raises ``OSError``."""
    status = (path if path.exists() else journal_of(path)).stat()
    return f"{_FORMAT}:{language().id}:{status.st_mtime_ns}:{status.st_size}:{status.st_ino}"


def _age(entry: Entry) -> tuple[str, str]:
    return entry.created, entry.id


def when(created: str) -> str:
    """Return a result's time (UTC, ISO 8601) in the local time zone; as it stands where it is no time."""
    try:
        return moment(datetime.fromisoformat(created).astimezone(), language().numbers)
    except (ValueError, OverflowError):
        return created
