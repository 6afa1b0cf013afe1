# SPDX-License-Identifier: GPL-3.0-or-later
"""Results of all kinds, wherever they are shown: one figure, no id, no range that says nothing, and every price."""

from __future__ import annotations

import io
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QAccessible, QAccessibleInterface
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel, QWidget

from disktuner.cli.glance import show_glance
from disktuner.cli.results import show_all, show_between
from disktuner.cli.screen import Screen
from disktuner.drawing.card import card_svg
from disktuner.drawing.pen import Pen
from disktuner.gui.widgets.between_page import BetweenPage
from disktuner.gui.wizard.result_page import ResultPage
from disktuner.presentation import Presented, Row, present, present_between, samples
from disktuner.report.lines import as_text
from disktuner.report.machines import machines_page
from disktuner.report.page import html
from disktuner.report.tables import markdown
from disktuner.verdict.answer import subject_of
from disktuner.vocabulary.messages import say
from disktuner.vocabulary.settings import Setting
from disktuner.vocabulary.workloads import WORKLOADS
from tests.gui.conftest import Wanted
from tests.unit.cli.kinds import every
from tests.unit.fleet.drawing import machine, summary, write

RESULTS = every()
IDS = tuple(name for name in WORKLOADS if "-" in name)
"""The others are words or programs."""
RANGE = re.compile(r"([\d.,]+)× (slower |worse |more |)(?:to|–) ([\d.,]+)×")
SETTING = re.compile(r"\b[a-z-]+:(?:\w+/)?\w+=\d")
WIDEST = 10.5
"""Ends of ranges are rounded."""
FIRST = ("first page", "card", "report", "terminal", "text")
PICTURES = ("first page", "card")
"""These show figures in large letters and prices as bars."""
Shown = Mapping[str, str]


def plain(shown: Iterable[str]) -> str:
    return re.sub(r"[^\S\n]+", " ", "\n".join(filter(None, shown))).replace("\u2011", "-").replace("\u2060", "")


def without_tags(page: str) -> str:
    body = re.sub(r"<style.*?</style>", "", page, flags=re.DOTALL)
    return plain([unescape(re.sub(r"<[^>]*>", "\n", body))])


@contextmanager
def painted(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The lines that are written on pictures."""
    lines, write = list[str](), Pen.write

    def noted(pen: Pen, box: Any, line: str, *given: Any, **more: Any) -> None:
        lines.append(line)
        write(pen, box, line, *given, **more)

    with monkeypatch.context() as patched:
        patched.setattr(Pen, "write", noted)
        yield lines


@contextmanager
def seen(page: QWidget) -> Iterator[None]:
    """A page that is laid out; gone afterwards."""
    page.resize(780, 640)
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
    """The page with what is painted on it, its details, and its accessible tree."""
    page = ResultPage(presented, Wanted())
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


def on_terminal(draw: Callable[..., None], shown: object) -> str:
    out = io.StringIO()
    draw(Screen(out), shown)
    return plain([out.getvalue()])


def everywhere(presented: Presented, monkeypatch: pytest.MonkeyPatch) -> Shown:
    """What people see and hear of a result, by where."""
    return dict(in_window(presented, monkeypatch)) | {
        "card": on_card(presented, monkeypatch),
        "report": without_tags(html(presented)),
        "terminal": on_terminal(show_glance, presented),
        "all figures": on_terminal(show_all, presented),
        "text": plain([as_text(presented)]),
        "table for a forum": plain([re.sub(r"\\(.)", r"\1", markdown(presented))]),
        "history": say(presented.verdict.answer.summary),
    }


def check_words(shown: Shown, ids: Iterable[str] = ()) -> None:
    """No id, and no range that is wider than tenfold."""
    for where, text in shown.items():
        assert not SETTING.findall(text), where
        assert not [name for name in (*ids, *IDS) if re.search(rf"(?<![\w.-]){re.escape(name)}(?![\w-])", text)], where
        for low, across, high in RANGE.findall(text.replace(",", "")):
            assert (float(high) * float(low) if across else float(high) / float(low)) <= WIDEST, where


def check_figure(presented: Presented, shown: Shown) -> None:
    """What the sentence states of the setting that it is about is what the chart and the tables show of it."""
    verdict, bars = presented.verdict, presented.bars
    glance = presented.glance
    in_letters = (glance.subject, glance.value, glance.instead) if glance.value else (glance.headline,)
    for where in (*FIRST, "accessible tree", "all figures"):
        figures = in_letters if where in PICTURES else (glance.headline,)
        for said in (glance.title, *figures, glance.parts):
            assert said in shown[where], where
    about = verdict.winner or verdict.leader
    if about is None or bars is None:
        return
    (bar,) = (bar for bar in bars.bars if bar.setting == about)
    for where in (*FIRST, "accessible tree"):
        assert bar.name in shown[where] and bar.value in shown[where], where
    for where in FIRST:
        assert bar.words in shown[where], where
    if verdict.winner is not None:
        factor = re.match(r"(?:more than )?[\d.]+×", bar.words)
        assert factor and factor[0] in shown["history"] and bar.words in presented.why
    if verdict.leading is None:
        assert verdict.winner is None or bar.words in presented.glance.sentence
        return
    assert bar.value in presented.glance.sentence
    row = row_of(presented, verdict.leading, about)
    assert row is not None and (row.value, row.words) == (bar.value, bar.words)
    for where in ("details", "report", "all figures", "table for a forum"):
        assert row.value in shown[where] and (row.words if where == "details" else row.difference) in shown[where], (
            where
        )
    assert bar.words.startswith((row.difference, row.finding))


def row_of(presented: Presented, metric: str, setting: Setting) -> Row | None:
    rows = (row for panel in presented.panels if panel.metric.name == metric for row in panel.rows)
    return next((row for row in rows if row.setting == setting), None)


def check_prices(presented: Presented, shown: Shown) -> None:
    """Whatever gets worse beyond what the goal accepts stands on each first page."""
    winner, said, glance = presented.verdict.winner, presented.glance.price, presented.glance
    values = [row.value for panel in glance.prices for row in panel.rows]
    for where in FIRST:
        as_bars = where in PICTURES and values and not glance.turns
        assert all(each in shown[where] for each in (values if as_bars else [said])), where
    assert all(value in said for value in values) or glance.turns
    for price in presented.result.question.prices if winner else ():
        row = row_of(presented, price.metric, winner)
        beside = row_of(presented, price.beside or "", winner)
        speedup = math.exp(beside.estimate.gain) if beside and beside.estimate else 1.0
        if row is not None and row.estimate and row.estimate.gain < math.log(price.least_gain(speedup)):
            assert row.value in said or row.difference in said
            assert presented.glance.turns


@pytest.mark.parametrize("kind", RESULTS)
def test_one_result_says_one_thing(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    presented = present(RESULTS[kind])
    shown = everywhere(presented, monkeypatch)
    check_words(shown, presented.result.metrics)
    check_figure(presented, shown)
    check_prices(presented, shown)
    assert len(presented.glance.spoken.split()) <= 30


@pytest.mark.parametrize("kind", RESULTS)
def test_two_results_say_one_thing(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The figure above all is that of the first chart."""
    first = RESULTS[kind]
    later = replace(first, samples=tuple(replace(each, value=each.value * 1.9) for each in first.samples))
    found = present_between(first, later)
    page = BetweenPage(found)
    with seen(page):
        shown = {"page": plain(words_of(page)), "terminal": on_terminal(show_between, found)}
    check_words(shown, first.metrics)
    if " second result is " in found.why:
        about = found.panels[0]
        assert any(row.difference in found.why for row in about.rows)
        assert say(subject_of(about.metric, first.question)) in found.why


def test_many_machines_say_one_thing(tmp_path: Path) -> None:
    gains = (2.0, 2.2, 40.0, 1.9, 2.1, 2.0)
    write(tmp_path, *(machine(number, gain, copying=3.0) for number, gain in enumerate(gains)))
    check_words({"page": without_tags(machines_page(summary(tmp_path)))})
