# SPDX-License-Identifier: GPL-3.0-or-later
"""Keeps a result while it is measured, in the first of several places that works, so that nothing is lost."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from disktuner.results.model import Addition, Result
from disktuner.results.store import Journal
from disktuner.vocabulary.messages import Message, message
from disktuner.writing import NotSaved


class Keeper:
    """Keeps a result step by step; if a place fails, it moves to the next one with all that was kept before.

    After the ``journal`` come the ``places``, which are files, and at last a new temporary folder; ``report`` is called
    with the new place. If all fail, measuring goes on, and ``finish`` returns None. Leaving the context early keeps the
    unfinished result.
    """

    def __init__(
        self, journal: Journal, places: Sequence[Path], empty: Result, report: Callable[[Message], object]
    ) -> None:
        self._journal: Journal | None = journal
        self._places = list(places)
        self._result = empty
        self._samples_before = len(empty.samples)
        self._report = report
        self._spare: Path | None = None

    def __enter__(self) -> Keeper:
        return self

    def __exit__(self, *given: object) -> None:
        if self._journal:
            self._journal.__exit__(*given)
        self._clear()

    @property
    def kept(self) -> Path | None:
        """The file of the result; None before its first new sample, or if all places failed."""
        return self._journal.path if self._journal and len(self._result.samples) > self._samples_before else None

    def append(self, addition: Addition) -> None:
        self._keep(lambda journal: journal.append(addition))
        self._result = self._result.plus(addition)

    def finish(self, result: Result) -> Path | None:
        """Write the whole result; return its file."""
        self._result = result
        self._keep(lambda journal: journal.finish(result))
        return self._journal.path if self._journal else None

    def _keep(self, do: Callable[[Journal], object]) -> None:
        """Apply ``do`` to the journal, or to the next place where that works."""
        refused, left = None, list[Journal]()
        while self._journal:
            try:
                do(self._journal)
                break
            except NotSaved as error:
                refused = refused or error
                left.append(self._journal)
                self._take_next()
        if refused is None:
            return
        about = {name: refused.message.values[name] for name in ("file", "why")}
        if self._journal:
            self._report(message("kept-elsewhere", **about, kept=str(self._journal.path)))
        else:
            left.pop(0).__exit__()  # keep what it took before it failed
            self._report(message("kept-nowhere", **about))
        for journal in left:
            journal.discard()

    def _take_next(self) -> None:
        place = self._places.pop(0) if self._places else self._spare_place()
        self._journal = Journal(place, self._result) if place else None

    def _spare_place(self) -> Path | None:
        """Return a file in a new private temporary folder, the last resort."""
        if self._spare is None:
            with suppress(OSError):
                self._spare = Path(tempfile.mkdtemp(prefix="disktuner-"))
                return self._spare / f"{self._result.id}.json"
        return None

    def _clear(self) -> None:
        """Remove the temporary folder if it is empty."""
        if self._spare:
            with suppress(OSError):
                self._spare.rmdir()


def not_saved_but_kept(refused: NotSaved, kept: Path | None) -> Message:
    """Return that a result was not saved where requested, and where it was kept instead."""
    return message("not-saved-but-kept", **refused.message.values, kept=str(kept)) if kept else refused.message
