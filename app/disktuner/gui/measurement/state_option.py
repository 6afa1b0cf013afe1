# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether schedulers are compared with a disk's fast cache used up, to be chosen where a portrait knows its end."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QCheckBox, QWidget

from disktuner.comparison.exhausting import using_up
from disktuner.comparison.request import Request
from disktuner.gui.style import look
from disktuner.gui.widgets.layout import label, row
from disktuner.presentation.portrait import End
from disktuner.vocabulary.goals import Limits
from disktuner.vocabulary.messages import text
from disktuner.vocabulary.states import GOALS_EXHAUSTED, GOALS_OF_BIG_COPY, DiskState
from disktuner.vocabulary.units import longest


class StateOption(QWidget):
    """One line; chosen by itself for complaints about a big copy, until a person chooses.

    Attributes: ``box`` is what is ticked. Signals: ``changed`` that another state is chosen.
    """

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.box, self._about = QCheckBox(text("measure-exhausted")), label(tone="muted", wrap=True)
        self.box.toggled.connect(self.changed)
        self.box.clicked.connect(self._take_over)
        self._request = Request("")
        self._end: End | None = None
        self._is_by_itself, self._is_offered = True, False
        self.setLayout(row(self.box, self._about, gap=look().medium, wide=1))
        self.hide()

    def offer(self, request: Request, end: End | None) -> None:
        """Offer it for a request, on a disk whose fast cache has this ``end``; a choice lasts as long as these do."""
        if (request.goal, request.state, end) != (self._request.goal, self._request.state, self._end):
            self._is_by_itself = True
        self._request, self._end = request, end
        is_free = request.continues is None and request.after is None and request.workloads is None
        self._is_offered = end is not None and is_free and request.goal in GOALS_EXHAUSTED
        self.setVisible(self._is_offered)
        if end is not None:
            cost = using_up(end)
            values = {"size": end.about_bytes, "most": cost.most_bytes, "seconds": longest(cost.most_s)}
            self._about.setText(text("measure-exhausted-about", **values))
            self.box.setAccessibleDescription(self._about.text())
        if self._is_by_itself:
            with QSignalBlocker(self.box):
                self.box.setChecked(self._is_offered and self._is_expected)

    @property
    def _is_expected(self) -> bool:
        """Whether a request asks for it by itself."""
        if self._request.state is None:
            return self._request.goal in GOALS_OF_BIG_COPY
        return self._request.state is DiskState.EXHAUSTED

    @property
    def state(self) -> DiskState | None:
        """The chosen state; that of the request where there is no choice."""
        if not self._is_offered:
            return self._request.state
        return DiskState.EXHAUSTED if self.box.isChecked() else DiskState.RESTED

    def most_s(self, limits: Limits) -> float:
        """Return how long a comparison within these limits takes at most in the chosen state."""
        if self.state is not DiskState.EXHAUSTED or self._end is None:
            return limits.seconds
        return limits.exhausted.seconds + using_up(self._end).most_s

    def give_up(self) -> bool:
        """Return whether another state is chosen now, because the one that was chosen by itself is impossible."""
        if not (self._is_offered and self._is_by_itself and self.box.isChecked() and self._request.state is None):
            return False
        self._take_over()
        self.box.setChecked(False)
        return True

    def _take_over(self) -> None:
        self._is_by_itself = False
