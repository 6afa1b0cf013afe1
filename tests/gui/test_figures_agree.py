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

from disktuner.gui.plots.intervals import IntervalChart
from disktuner.gui.plots.trade_off import TradeOffChart
from disktuner.gui.widgets.opened_page import BetweenPage
from disktuner.gui.wizard.result_page import ResultPage
from disktuner.presentation import Panel, TradeOff, present, present_between, samples
from disktuner.results.model import Result
from disktuner.vocabulary.messages import text
from tests.unit.presentation.generating import results

WIDTHS = st.sampled_from((420, 640, 1300))


@contextmanager
def shown(page: QWidget, width: int) -> Iterator[QWidget]:
    """A page with everything unfolded, laid out; gone afterwards."""
    for fold in page.folds if isinstance(page, ResultPage) else ():
        fold.setChecked(True)
    page.resize(width, 800)
    page.setAttribute(Qt.WidgetAttribute.WA_DontShowOnScreen)
    page.show()
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


def of_panel(panel: Panel) -> Counter[str]:
    """The texts of a panel's rows."""
    found = ((row.name, row.value, row.difference, row.interval, row.finding) for row in panel.rows)
    return Counter(each for row in found for each in row if each)


def check_chart(chart: IntervalChart, panel: Panel) -> None:
    """The chart paints the panel's rows; besides them only ticks of its scale, that of no difference among them.

    Where it is wide, an interval and what was found stand in one line.
    """
    assert chart.panel == panel
    texts, rows = Counter(part for each in drawn(chart) for part in each.split(" · ")), of_panel(panel)
    assert not rows - texts, (rows - texts, texts)
    more = texts - rows
    if any(row.gain is not None for row in panel.rows):
        assert more[panel.axis] == 1 and more[dict(panel.scale.ticks)[1.0]] == 1
        more -= Counter([panel.axis, *(label for _, label in panel.scale.ticks)])
    assert not more
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
    with shown(ResultPage(presented), width) as page:
        charts = page.findChildren(IntervalChart)
        assert [chart.panel for chart in charts] == list(presented.panels)
        for chart, panel in zip(charts, presented.panels, strict=True):
            check_chart(chart, panel)
            assert {panel.label, panel.direction} <= labels(page)
        said = {presented.title, presented.measured, presented.method, *presented.cautions}
        said |= {*(presented.remarks if presented.sides else presented.reasons or (presented.why,))}
        assert said | ({presented.priorities} if presented.priorities else set()) <= labels(page)
        assert cells(page) == [tuple(row) for row in samples(result)]
        if presented.trade_off is not None:
            check_trade_off(page.findChild(TradeOffChart), presented.trade_off)
            assert {presented.trade_off.up_name, presented.trade_off.across_name} <= labels(page)


def check_trade_off(chart: TradeOffChart, shown: TradeOff) -> None:
    """Each scheduler with both figures stands where they meet, as the panels say; both limits have a label."""
    rows = [{row.setting: row for row in panel.rows} for panel in (shown.deciding, shown.price)]
    assert chart.shown == shown
    assert all([spot.up, spot.across] == [each[spot.setting] for each in rows] for spot in shown.spots)
    texts = drawn(chart)
    assert {spot.setting.words for spot in shown.spots} <= set(texts)
    labels_ = {label for scale in (shown.up, shown.across) for _, label in scale.ticks}
    assert set(texts) <= {*labels_, *(spot.setting.words for spot in shown.spots), text("trade-off-part")}
    assert dict(shown.up.ticks)[shown.worth] and dict(shown.across.ticks)[shown.accepted]


@given(results(), st.sampled_from((1.0, 1.02, 0.4, 7.0)), WIDTHS)
def test_so_are_two_results(result: Result, factor: float, width: int) -> None:
    later = replace(result, samples=tuple(replace(each, value=each.value * factor) for each in result.samples))
    found = present_between(result, later)
    with shown(BetweenPage(found), width) as page:
        for chart, panel in zip(page.findChildren(IntervalChart), found.panels, strict=True):
            check_chart(chart, panel)
        differences = {each for difference in found.differences for each in difference}
        assert {found.why, *found.answers, found.caveat, *found.left_out.values(), *differences} <= labels(page)
