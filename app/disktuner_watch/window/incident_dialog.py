# SPDX-License-Identifier: GPL-3.0-or-later
"""One freeze: what happened, the two minutes around it, and what can be done."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtWidgets import QDialog, QWidget

from disktuner.drawing.pen import Pen
from disktuner.gui.plots.picture import Picture
from disktuner.gui.style import fitting, look
from disktuner.gui.widgets.layout import bar, button, column, label, row, scrolled, title, with_margin
from disktuner.vocabulary.messages import text
from disktuner_watch.incidents import Incident
from disktuner_watch.picture import draw_course, strips
from disktuner_watch.wording import begin_text, command, description, needs_check, remedy


class Course(Picture):
    """The two minutes around a freeze."""

    def __init__(self, incident: Incident, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._incident = incident
        self.tell(begin_text(incident), "; ".join(strip.name for strip in strips(incident)))

    def sizeHint(self) -> QSize:
        return QSize(look().wide * 26, look().wide * 11)

    def minimumSizeHint(self) -> QSize:
        return QSize(look().wide * 14, look().wide * 9)

    def draw(self, pen: Pen, box: QRectF) -> None:
        margin = look().tight
        draw_course(pen, self._incident, box.adjusted(margin, margin, -margin, -margin))


class IncidentDialog(QDialog):
    """Signals: ``measure``: look for a cure or for what is wrong, ``remove``: delete the incident.

    Deleted once it is closed.
    """

    measure = Signal()
    remove = Signal()

    def __init__(self, incident: Incident, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(begin_text(incident))
        hint = label(remedy(incident), tone="muted", wrap=True)
        hint.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        course = Course(incident)
        body = column(
            title(self.windowTitle()), label(description(incident), wrap=True), course, hint, gap=look().medium
        )
        body.setStretch(2, 1)
        close = button(text("close"), self.accept)
        checks = needs_check(incident)
        begin = text("incident-check-up" if checks else "incident-begin")
        self.measure_button = button(begin, self._measure, primary=True)
        self.measure_button.setVisible(bool(command(incident)))
        self.remove_button = button(text("incident-remove"), self._remove)
        foot = bar(row(self.measure_button, self.remove_button, None, close), foot=True)
        content = QWidget()  # which scrolls: the kernel may have said more than a small screen holds
        content.setLayout(with_margin(body, look().large))
        self.setLayout(column(scrolled(content), foot, gap=0, wide=0))
        self.resize(fitting(look().wide * 28, look().wide * 19))
        close.setFocus()

    def _measure(self) -> None:
        self.accept()
        self.measure.emit()

    def _remove(self) -> None:
        self.accept()
        self.remove.emit()
