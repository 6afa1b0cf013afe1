# SPDX-License-Identifier: GPL-3.0-or-later
"""Whatever was measured: typical values and differences agree, and everything that shows a result agrees, too."""

from __future__ import annotations

import io
import math
import re
from html import unescape
from itertools import pairwise

import pytest
from hypothesis import given, settings
from tests.unit.presentation.generating import SCHEDULERS, results

from disktuner.cli.results import show_result
from disktuner.cli.screen import Screen
from disktuner.presentation import Panel, Presented, Row, present
from disktuner.report import picture
from disktuner.report.drawing import drawable
from disktuner.report.page import html
from disktuner.report.tables import markdown
from disktuner.results.model import Result
from disktuner.vocabulary.metrics import COUNTED, Better

PICTURES = 3


def check(panel: Panel, row: Row, base: float, typical: float) -> None:
    """One row against what it is compared with: the values do not contradict the difference."""
    shift = 0.5 if panel.metric.unit in COUNTED else 0.0
    ratio = (typical + shift) / (base + shift)
    gain = 1 / ratio if panel.metric.better is Better.LOWER else ratio
    assert row.gain is not None
    if typical:
        assert gain == pytest.approx(row.gain, rel=1e-6, abs=2 * shift)
    else:  # nothing is less than no late frame, whatever the ratio leaves of the half that is added to each count
        assert abs(math.log(gain)) <= abs(math.log(row.gain)) + 1e-6
    if row.gain_low is not None and row.gain_high is not None:
        assert row.gain_low * (1 - 1e-9) <= row.gain <= row.gain_high * (1 + 1e-9)


@given(results())
def test_typical_values_never_contradict_their_ratio(result: Result) -> None:
    for panel in present(result).panels:
        base = panel.rows[0]
        for row in panel.rows:
            assert (row.gain is None) == (row.difference in ("", "–", "what it had")) or row.is_baseline
            if row.gain is not None and not row.is_baseline:
                assert base.is_baseline and base.typical is not None and row.typical is not None
                check(panel, row, base.typical, row.typical)
        check_scale(panel)


def check_scale(panel: Panel) -> None:
    """It holds all gains, and its labels have room."""
    places = [panel.scale.at(gain) for gain, _ in panel.scale.ticks]
    assert places == sorted(places) and 0 <= places[0] <= places[-1] <= 1 and panel.scale.at(1) in places
    assert all(after - before > 0.09 for before, after in pairwise(places))
    gains = [row.gain for row in panel.rows if row.gain is not None]
    assert all(0 <= panel.scale.at(gain) <= 1 for gain in gains)
    assert all(panel.scale.holds(gain) for gain in gains if 0.001 <= gain <= 1000)


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
    """What `disktuner verdict` prints."""
    out = io.StringIO()
    show_result(Screen(out), presented)
    return out.getvalue()


def of_terminal(presented: Presented) -> list[list[str]]:
    """The cells that hold something, of the lines that begin with a scheduler."""
    lines = [re.split(r" {2,}", line.strip()) for line in on_terminal(presented).splitlines()]
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
    assert all(said in on_terminal(presented) for said in presented.reasons or (presented.why,))


def html_without_pictures(presented: Presented) -> str:
    """The page; its two pictures take a second to draw and are looked at below."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("disktuner.report.page.svg", lambda *_, **__: "<svg></svg>")
        return html(presented)


@settings(max_examples=PICTURES)
@given(results())
def test_pictures_show_what_is_presented(result: Result) -> None:
    presented = present(result)
    wanted = [
        drawable(shown)
        for panel in presented.panels
        for row in panel.rows
        for shown in (row.name, row.value, row.difference, row.interval, row.finding)
        if shown
    ]
    drawn = [each.get_text() for each in picture.whole_picture(presented, "dark").figure.texts]
    comments = re.findall(r"<!-- (.*?) -->", picture.svg(presented, "light"), re.DOTALL)
    written = [comment.replace("- -", "--") for comment in comments]
    for texts in (drawn, written):
        whole = "\n".join(texts)
        assert not [shown for shown in wanted if shown not in whole]
        for panel in presented.panels:
            assert drawable(panel.direction) in whole
    assert presented.title in drawn
