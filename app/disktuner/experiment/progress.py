# SPDX-License-Identifier: GPL-3.0-or-later
"""The progress of a measurement whose remaining work grows and shrinks: it never goes back, nor ends too early."""

from __future__ import annotations

from dataclasses import dataclass

_END_S = 2.0
"""The time for cleaning and judging after the last run."""


@dataclass(frozen=True, slots=True)
class Advance:
    """The progress as a step of ``expected_s`` begins.

    ``share`` of the whole is done (0 to 1), ``then`` once the step is over. The whole ends within ``at_most_s``.
    """

    share: float
    then: float
    expected_s: float
    at_most_s: float

    def after(self, seconds: float) -> Advance:
        """Return the progress ``seconds`` after the step began; if it takes longer than expected, progress waits."""
        done = min(1.0, seconds / self.expected_s) if self.expected_s else 1.0
        spent_s = min(seconds, self.expected_s, self.at_most_s)
        share = self.share + (self.then - self.share) * done
        return Advance(share, self.then, self.expected_s - spent_s, self.at_most_s - spent_s)


class Progress:
    """Each step takes its share of the remaining progress, which slows down if more work turns out to be left."""

    def __init__(self) -> None:
        self._share = 0.0

    def begin(self, expected_s: float, left_s: float, at_most_s: float) -> Advance:
        """Begin a step; ``left_s`` is the expected time of everything left, including this step."""
        share = self._share
        self._share += (1 - share) * expected_s / (max(expected_s, left_s) + _END_S)
        return Advance(share, self._share, expected_s, at_most_s)
