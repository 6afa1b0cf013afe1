# SPDX-License-Identifier: GPL-3.0-or-later
"""Whatever was measured: the window's widgets say and draw what is presented, and nothing else."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from xml.etree import ElementTree as ET

from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QBuffer, QEvent, QModelIndex, Qt
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QApplication, QLabel, QTableView, QWidget

from disktuner.gui.plots.charts import BarChart
from disktuner.gui.widgets.between_page import BetweenPage
from disktuner.gui.wizard.result_page import ResultPage
from disktuner.presentation import Panel, bars_of, present, present_between, samples
from disktuner.results.model import Result
from tests.gui.conftest import Wanted
from tests.gui.measuring import lay_out
from tests.gui.person import details
from tests.unit.presentation.generating import results

WIDTHS = st.sampled_from((420, 640, 1300))


@contextmanager
def shown(page: QWidget, width: int) -> Iterator[QWidget]:
    """A page with everything unfolded, laid out; gone afterwards."""
    for fold in details(page).folds if isinstance(page, ResultPage) else ():
        fold.setChecked(True)
    page.resize(width, 800)
    page.setAttribute(Qt.WidgetAttribute.WA_DontShowOnScreen)
    page.show()
    lay_out()
    page.resize(width, max(800, page.heightForWidth(width)))  # as the area has it in which it scrolls
    lay_out()
    yield page
    page.close()
    page.deleteLater()
    QApplication.sendPostedEvents(page, QEvent.Type.DeferredDelete)


def drawn(chart: QWidget) -> list[str]:
    """The texts that a chart really paints."""
    buffer, generator = QBuffer(), QSvgGenerator()
    generator.setOutputDevice(buffer)
    generator.setSize(chart.size())
    chart.render(generator)
    root = ET.fromstring(bytes(buffer.data().data()))
    return [each.text or "" for each in root.iter("{http://www.w3.org/2000/svg}text")]


def lines_of(shown_: str, painted: Counter[str]) -> Iterator[str]:
    """The painted lines that make up a text, of which the last may end in an ellipsis."""
    while shown_:
        lines = [each for each in painted if each.strip("…") and shown_.startswith(each.removesuffix("…"))]
        assert lines, (shown_, painted)
        yield (line := max(lines, key=len))
        shown_ = "" if line.endswith("…") else shown_.removeprefix(line).lstrip()


def check_chart(chart: BarChart, panel: Panel) -> None:
    """The chart paints the panel's rows, each with its value and the words beside it, and nothing else."""
    assert chart.panel == panel
    bars = bars_of(panel, None)
    painted = Counter(drawn(chart))
    for bar in bars.bars:
        for shown_ in (bar.name, bar.value, bar.words):
            painted -= Counter(lines_of(shown_, painted))
    assert sum(painted.values()) <= bool(bars.hidden)
    assert chart.accessibleDescription() == "; ".join(row.spoken for row in panel.rows)


def labels(page: QWidget) -> set[str]:
    return {label.text() for label in page.findChildren(QLabel)}


def cells(page: QWidget) -> list[tuple[str, ...]]:
    """All of the page's table."""
    model = page.findChild(QTableView).model()
    columns = range(model.columnCount())
    return [tuple(model.data(model.index(row, at, QModelIndex())) for at in columns) for row in range(model.rowCount())]


@given(results(), WIDTHS)
def test_a_result_is_shown_as_it_is_presented(result: Result, width: int) -> None:
    presented = present(result)
    with shown(ResultPage(presented, Wanted()), width) as page:
        charts = page.findChildren(BarChart)
        glance = presented.glance
        first = [glance.panel] if glance.panel else []
        assert [chart.panel for chart in charts] == [*first, *glance.prices, *presented.panels]
        for chart in charts:
            check_chart(chart, chart.panel)
            bars = bars_of(chart.panel, None)
            assert {bars.title, *([bars.direction] if chart is charts[0] and glance.value else [])} & labels(page)
        said = {presented.measured, presented.method, *presented.cautions, glance.title, presented.why}
        said |= {glance.subject, glance.value, glance.instead} if glance.value else {glance.headline}
        said |= {glance.certainty.words} if glance.certainty else set()
        said |= {*filter(None, (glance.parts, glance.price if glance.turns or not glance.prices else ""))}
        assert said | ({presented.priorities} if presented.priorities else set()) <= labels(page)
        assert cells(page) == [tuple(row) for row in samples(result)]


@given(results(), st.sampled_from((1.0, 1.02, 0.4, 7.0)), WIDTHS)
def test_so_are_two_results(result: Result, factor: float, width: int) -> None:
    later = replace(result, samples=tuple(replace(each, value=each.value * factor) for each in result.samples))
    found = present_between(result, later)
    with shown(BetweenPage(found), width) as page:
        for chart, panel in zip(page.findChildren(BarChart), found.panels, strict=True):
            check_chart(chart, panel)
        differences = {each for difference in found.differences for each in difference}
        assert {found.why, *found.answers, found.caveat, *found.left_out.values(), *differences} <= labels(page)
