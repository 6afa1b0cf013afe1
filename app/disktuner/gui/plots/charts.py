# SPDX-License-Identifier: GPL-3.0-or-later
"""The static charts of the window, as wide as the page; saved pictures are drawn by the same functions."""

from __future__ import annotations

import math

from PySide6.QtCore import QAbstractAnimation, QEasingCurve, QRectF, QSize, QVariantAnimation
from PySide6.QtGui import QHideEvent
from PySide6.QtWidgets import QSizePolicy, QVBoxLayout

from disktuner.drawing.badge import draw_badge
from disktuner.drawing.bars import BarDrawing
from disktuner.drawing.certainty import draw_certainty, height_of_certainty
from disktuner.drawing.pen import Pen
from disktuner.gui.plots.picture import Drawn, Picture
from disktuner.gui.style import look, wishes
from disktuner.gui.widgets.layout import column, height_by_width, label
from disktuner.gui.widgets.layout import plain as as_it_is
from disktuner.presentation import Certainty, Panel, bars_of
from disktuner.verdict.outcomes import Decision
from disktuner.vocabulary.messages import text
from disktuner.vocabulary.settings import Setting

_MOVING_MS, _WAITING = 600, 0.1
"""How long the answer's bar moves, and the share of its eased way that it waits: the page is being laid out."""


class BarChart(Picture):
    """A panel as bars, redrawn when text or colours change; the setting ``about`` which it is stands out.

    A ``plain`` one has no intervals and rounds; one that ``grows`` takes more height, up to what is easily read.
    Attributes: ``moving`` is the way of the answer's bar, see ``begin_move``.
    """

    def __init__(self, *, plain: bool = False, grows: bool = False) -> None:
        super().__init__()
        self.panel: Panel | None = None
        self.about: Setting | None = None
        self._plain, self._grows = plain, grows
        self._made_drawing: tuple[object, BarDrawing] | None = None
        self.moving = QVariantAnimation(self)
        self.moving.setDuration(_MOVING_MS)
        self.moving.setEasingCurve(QEasingCurve.Type.InOutCubic)
        for at, moved in ((0.0, 0.0), (_WAITING, 0.0), (1.0, 1.0)):
            self.moving.setKeyValueAt(at, moved)
        self.moving.valueChanged.connect(self._step)
        self.moving.finished.connect(self.update)
        upright = QSizePolicy.Policy.MinimumExpanding if grows else QSizePolicy.Policy.Fixed
        self.setSizePolicy(height_by_width(QSizePolicy.Policy.Expanding, upright))

    def show_panel(self, panel: Panel, about: Setting | None = None) -> None:
        """Show a panel; the setting of the answer (``about``) stands out."""
        self.panel, self.about, self._made_drawing = panel, about, None
        spoken = [row.spoken for row in panel.rows]
        self.tell(text("picture-of-metric", metric=panel.label, direction=panel.direction), "; ".join(spoken))
        self.setToolTip(as_it_is("\n".join(spoken)))
        if self._grows and self._drawing:
            self.setMaximumHeight(math.ceil(self._drawing.highest) + 2 * look().tight)
        self.updateGeometry()
        self.update()

    def begin_move(self) -> None:
        """Show once how the present setting's bar becomes the answer's, unless motion is to be avoided."""
        if not wishes().calm:
            self.moving.start()

    def _step(self, _moved: float) -> None:
        if wishes().calm:
            self.moving.stop()
        self.update()

    def hideEvent(self, event: QHideEvent) -> None:
        """What nobody sees is over."""
        super().hideEvent(event)
        self.moving.stop()

    @property
    def _drawing(self) -> BarDrawing | None:
        """The drawing, cached per look: a page asks for it hundreds of times while it is laid out."""
        key = (look(), self.font().key())
        if self.panel is not None and (self._made_drawing is None or self._made_drawing[0] != key):
            self._made_drawing = (
                key,
                BarDrawing(bars_of(self.panel, self.about), look().ink(self.font()), plain=self._plain),
            )
        return self._made_drawing[1] if self._made_drawing else None

    def sizeHint(self) -> QSize:
        width = look().wide * 14
        return QSize(width, self.heightForWidth(width))

    def minimumSizeHint(self) -> QSize:
        width = math.ceil(self._drawing.least_width) + 2 * look().tight if self._drawing else 0
        return QSize(width, self.heightForWidth(width))

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        margins = 2 * look().tight
        return math.ceil(self._drawing.height(width - margins)) + margins if self._drawing else 0

    @property
    def spare(self) -> int:
        """How much higher than necessary it may become."""
        return max(0, self.maximumHeight() - self.heightForWidth(self.width())) if self._grows else 0

    def draw(self, pen: Pen, box: QRectF) -> None:
        margin = look().tight
        if self._drawing:
            is_still = self.moving.state() == QAbstractAnimation.State.Stopped
            moved = 1.0 if is_still else float(self.moving.currentValue())
            self._drawing.draw(pen, box.adjusted(margin, margin, -margin, -margin), moved=moved)


class CertaintyAxis(Picture):
    """How sure an answer is."""

    def __init__(self, certainty: Certainty) -> None:
        super().__init__()
        self._certainty = certainty
        self.tell(text("picture-of-certainty"), certainty.spoken)
        self.setToolTip(as_it_is(certainty.spoken))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        return QSize(look().wide * 5, math.ceil(height_of_certainty(look().ink(self.font()))) + look().tight)

    minimumSizeHint = sizeHint  # noqa: N815 - Qt's own

    def draw(self, pen: Pen, box: QRectF) -> None:
        draw_certainty(pen, self._certainty, box)


class Badge(Drawn):
    """The recommendation of an answer as a sign; ``side`` is in device independent pixels."""

    def __init__(self, decision: Decision, side: int) -> None:
        super().__init__()
        self._decision = decision
        self.setFixedSize(side, side)

    def draw(self, pen: Pen, box: QRectF) -> None:
        draw_badge(pen, self._decision, box)


def panel_chart(panel: Panel, about: Setting | None = None) -> QVBoxLayout:
    """Return a panel under its name and its better direction; the setting of the answer (``about``) stands out."""
    chart = BarChart()
    chart.show_panel(panel, about)
    return column(label(bars_of(panel, about).title, tone="muted", wrap=True), chart, gap=look().tight)
