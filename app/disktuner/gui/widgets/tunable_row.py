# SPDX-License-Identifier: GPL-3.0-or-later
"""One tunable: its value, range, default, and one sentence on what it trades for what."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QFrame, QSpinBox, QWidget

from disktuner.gui import wording
from disktuner.gui.style import SMALL, look, set_property
from disktuner.gui.widgets.parts import button, column, label, row
from disktuner.vocabulary.messages import named
from disktuner.vocabulary.tunables import Tunable

_SPIN_MAX = 2**31 - 1


class _Spin(QSpinBox):
    """Scrolling the page over it must not change it."""

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Leave the wheel to the page."""
        event.ignore()


class TunableRow(QFrame):
    """Highlighted while it differs from ``value``, what the disk has; ``first`` is what it had before any change.

    Signals: ``changed``.
    """

    changed = Signal()

    def __init__(self, tunable: Tunable, value: int, first: int | None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.name, self._had = tunable.name, value
        self._default = next(known for known in (tunable.default, first, value) if known is not None)
        self._own = value not in {tunable.default, first} and (tunable.default, first) != (None, None)
        self.spin = _Spin()
        self.spin.setRange(min(tunable.low, value), min(max(tunable.high, value), _SPIN_MAX))
        self.spin.setValue(value)
        self.spin.setAccessibleName(tunable.name)
        self.spin.setAccessibleDescription(named(tunable.trade))
        if tunable.unit:
            self.spin.setSuffix(f" {tunable.unit}")
        self.spin.setMinimumWidth(look().wide * 5)
        self.reset = button(wording.RESET, self.set_default, flat=True)
        self.reset.setAccessibleName(wording.RESET_SPEECH.format(name=tunable.name, default=self._default))
        self.reset.setToolTip(self.reset.accessibleName())
        self._note = label(size=SMALL, tone="accent", wrap=True)
        self._kept = False
        limits = wording.tunable_limits(tunable.low, tunable.high, tunable.unit, tunable.default, first)
        self._lay_out(tunable, limits)
        self.spin.valueChanged.connect(self._changed)
        self._changed()

    def _lay_out(self, tunable: Tunable, limits: str) -> None:
        texts = column(
            label(tunable.name.partition("/")[2], bold=True),
            label(named(tunable.trade), wrap=True),
            label(limits, SMALL, tone="muted", wrap=True),
            self._note,
            gap=look().tight,
        )
        content = row(texts, self.spin, self.reset, gap=look().medium)
        content.setStretch(0, 1)
        margin = look().small
        content.setContentsMargins(margin, margin, margin, margin)
        self.setLayout(content)

    @property
    def value(self) -> int:
        """What is entered."""
        return self.spin.value()

    @property
    def differs(self) -> bool:
        """Whether it would be changed."""
        return self.value != self._had

    @property
    def is_own(self) -> bool:
        """Whether it is somebody's decision: changed here, or found to be neither default nor what it had first."""
        return self.differs or self._own

    def set_default(self) -> None:
        """The kernel's default, or what the disk had first where the kernel leaves it to the disk."""
        self.spin.setValue(self._default)

    def show_kept(self, kept: bool) -> None:
        """Whether it would hold after a restart too."""
        self._kept = kept
        notes = [wording.WAS.format(value=f"{self._had:,}")] if self.differs else []
        notes += [wording.ALSO_KEPT] if kept else []
        self._note.setText(" · ".join(notes))
        self._note.setVisible(bool(notes))

    def _changed(self) -> None:
        set_property(self, "changed", self.differs)
        self.reset.setEnabled(self.value != self._default)
        self.show_kept(self._kept)
        self.changed.emit()
