# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a result is kept while it is measured: at the first of some places that takes it, so that none is lost."""

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
    """Keeps a result step by step; what a place no longer takes goes on at the next one, with all from before.

    After the ``journal`` come the ``places``, which are files, and in the end a new folder among the temporary ones.
    ``told`` is told where it is kept then. Where no place takes it, it is measured all the same, and ``finish`` returns
    None. Leave the context early, and what was measured is there, unfinished.
    """

    def __init__(
        self, journal: Journal, places: Sequence[Path], empty: Result, told: Callable[[Message], object]
    ) -> None:
        self._journal: Journal | None = journal
        self._places = list(places)
        self._result = empty
        self._samples_before = len(empty.samples)
        self._told = told
        self._spare: Path | None = None

    def __enter__(self) -> Keeper:
        return self

    def __exit__(self, *given: object) -> None:
        if self._journal:
            self._journal.__exit__(*given)
        self._clear()

    @property
    def kept(self) -> Path | None:
        """Where something is kept that was measured now."""
        return self._journal.path if self._journal and len(self._result.samples) > self._samples_before else None

    def append(self, addition: Addition) -> None:
        """Keep what a step added."""
        self._keep(lambda journal: journal.append(addition))
        self._result = self._result.plus(addition)

    def finish(self, result: Result) -> Path | None:
        """Write the whole result; return its file."""
        self._result = result
        self._keep(lambda journal: journal.finish(result))
        return self._journal.path if self._journal else None

    def _keep(self, do: Callable[[Journal], object]) -> None:
        """Do it with the journal, or with the first of the next places where that can be done."""
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
            self._told(message("kept-elsewhere", **about, kept=str(self._journal.path)))
        else:
            left.pop(0).__exit__()  # what it took until then is all that there is
            self._told(message("kept-nowhere", **about))
        for journal in left:
            journal.discard()

    def _take_next(self) -> None:
        place = self._places.pop(0) if self._places else self._spare_place()
        self._journal = Journal(place, self._result) if place else None

    def _spare_place(self) -> Path | None:
        """A file in a folder that only this user may look into; the last resort."""
        if self._spare is None:
            with suppress(OSError):
                self._spare = Path(tempfile.mkdtemp(prefix="disktuner-"))
                return self._spare / f"{self._result.id}.json"
        return None

    def _clear(self) -> None:
        """Remove that folder where nothing was kept there."""
        if self._spare:
            with suppress(OSError):
                self._spare.rmdir()


def not_saved_but_kept(refused: NotSaved, kept: Path | None) -> Message:
    """Say that something was not saved where it was asked for, and where the result lies."""
    return message("not-saved-but-kept", **refused.message.values, kept=str(kept)) if kept else refused.message
