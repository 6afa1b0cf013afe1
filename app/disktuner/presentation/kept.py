# SPDX-License-Identifier: GPL-3.0-or-later
"""The kept results, as they are presented."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from disktuner.presentation import Presented, PresentedBetween, listed, present, present_between
from disktuner.results.history import Entry, History
from disktuner.results.store import Store
from disktuner.verdict.judge import judge
from disktuner.verdict.model import METHOD
from disktuner.vocabulary.errors import DisktunerError


@dataclass(frozen=True, slots=True)
class Added:
    """What came of files that were added: the last one that was, and the last reason why one was not."""

    last: Presented | None = None
    failure: DisktunerError | None = None


class KeptResults:
    """A store whose results are presented; every method blocks and is called in a thread. One change at a time.

    ``folder`` None is the user's own, as the command line uses it.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        self._changing = threading.Lock()

    @property
    def _store(self) -> Store:
        return Store(self._folder)

    def entries(self) -> tuple[Entry, ...]:
        """All results, newest first, also those that cannot be opened."""
        return History(self._store, lambda result: listed(judge(result)), METHOD).entries()

    def open(self, result_id: str) -> Presented:
        """A result as it is presented. Raises ``NoSuchResult`` or ``BadResult``."""
        return present(self._store.load(result_id))

    def path_of(self, result_id: str) -> Path:
        """The file of a result; does not block."""
        return self._store.path_of(result_id)

    def add_all(self, paths: Sequence[Path]) -> Added:
        """Keep result files or pictures from elsewhere."""
        last, failure = None, None
        for path in paths:
            try:
                with self._changing:
                    last = self._store.add(path)
            except DisktunerError as error:
                failure = error
        return Added(present(last) if last else None, failure)

    def annotate(self, result_id: str, notes: str) -> None:
        """Write a note to a result."""
        with self._changing:
            self._store.annotate(result_id, notes)

    def remove(self, result_id: str) -> None:
        """Remove a result for good."""
        with self._changing:
            self._store.delete(result_id)

    def between(self, first: str, second: str) -> PresentedBetween:
        """What changed from one result to the other."""
        return present_between(self._store.load(first), self._store.load(second))
