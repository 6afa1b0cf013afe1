# SPDX-License-Identifier: GPL-3.0-or-later
"""Whatever was measured: one figure wherever it is shown, no id, no meaningless range, and every price.

Results of all kinds, and generated ones as wild as measurements and other programs make them.
"""

from __future__ import annotations

import io
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from html import unescape
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QBuffer, QEvent, QModelIndex, Qt
from PySide6.QtGui import QAccessible, QAccessibleInterface
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QAbstractButton, QApplication, QGridLayout, QLabel, QTableView, QWidget

from disktuner.cli.glance import show_glance
from disktuner.cli.results import show_all, show_between
from disktuner.cli.screen import Screen
from disktuner.drawing.card import card_svg
from disktuner.drawing.pen import Pen
from disktuner.gui.measurement.result_page import ResultPage
from disktuner.gui.plots.charts import BarChart
from disktuner.gui.widgets.between_page import BetweenPage
from disktuner.presentation import Panel, Presented, Row, bars_of, present, present_between, samples
from disktuner.report.lines import as_text
from disktuner.report.page import html
from disktuner.report.tables import markdown
from disktuner.results.model import Result
from disktuner.vocabulary.messages import say
from disktuner.vocabulary.metrics import Better
from disktuner.vocabulary.settings import Setting
from disktuner.vocabulary.workloads import WORKLOADS
from disktuner_fleet.page import machines_page
from tests.gui.conftest import Nobody
from tests.gui.measuring import lay_out
from tests.gui.person import details
from tests.unit.cli.kinds import every
from tests.unit.fleet.drawing import machine, summary, write
from tests.unit.presentation.generating import SCHEDULERS, results

RESULTS = every()
IDS = tuple(name for name in WORKLOADS if "-" in name)
"""Other names are words or programs."""
RANGE = re.compile(r"([\d.,]+)× (slower |worse |more |)(?:to|–) ([\d.,]+)×")
SETTING = re.compile(r"\b[a-z-]+:(?:\w+/)?\w+=\d")
WIDEST = 10.5
"""Ends of ranges are rounded."""
FIRST = ("first page", "card", "report", "terminal", "text")
PICTURES = ("first page", "card")
"""These show figures in large letters and prices as bars."""
Shown = Mapping[str, str]
WIDTHS = st.sampled_from((420, 640, 1300))
DRAWN = 3
"""The number of generated results that are drawn as pictures, which takes half a second each."""


def plain(lines: Iterable[str]) -> str:
    return re.sub(r"[^\S\n]+", " ", "\n".join(filter(None, lines))).replace("\u2011", "-").replace("\u2060", "")


def without_tags(page: str) -> str:
    body = re.sub(r"<style.*?</style>", "", page, flags=re.DOTALL)
    return plain([unescape(re.sub(r"<[^>]*>", "\n", body))])


@contextmanager
def painted(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The lines that are written on pictures."""
    lines, write = list[str](), Pen.write

    def noted(pen: Pen, box: Any, line: str, *options: Any, **more: Any) -> None:
        lines.append(line)
        write(pen, box, line, *options, **more)

    with monkeypatch.context() as patched:
        patched.setattr(Pen, "write", noted)
        yield lines


@contextmanager
def seen(page: QWidget, width: int = 780, height: int = 640) -> Iterator[None]:
    """A laid-out page, deleted afterwards."""
    page.resize(width, height)
    page.setAttribute(Qt.WidgetAttribute.WA_DontShowOnScreen)
    page.show()
    yield
    page.close()
    page.deleteLater()
    QApplication.sendPostedEvents(page, QEvent.Type.DeferredDelete)


def words_of(page: QWidget) -> list[str]:
    return [part.text() for kind in (QLabel, QAbstractButton) for part in page.findChildren(kind)]


def of_tree(part: QAccessibleInterface) -> Iterator[str]:
    """All that assistive technology reads below a part; the cells of tables are read from their model."""
    yield part.text(QAccessible.Text.Name)
    yield part.text(QAccessible.Text.Description)
    if part.role() != QAccessible.Role.Table:
        for at in range(part.childCount()):
            yield from of_tree(part.child(at))


def in_window(presented: Presented, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[str, str]]:
    """The page with its painted texts, its details, and its accessible tree."""
    page = ResultPage(presented, Nobody())
    with painted(monkeypatch) as lines, seen(page):
        page.grab()
        yield "first page", plain([*words_of(page), *lines])
        for section in page.details.sections:
            section.setChecked(True)
        yield "details", plain(words_of(page.details))
        for fold in page.details.folds:
            fold.setChecked(True)
        yield "all of it", plain([*words_of(page), *(cell for row in samples(presented.result) for cell in row)])
        yield "accessible tree", plain(of_tree(QAccessible.queryAccessibleInterface(page)))


def on_card(presented: Presented, monkeypatch: pytest.MonkeyPatch) -> str:
    with painted(monkeypatch) as lines:
        card_svg(presented, "light")
    return plain([" ".join(lines)])


def on_terminal(draw: Callable[..., None], drawable: object) -> str:
    out = io.StringIO()
    draw(Screen(out), drawable)
    return out.getvalue()


def everywhere(presented: Presented, monkeypatch: pytest.MonkeyPatch) -> Shown:
    """What people see and hear of a result, by place."""
    return dict(in_window(presented, monkeypatch)) | {
        "card": on_card(presented, monkeypatch),
        "report": without_tags(html(presented)),
        "terminal": plain([on_terminal(show_glance, presented)]),
        "all figures": plain([on_terminal(show_all, presented)]),
        "text": plain([as_text(presented)]),
        "table for a forum": plain([re.sub(r"\\(.)", r"\1", markdown(presented))]),
        "history": say(presented.verdict.answer.summary),
    }


def check_words(texts: Shown, ids: Iterable[str] = ()) -> None:
    """No id, and no range that is wider than tenfold."""
    for where, text in texts.items():
        assert not SETTING.findall(text), where
        assert not [name for name in (*ids, *IDS) if re.search(rf"(?<![\w.-]){re.escape(name)}(?![\w-])", text)], where
        for low, across, high in RANGE.findall(text.replace(",", "")):
            assert (float(high) * float(low) if across else float(high) / float(low)) <= WIDEST, where


def check_figure(presented: Presented, texts: Shown) -> None:
    """The sentence's figure of its setting is also the chart's and the tables'."""
    verdict, bars = presented.verdict, presented.bars
    glance = presented.glance
    in_letters = (glance.subject, glance.value, glance.instead) if glance.value else (glance.headline,)
    for where in (*FIRST, "accessible tree", "all figures"):
        figures = in_letters if where in PICTURES else (glance.headline,)
        for figure in (glance.title, *figures, glance.parts):
            assert figure in texts[where], where
    about = verdict.winner or verdict.leader
    if about is None or bars is None:
        return
    (bar,) = (bar for bar in bars.bars if bar.setting == about)
    for where in (*FIRST, "accessible tree"):
        assert bar.name in texts[where] and bar.value in texts[where], where
    for where in FIRST:
        assert bar.words in texts[where], where
    if verdict.winner is not None:
        factor = re.match(r"(?:more than )?[\d.]+×", bar.words)
        assert factor and factor[0] in texts["history"] and bar.words in presented.why
    if verdict.leading is None:
        assert verdict.winner is None or bar.words in presented.glance.sentence
        return
    assert bar.value in presented.glance.sentence
    row = row_of(presented, verdict.leading, about)
    assert row is not None and (row.value, row.words) == (bar.value, bar.words)
    for where in ("details", "report", "all figures", "table for a forum"):
        assert row.value in texts[where] and (row.words if where == "details" else row.difference) in texts[where], (
            where
        )
    assert bar.words.startswith((row.difference, row.finding))


def row_of(presented: Presented, metric: str, setting: Setting) -> Row | None:
    rows = (row for panel in presented.panels if panel.metric.name == metric for row in panel.rows)
    return next((row for row in rows if row.setting == setting), None)


def check_prices(presented: Presented, texts: Shown) -> None:
    """Whatever gets worse beyond what the goal accepts stands on each first page."""
    winner, price_text, glance = presented.verdict.winner, presented.glance.price, presented.glance
    values = [row.value for panel in glance.prices for row in panel.rows]
    for where in FIRST:
        as_bars = where in PICTURES and values and not glance.turns
        assert all(value in texts[where] for value in (values if as_bars else [price_text])), where
    assert all(value in price_text for value in values) or glance.turns
    for price in presented.result.question.prices if winner else ():
        row = row_of(presented, price.metric, winner)
        beside = row_of(presented, price.beside or "", winner)
        speedup = math.exp(beside.estimate.gain) if beside and beside.estimate else 1.0
        if row is not None and row.estimate and row.estimate.gain < math.log(price.least_gain(speedup)):
            assert row.value in price_text or row.difference in price_text
            assert presented.glance.turns


@pytest.mark.parametrize("kind", RESULTS)
def test_one_result_says_one_thing(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    presented = present(RESULTS[kind])
    texts = everywhere(presented, monkeypatch)
    check_words(texts, presented.result.metrics)
    check_figure(presented, texts)
    check_prices(presented, texts)
    assert len(presented.glance.spoken.split()) <= 30


@pytest.mark.parametrize("kind", RESULTS)
def test_two_results_say_one_thing(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    first = RESULTS[kind]
    later = replace(first, samples=tuple(replace(sample, value=sample.value * 1.9) for sample in first.samples))
    between = present_between(first, later)
    page = BetweenPage(between)
    with seen(page):
        texts = {"page": plain(words_of(page)), "terminal": plain([on_terminal(show_between, between)])}
        shown = grids(page)
    check_words(texts, first.metrics)
    assert shown == [[(old.name, old.value, new.value) for old, new in figure.rows] for figure in between.shared]
    lines = [line.split() for line in on_terminal(show_between, between).splitlines()]
    rows = [pair for figure in between.shared for pair in figure.rows]
    assert all([*old.name.split(), *old.value.split(), *new.value.split()] in lines for old, new in rows)


def grids(page: BetweenPage) -> list[list[tuple[str, ...]]]:
    """Return the rows of all grids with values, without what else differs."""
    grids_of_page = page.findChildren(QGridLayout)[bool(page.between.differences) :]
    return [
        [tuple(_text(grid, row, column) for column in range(3)) for row in range(1, grid.rowCount())]
        for grid in grids_of_page
    ]


def _text(grid: QGridLayout, row: int, column: int) -> str:
    item = grid.itemAtPosition(row, column)
    assert item is not None
    shown = item.widget()
    assert isinstance(shown, QLabel)
    return shown.text()


def test_many_machines_say_one_thing(tmp_path: Path) -> None:
    gains = (2.0, 2.2, 40.0, 1.9, 2.1, 2.0)
    write(tmp_path, *(machine(number, gain, copying=3.0) for number, gain in enumerate(gains)))
    check_words({"page": without_tags(machines_page(summary(tmp_path)))})


# ---- generated results: what tables and pictures say ----


def check_row(panel: Panel, row: Row, base: float, typical: float) -> None:
    """A row's values do not contradict its difference."""
    assert row.estimate is not None
    if typical and base:
        sign = -1 if panel.metric.better is Better.LOWER else 1
        assert sign * math.log(typical / base) == pytest.approx(row.estimate.gain, abs=1e-6)
    if row.ends is not None:
        assert row.ends[0] - 1e-9 <= row.estimate.gain <= row.ends[1] + 1e-9


@given(results())
def test_typical_values_never_contradict_their_ratio(result: Result) -> None:
    for panel in present(result).panels:
        base = panel.rows[0]
        for row in panel.rows:
            assert row.estimate or row.difference in ("", "–", "now")
            if row.estimate is not None and not row.is_baseline:
                assert base.is_baseline and base.typical is not None and row.typical is not None
                check_row(panel, row, base.typical, row.typical)
        check_bars(panel)


def check_bars(panel: Panel) -> None:
    """Each bar is as long as its value demands, the best first, and no range is wider than tenfold."""
    bars = bars_of(panel, None)
    rows = {row.setting: row for row in panel.rows}
    uncut = [bar for bar in bars.bars if bar.share and not bar.is_cut]
    for one, other in pairwise(uncut):
        assert one.share / other.share == pytest.approx(rows[one.setting].typical / rows[other.setting].typical)
    for bar in bars.bars:
        assert 0 <= bar.share <= 1 and all(0 <= place <= 1 for place in (*bar.dots, *(bar.ends or ())))
        assert bar.ends is None or bar.ends[1] <= 10.01 * bar.ends[0]
    estimates = [rows[bar.setting].estimate for bar in bars.bars]
    gains = [estimate.gain if estimate else -math.inf for estimate in estimates]
    assert gains == sorted(gains, reverse=True) and bars.hidden == len(panel.rows) - len(bars.bars)


def of_html(presented: Presented) -> list[list[str]]:
    lines = re.findall(r"<tr\b.*?</tr>", html_without_pictures(presented), re.DOTALL)
    rows = [re.findall(r"<t[dh]\b.*?</t[dh]>", line, re.DOTALL) for line in lines]
    texts = [[unescape(re.sub(r"<[^>]*>", "", cell)) for cell in row] for row in rows]
    return [row for row in texts if row[0] != "scheduler"]


def of_markdown(presented: Presented) -> list[list[str]]:
    lines = [line for line in markdown(presented).splitlines() if line.startswith("|")][2:]
    rows = [re.split(r"(?<!\\)\|", line)[2:-1] for line in lines]
    return [[re.sub(r"\\(.)", r"\1", cell).strip() for cell in row] for row in rows]


def of_terminal(presented: Presented) -> list[list[str]]:
    """Return the non-empty cells of the lines that begin with a scheduler."""
    tables = on_terminal(show_all, presented).partition("\n\n")[2]
    lines = [re.split(r" {2,}", line.strip()) for line in tables.splitlines()]
    return [cells for cells in lines if cells[0] in SCHEDULERS and len(cells) > 1]


@given(results())
def test_tables_show_what_is_presented(result: Result) -> None:
    presented = present(result)
    rows = [
        [row.name, row.value, str(row.n), row.difference, row.interval, row.finding]
        for panel in presented.panels
        for row in panel.rows
    ]
    assert of_html(presented) == rows
    assert of_markdown(presented) == rows
    assert of_terminal(presented) == [[cell for cell in row if cell] for row in rows]
    terminal = on_terminal(show_all, presented)
    for document in (markdown(presented).replace("\\", ""), html_without_pictures(presented), terminal):
        assert presented.title in document
    assert presented.glance.sentence in terminal


def html_without_pictures(presented: Presented) -> str:
    return re.sub(r"<figure.*?</figure>", "", html(presented), flags=re.DOTALL)


@settings(max_examples=DRAWN)
@given(results())
def test_pictures_show_what_is_presented(result: Result) -> None:
    presented = present(result)
    texts = [unescape(element) for element in re.findall(r"<text[^>]*>(.*?)</text>", html(presented), re.DOTALL)]
    for panel in presented.panels:
        for bar in bars_of(panel, presented.about).bars:
            assert all(part in texts for part in (bar.name, bar.value, bar.words) if part)
    card = ET.fromstring(card_svg(presented, "dark"))
    assert card.find("{http://www.w3.org/2000/svg}title").text == presented.glance.spoken
    assert len(as_text(presented).splitlines()) <= 8 and presented.glance.sentence in as_text(presented)


# ---- generated results: what the window's widgets say and draw ----


@contextmanager
def unfolded(page: QWidget, width: int) -> Iterator[QWidget]:
    """A page with everything unfolded, laid out."""
    for fold in details(page).folds if isinstance(page, ResultPage) else ():
        fold.setChecked(True)
    with seen(page, width, 800):
        lay_out()
        page.resize(width, max(800, page.heightForWidth(width)))  # as the area has it in which it scrolls
        lay_out()
        yield page


def drawn(chart: QWidget) -> list[str]:
    """Return the texts that a chart really paints."""
    buffer, generator = QBuffer(), QSvgGenerator()
    generator.setOutputDevice(buffer)
    generator.setSize(chart.size())
    chart.render(generator)
    root = ET.fromstring(bytes(buffer.data().data()))
    return [element.text or "" for element in root.iter("{http://www.w3.org/2000/svg}text")]


def lines_of(shown_: str, painted: Counter[str]) -> Iterator[str]:
    """Yield the painted lines that make up a text, of which the last may be elided."""
    while shown_:
        lines = [piece for piece in painted if piece.strip("…") and shown_.startswith(piece.removesuffix("…"))]
        assert lines, (shown_, painted)
        yield (line := max(lines, key=len))
        shown_ = "" if line.endswith("…") else shown_.removeprefix(line).lstrip()


def check_chart(chart: BarChart, panel: Panel) -> None:
    """The chart paints the panel's rows, each with its value and words, and nothing else."""
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
    model = page.findChild(QTableView).model()
    columns = range(model.columnCount())
    return [tuple(model.data(model.index(row, at, QModelIndex())) for at in columns) for row in range(model.rowCount())]


@given(results(), WIDTHS)
def test_a_result_is_shown_as_it_is_presented(result: Result, width: int) -> None:
    presented = present(result)
    with unfolded(ResultPage(presented, Nobody()), width) as page:
        charts = page.findChildren(BarChart)
        glance = presented.glance
        first = [glance.panel] if glance.panel else []
        assert [chart.panel for chart in charts] == [*first, *glance.prices, *presented.panels]
        for chart in charts:
            check_chart(chart, chart.panel)
            bars = bars_of(chart.panel, None)
            assert {bars.title, *([bars.direction] if chart is charts[0] and glance.value else [])} & labels(page)
        sentences = {presented.measured, presented.method_drawn, *presented.cautions, glance.title, presented.why}
        sentences |= {glance.subject, glance.value, glance.instead} if glance.value else {glance.headline}
        sentences |= {glance.certainty.words} if glance.certainty else set()
        sentences |= {*filter(None, (glance.parts, glance.price if glance.turns or not glance.prices else ""))}
        assert sentences | ({presented.priorities} if presented.priorities else set()) <= labels(page)
        assert cells(page) == [tuple(row) for row in samples(result)]


@given(results(), st.sampled_from((1.0, 1.02, 0.4, 7.0)), WIDTHS)
def test_so_are_two_results(result: Result, factor: float, width: int) -> None:
    later = replace(result, samples=tuple(replace(sample, value=sample.value * factor) for sample in result.samples))
    between = present_between(result, later)
    with unfolded(BetweenPage(between), width) as page:
        values = {row.value for figure in between.shared for pair in figure.rows for row in pair}
        differences = {fact for difference in between.differences for fact in difference}
        sentences = {*between.answers, *between.left_out.values(), *filter(None, (between.why, between.caveat))}
        assert sentences | differences | values <= labels(page)
