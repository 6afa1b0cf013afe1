# SPDX-License-Identifier: GPL-3.0-or-later
"""The stored results as presented."""

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
    """The outcome of adding files: the last one added, and the last failure."""

    last: Presented | None = None
    failure: DisktunerError | None = None


class ResultLibrary:
    """A store of presented results. Every method blocks and is called in a thread; changes are serialised.

    ``folder`` None is the user's, which the command line also uses.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        self._changing = threading.Lock()

    @property
    def _store(self) -> Store:
        return Store(self._folder)

    def entries(self) -> tuple[Entry, ...]:
        """All results, newest first, including those that cannot be opened."""
        return History(self._store, lambda result: listed(judge(result)), METHOD).entries()

    def open(self, result_id: str) -> Presented:
        """Present a result. Raises ``NoSuchResult`` or ``BadResult``."""
        return present(self._store.load(result_id))

    def path_of(self, result_id: str) -> Path:
        """The file of a result; does not block."""
        return self._store.path_of(result_id)

    def add_all(self, paths: Sequence[Path]) -> Added:
        """Store result files or pictures from elsewhere."""
        last, failure = None, None
        for path in paths:
            try:
                with self._changing:
                    last = self._store.add(path)
            except DisktunerError as error:
                failure = error
        return Added(present(last) if last else None, failure)

    def annotate(self, result_id: str, notes: str) -> None:
        """Set a result's notes."""
        with self._changing:
            self._store.annotate(result_id, notes)

    def remove(self, result_id: str) -> None:
        """Remove a result for good."""
        with self._changing:
            self._store.delete(result_id)

    def between(self, first: str, second: str) -> PresentedBetween:
        """Return two results side by side."""
        return present_between(self._store.load(first), self._store.load(second))
