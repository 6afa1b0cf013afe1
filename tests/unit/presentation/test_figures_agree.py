# SPDX-License-Identifier: GPL-3.0-or-later
"""Whatever was measured: typical values and differences agree, and everything that shows a result agrees, too."""

from __future__ import annotations

import io
import math
import re
import xml.etree.ElementTree as ET
from html import unescape
from itertools import pairwise

import pytest
from hypothesis import given, settings
from tests.unit.presentation.generating import SCHEDULERS, results

from disktuner.cli.results import show_all
from disktuner.cli.screen import Screen
from disktuner.drawing.card import card_svg
from disktuner.presentation import Panel, Presented, Row, bars_of, present
from disktuner.report.lines import as_text
from disktuner.report.page import html
from disktuner.report.tables import markdown
from disktuner.results.model import Result
from disktuner.vocabulary.metrics import Better

PICTURES = 3


def check(panel: Panel, row: Row, base: float, typical: float) -> None:
    """One row against what it is compared with: the values do not contradict the difference."""
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
                check(panel, row, base.typical, row.typical)
        check_bars(panel)


def check_bars(panel: Panel) -> None:
    """Each bar is as long as its value says, the best first, and none has a range that is wider than tenfold."""
    shown = bars_of(panel, None)
    rows = {row.setting: row for row in panel.rows}
    whole = [bar for bar in shown.bars if bar.share and not bar.is_cut]
    for one, other in pairwise(whole):
        assert one.share / other.share == pytest.approx(rows[one.setting].typical / rows[other.setting].typical)
    for bar in shown.bars:
        assert 0 <= bar.share <= 1 and all(0 <= place <= 1 for place in (*bar.dots, *(bar.ends or ())))
        assert bar.ends is None or bar.ends[1] <= 10.01 * bar.ends[0]
    estimates = [rows[bar.setting].estimate for bar in shown.bars]
    gains = [estimate.gain if estimate else -math.inf for estimate in estimates]
    assert gains == sorted(gains, reverse=True) and shown.hidden == len(panel.rows) - len(shown.bars)


def of_html(presented: Presented) -> list[list[str]]:
    lines = re.findall(r"<tr\b.*?</tr>", html_without_pictures(presented), re.DOTALL)
    rows = [re.findall(r"<t[dh]\b.*?</t[dh]>", line, re.DOTALL) for line in lines]
    texts = [[unescape(re.sub(r"<[^>]*>", "", cell)) for cell in row] for row in rows]
    return [row for row in texts if row[0] != "scheduler"]


def of_markdown(presented: Presented) -> list[list[str]]:
    lines = [line for line in markdown(presented).splitlines() if line.startswith("|")][2:]
    rows = [re.split(r"(?<!\\)\|", line)[2:-1] for line in lines]
    return [[re.sub(r"\\(.)", r"\1", cell).strip() for cell in row] for row in rows]


def on_terminal(presented: Presented) -> str:
    """What `disktuner verdict --all` prints."""
    out = io.StringIO()
    show_all(Screen(out), presented)
    return out.getvalue()


def of_terminal(presented: Presented) -> list[list[str]]:
    """The cells that hold something, of the lines that begin with a scheduler."""
    tables = on_terminal(presented).partition("\n\n")[2]
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
    for whole in (markdown(presented).replace("\\", ""), html_without_pictures(presented), on_terminal(presented)):
        assert presented.title in whole
    assert presented.glance.sentence in on_terminal(presented)


def html_without_pictures(presented: Presented) -> str:
    """The page without what is drawn on it."""
    return re.sub(r"<figure.*?</figure>", "", html(presented), flags=re.DOTALL)


@settings(max_examples=PICTURES)
@given(results())
def test_pictures_show_what_is_presented(result: Result) -> None:
    presented = present(result)
    texts = [unescape(each) for each in re.findall(r"<text[^>]*>(.*?)</text>", html(presented), re.DOTALL)]
    for panel in presented.panels:
        for bar in bars_of(panel, presented.about).bars:
            assert all(shown in texts for shown in (bar.name, bar.value, bar.words) if shown)
    card = ET.fromstring(card_svg(presented, "dark"))
    assert card.find("{http://www.w3.org/2000/svg}title").text == presented.glance.spoken
    assert len(as_text(presented).splitlines()) <= 8 and presented.glance.sentence in as_text(presented)
