# SPDX-License-Identifier: GPL-3.0-or-later
"""How far a measurement is, while what is left of it grows and shrinks: never back, and at the end only at its end."""

from __future__ import annotations

from dataclasses import dataclass

_END_S = 2.0
"""Cleaning and judging, after the last run."""


@dataclass(frozen=True, slots=True)
class Advance:
    """How far all is when something begins that is expected to take ``expected_s``.

    ``share`` of it all is done (0 to 1), and ``then`` once that is over. The whole ends within ``at_most_s``.
    """

    share: float
    then: float
    expected_s: float
    at_most_s: float

    def after(self, seconds: float) -> Advance:
        """Return how far all is so long after it began; whatever takes longer than expected waits for the next one."""
        done = min(1.0, seconds / self.expected_s) if self.expected_s else 1.0
        spent_s = min(seconds, self.expected_s, self.at_most_s)
        share = self.share + (self.then - self.share) * done
        return Advance(share, self.then, self.expected_s - spent_s, self.at_most_s - spent_s)


class Progress:
    """Each part takes its share of what is not done yet: where more is left than it seemed, all goes on more slowly."""

    def __init__(self) -> None:
        self._share = 0.0

    def begin(self, expected_s: float, left_s: float, at_most_s: float) -> Advance:
        """Begin a part; ``left_s`` is the expected time of all that is left, with this part."""
        share = self._share
        self._share += (1 - share) * expected_s / (max(expected_s, left_s) + _END_S)
        return Advance(share, self._share, expected_s, at_most_s)
