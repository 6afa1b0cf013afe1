# SPDX-License-Identifier: GPL-3.0-or-later
"""Keeps the books of an experiment: the result so far, saved step by step, and what its listeners are told of it."""

from __future__ import annotations

from collections.abc import Callable

from disktuner.experiment.events import Event, SampleTaken, Warned
from disktuner.experiment.guard import Drift
from disktuner.results.model import Addition, Result
from disktuner.vocabulary.messages import Message, message
from disktuner.vocabulary.reasons import REASONS


class Books:
    """Adds to a result. Attributes: ``result`` holds all that was measured so far."""

    def __init__(self, empty: Result, save: Callable[[Addition], object], report: Callable[[Event], None]) -> None:
        self.result = empty
        self._save = save
        self._report = report
        self._said: set[str] = set()

    def add_run(self, run: Addition) -> None:
        """Save a run and report it, with why it does not count or what disturbed it."""
        self._add(run)
        for sample in run.samples:
            self._report(SampleTaken(sample))
        if reason := run.samples[0].reason:
            self._warn_of_run(reason)

    def plan_rounds(self, rounds: int) -> None:
        """Note that there are to be more rounds than before."""
        self._add(Addition(rounds=rounds))

    def discard(self, found: Drift) -> None:
        """Mark the runs in which the disk was another one."""
        self._add(Addition(discarded=found.orders, reason=found.reason))
        self.warn(message("round-drifted", reason=found.reason))

    def warn(self, warning: Message) -> None:
        """Report a warning; the result keeps it once."""
        if warning not in self.result.warnings:
            self._add(Addition(warning=warning))
        self._report(Warned(warning))

    def _warn_of_run(self, reason: Message) -> None:
        """Report what a run lacks; what lasts from run to run is said at the first of them."""
        known = REASONS[reason.id]
        if not known.told or (known.once and known.id in self._said):
            return
        self._said.add(known.id)
        invalid = "runs-invalid" if known.once else "run-invalid"
        self.warn(message(invalid if known.invalid else "run-disturbed", reason=reason))

    def _add(self, addition: Addition) -> None:
        self.result = self.result.plus(addition)
        self._save(addition)
