# SPDX-License-Identifier: GPL-3.0-or-later
"""The kept results as the window uses them; every method blocks and is called in a thread."""

from __future__ import annotations

from pathlib import Path

from disktuner.comparison.request import JudgedResult
from disktuner.results.history import Entry, History
from disktuner.results.model import Result
from disktuner.results.store import Store
from disktuner.verdict.between import Between, between
from disktuner.verdict.judge import judge
from disktuner.vocabulary.messages import say_all


class Shelf:
    """A store with verdicts. ``folder`` None is the user's own, as the command line uses it."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder

    @property
    def _store(self) -> Store:
        return Store(self._folder)

    def entries(self) -> tuple[Entry, ...]:
        """All results, newest first, also those that cannot be opened."""
        return History(self._store, lambda result: say_all(judge(result).why)).entries()

    def open(self, result_id: str) -> JudgedResult:
        """A result with its verdict. Raises ``NoSuchResult`` or ``BadResult``."""
        return self._outcome(self._store.load(result_id))

    def add(self, path: Path) -> JudgedResult:
        """Keep a result file or picture from elsewhere. Raises ``NoSuchResult``, ``BadResult`` or ``NotSaved``."""
        return self._outcome(self._store.add(path))

    def annotate(self, result_id: str, notes: str) -> None:
        """Write a note to a result."""
        self._store.annotate(result_id, notes)

    def remove(self, result_id: str) -> None:
        """Remove a result for good."""
        self._store.delete(result_id)

    def between(self, first: str, second: str) -> Between:
        """What changed from one result to the other."""
        return between(self._store.load(first), self._store.load(second))

    def _outcome(self, result: Result) -> JudgedResult:
        return JudgedResult(result, judge(result), self._store.path_of(result.id))
