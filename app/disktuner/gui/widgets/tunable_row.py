# SPDX-License-Identifier: GPL-3.0-or-later
"""One tunable: its value, range, default, and one sentence on what it trades for what."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QFrame, QSpinBox, QWidget

from disktuner.block.tunables import Tunable
from disktuner.gui import wording
from disktuner.gui.style import SMALL, look, set_property
from disktuner.gui.widgets.parts import button, column, label, row

_SPIN_MAX = 2**31 - 1


class _Spin(QSpinBox):
    """Scrolling the page over it must not change it."""

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Leave the wheel to the page."""
        event.ignore()


class TunableRow(QFrame):
    """Highlighted while it differs from what the disk has.

    Signals: ``changed``.
    """

    changed = Signal()

    def __init__(self, tunable: Tunable, value: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.name, self._had = tunable.name, value
        self._default = value if tunable.default is None else tunable.default
        self.spin = _Spin()
        self.spin.setRange(min(tunable.low, value), min(max(tunable.high, value), _SPIN_MAX))
        self.spin.setValue(value)
        self.spin.setAccessibleName(tunable.name)
        self.spin.setAccessibleDescription(tunable.trade)
        if tunable.unit:
            self.spin.setSuffix(f" {tunable.unit}")
        self.spin.setMinimumWidth(look().wide * 5)
        self.spin.valueChanged.connect(self._changed)
        self.reset = button(wording.RESET, lambda: self.spin.setValue(self._default), flat=True)
        self.reset.setAccessibleName(wording.RESET_SPEECH.format(name=tunable.name, default=self._default))
        limits = wording.tunable_limits(tunable.low, tunable.high, tunable.default, tunable.unit)
        texts = column(
            label(tunable.name.partition("/")[2], bold=True),
            label(tunable.trade, wrap=True),
            label(limits, SMALL, tone="muted", wrap=True),
            gap=look().tight,
        )
        content = row(texts, self.spin, self.reset, gap=look().medium)
        content.setStretch(0, 1)
        margin = look().small
        content.setContentsMargins(margin, margin, margin, margin)
        self.setLayout(content)
        self._changed()

    @property
    def value(self) -> int:
        """What is entered."""
        return self.spin.value()

    @property
    def differs(self) -> bool:
        """Whether it would be changed."""
        return self.value != self._had

    def _changed(self) -> None:
        set_property(self, "changed", self.differs)
        self.reset.setEnabled(self.value != self._default)
        self.changed.emit()
