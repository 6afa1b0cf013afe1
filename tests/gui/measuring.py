# SPDX-License-Identifier: GPL-3.0-or-later
"""What is clipped, overlaps or sticks out on a page, or cannot be reached by keys in visual order."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from itertools import pairwise

from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QComboBox,
    QFrame,
    QLabel,
    QLayout,
    QLineEdit,
    QScrollArea,
    QSpinBox,
    QTabBar,
    QTableView,
    QWidget,
)

from disktuner.gui.measurement.result_page import ResultPage
from disktuner.gui.plots.charts import BarChart
from disktuner.gui.plots.curves import CurveChart
from disktuner.gui.style import look
from disktuner.gui.widgets.layout import Elided, Heading
from disktuner.gui.widgets.window import Window
from tests.catalogues import pseudo

_TEXTS = (QLabel, QAbstractButton)
_MEASURED = (*_TEXTS, QComboBox, QSpinBox, BarChart, CurveChart)


_NESTED = 4
"""The number of layouts around a text: each tells the next one that it needs more room."""


def lay_out() -> None:
    """Lay out a text that has just changed, as the event loop does before the next frame."""
    for _ in range(_NESTED):
        QApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest)


def complaints(page: QWidget) -> list[str]:
    """Return a line per fault; none if all is well."""
    lay_out()
    faults = []
    for part in (page, *page.findChildren(QWidget)):
        if part.isVisible():
            faults += [*_too_small(part), *_sticks_out(part), *_overlaps(part), *_cut_cells(part)]
    return [*faults, *_order(page)]


def below_the_fold(page: ResultPage) -> list[str]:
    """Return which parts of an answer (recommendation, headline or figures, chart and price) need scrolling.

    In a window lower than 600 pixels the price may be below the rest, which fills it. A chart's margin is empty.
    """
    glance, area, details = page.presented.glance, _area(page), page.details
    assert isinstance(area, QScrollArea)
    price = glance.price if page.window().height() >= 600 else ""
    sentences = {glance.title, glance.headline, glance.subject, glance.value, price} - {""}
    parts = [
        *page.findChildren(BarChart)[:1],
        *(part for part in page.findChildren(QLabel) if part.text() in sentences and not details.isAncestorOf(part)),
    ]
    bottoms = {part: part.rect().bottom() - (look().tight if isinstance(part, BarChart) else 0) for part in parts}
    low = {name_of(part): part.mapTo(area.viewport(), QPoint(0, bottom)).y() for part, bottom in bottoms.items()}
    room = area.viewport().height()
    return [f"{name} ends at {y} of {room}" for name, y in low.items() if y > room]


def place_unsaid(window: Window) -> list[str]:
    """Return what is missing of what says where one is: the chosen tab, or in its place what is open; and a title."""
    heads = [head for head in window.findChildren(QFrame) if head.isVisible() and head.property("bar") is True]
    marks = [mark for head in heads for mark in (*head.findChildren(QTabBar), *head.findChildren(Elided))]
    said = [mark.tabText(mark.currentIndex()) if isinstance(mark, QTabBar) else mark.text() for mark in marks]
    titles = [part for part in window.findChildren(Heading) if part.text() and not part.visibleRegion().isEmpty()]
    faults = [] if len(heads) == len(said) == 1 and all(said) else [f"{len(heads)} heads say {said}"]
    return faults if titles else [*faults, "no title is seen"]


def _order(page: QWidget) -> list[str]:
    """Tab must not lead upwards more than once, from the last part to the first."""
    chain, part = [], page.window().nextInFocusChain()
    while part is not page.window():
        stops = part.focusPolicy() & Qt.FocusPolicy.TabFocus and part.focusProxy() is None
        if stops and part.isVisible() and part.isEnabled() and page.isAncestorOf(part):
            chain.append(part)
        part = part.nextInFocusChain()
    ups = [(one, two) for one, two in pairwise([*chain, *chain[:1]]) if _is_above(page, two, one)]
    return [f"Tab goes up from {name_of(one)} to {name_of(two)}" for one, two in ups] if len(ups) > 1 else []


def _is_above(page: QWidget, one: QWidget, other: QWidget) -> bool:
    """Whether one is visibly above another; scrolled parts count at their area's place, and a next column begins at the
    top.
    """
    areas = _area(one), _area(other)
    first, second = (one, other) if areas[0] is areas[1] else (areas[0] or one, areas[1] or other)
    window = page.window()
    if first.mapTo(window, QPoint(0, 0)).x() > second.mapTo(window, second.rect().topRight()).x():
        return False
    return first.mapTo(page.window(), first.rect().bottomLeft()).y() <= second.mapTo(page.window(), QPoint(0, 0)).y()


def _area(part: QWidget) -> QWidget | None:
    above = part.parentWidget()
    while above is not None and not isinstance(above, QScrollArea):
        above = above.parentWidget()
    return above


def name_of(part: QWidget) -> str:
    text = part.text() if isinstance(part, _TEXTS) else part.accessibleName()
    return f"{part.metaObject().className()} {text!r}"


def _too_small(part: QWidget) -> list[str]:
    if not isinstance(part, _MEASURED) or (isinstance(part, _TEXTS) and not part.text()):
        return []
    least = part.minimumSizeHint()
    needed = part.heightForWidth(part.width()) if part.hasHeightForWidth() else least.height()
    # a label's own minimum is its longest word: narrower than that cuts it
    if part.height() < needed or part.width() < least.width():
        return [f"{name_of(part)} has {part.width()}×{part.height()}, needs {least.width()}×{needed}"]
    return []


def _sticks_out(part: QWidget) -> list[str]:
    """A page wider than its scroll area loses its right side, since it only scrolls up and down."""
    if isinstance(part, QScrollArea) and part.widget() is not None and not isinstance(part, QTableView):
        return [*_too_wide(part), *_into_nothing(part)]
    parent = part.parentWidget()
    if isinstance(part, _MEASURED) and parent is not None and not parent.rect().contains(part.geometry()):
        return [f"{name_of(part)} at {part.geometry()} leaves {parent.rect()}"]
    return []


def _too_wide(area: QScrollArea) -> list[str]:
    needed, room = area.widget().minimumSizeHint().width(), area.viewport().width()
    return [f"a page needs {needed} of {room}"] if needed > room else []


def _into_nothing(area: QScrollArea) -> list[str]:
    """A page higher than its parts need has a useless scroll bar."""
    page, layout = area.widget(), area.widget().layout()
    if layout is None or not layout.hasHeightForWidth():
        return []
    needed = max(layout.totalHeightForWidth(page.width()), area.viewport().height())
    return [f"a page scrolls over {page.height() - needed} of nothing"] if page.height() > needed else []


def _overlaps(parent: QWidget) -> list[str]:
    if not isinstance(parent.layout(), QLayout):
        return []
    children = [child for child in parent.children() if isinstance(child, _MEASURED) and child.isVisible()]
    return [
        f"{name_of(one)} over {name_of(two)}"
        for number, one in enumerate(children)
        for two in children[number + 1 :]
        if one.geometry().intersects(two.geometry())
    ]


def _cut_cells(part: QWidget) -> list[str]:
    if not isinstance(part, QTableView) or part.horizontalHeader().stretchLastSection():
        return []
    header, room = part.horizontalHeader(), part.viewport().width()
    columns = [at for at in range(part.model().columnCount()) if not part.isColumnHidden(at)]
    needs = {at: max(_cells_need(part, at), header.sectionSizeHint(at)) for at in columns}
    cut = [
        f"column {at} has {part.columnWidth(at)}, needs {needed}"
        for at, needed in needs.items()
        if needed > part.columnWidth(at)
    ]
    least = sum(needs.values())
    beside = header.length() > room >= least
    return [*cut, *([f"columns take {header.length()} of {room} and need {least}"] if beside else [])]


def _cells_need(table: QTableView, column: int) -> int:
    """Return the width of a column, 0 if elided texts can be read in the cells' tips (as with ``Elided``)."""
    rows = [table.model().index(row, column) for row in range(table.model().rowCount())]
    has_tips = all(index.data() == index.data(Qt.ItemDataRole.ToolTipRole) for index in rows)
    return 0 if has_tips else table.sizeHintForColumn(column)


def not_said(page: QWidget, foreign: Collection[str]) -> list[str]:
    """Return texts of a page, including tips and tables, that are not in the language ``pseudo``.

    ``foreign`` are texts that are never translated: names of disks and folders, and what tests make up.
    """
    parts = (part for part in (page, *page.findChildren(QWidget)) if part.isVisible())
    unsaid = ((part, pseudo.unsaid(sentence, foreign)) for part in parts for sentence in _texts(part))
    return [f"{name_of(part)} says {ours!r} in English" for part, ours in unsaid if ours and not _COMMAND.search(ours)]


_COMMAND = re.compile(r"\bsudo\b|^disktuner bench |Documentation/|\(8\)|\.[ch]\b")


def _texts(part: QWidget) -> Iterator[str]:
    yield from (part.toolTip(), part.accessibleName(), part.accessibleDescription(), *seen(part))
    if isinstance(part, QSpinBox):
        yield part.suffix()
    if isinstance(part, QComboBox):
        yield from (part.itemText(at) for at in range(part.count()))


def seen(part: QWidget) -> Iterator[str]:
    """Return the text of a label, a button, an input field, or a table row by row."""
    if isinstance(part, QLineEdit):
        yield part.text() or part.placeholderText()
    elif isinstance(part, _TEXTS) and part.text():
        yield part.text()
    elif isinstance(part, QTableView):
        model, columns = part.model(), range(part.model().columnCount())
        yield from (str(model.headerData(at, Qt.Orientation.Horizontal)) for at in columns)
        yield from (str(model.index(row, at).data() or "") for row in range(model.rowCount()) for at in columns)
