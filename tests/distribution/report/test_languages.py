# SPDX-License-Identifier: GPL-3.0-or-later
"""Reports and pictures in every language: nothing stays English, and every letter has a font."""

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QRectF
from tests.catalogues import pseudo
from tests.unit.verdict.making import COPY, LAUNCH, READ, WRITE, made

from disktuner.drawing.card import card_png
from disktuner.drawing.pen import Pen
from disktuner.presentation import Presented, present
from disktuner.report.lines import as_text
from disktuner.report.page import html
from disktuner.results.codec import load
from disktuner.vocabulary.languages import LANGUAGES, language_of
from disktuner.vocabulary.messages import literal, message, speaking

TRANSACTIONS = Path(__file__).parents[2] / "data/results/write-up-a.json"
OTHERS = "in words of others"


class Words(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def shown() -> Presented:
    warnings = (message("battery-now"), literal(OTHERS))
    result = made({(LAUNCH, "bfq"): 0.2, (WRITE, "bfq"): 2.0}, metrics=(LAUNCH, WRITE))
    return present(replace(result, warnings=warnings))


def not_said(texts: list[str]) -> list[str]:
    return [text for text in texts if pseudo.unsaid(text, [OTHERS])]


def test_nothing_in_a_report_or_picture_stays_english() -> None:
    with speaking(pseudo.language()):
        presented = shown()
        page = Words()
        page.feed(re.sub(r"<(style|svg).*?</\1>", "", html(presented), flags=re.DOTALL))
        drawn = [unescape(letters) for letters in re.findall(r"<text[^>]*>(.*?)</text>", html(presented))]
        lines = as_text(presented)
    assert len(page.texts) > 30 and not_said(page.texts) == []
    assert any(pseudo.OPEN in letters for letters in drawn) and not_said([*drawn, *lines.splitlines()]) == []


@pytest.mark.parametrize("id_", LANGUAGES)
def test_a_report_says_its_language(id_: str) -> None:
    with speaking(language_of(id_)):
        assert f'<html lang="{id_.replace("_", "-")}">' in html(shown())


@pytest.mark.parametrize("id_", LANGUAGES)
def test_a_card_says_in_full_what_its_figures_are(id_: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The longest names of figures are those of latencies, the longest units those of other programs."""
    fitting: list[str] = []

    def write(pen: Pen, box: QRectF, shown: str, _: object = None, size: float = 1.0, **style: Any) -> None:
        if pen.ink.width(shown, size, bold=style.get("bold", False)) <= box.width() + 1:
            fitting.append(shown)

    monkeypatch.setattr(Pen, "write", write)
    with speaking(language_of(id_)):
        latency, transactions = present(made({}, metrics=(READ, COPY), goal="media")), present(load(TRANSACTIONS))
        for presented in (latency, transactions):
            card_png(presented, "light")
        assert latency.bars and _letters(latency.bars.title) in _letters("".join(fitting))
        assert {transactions.glance.value, transactions.glance.instead} <= {*fitting}


def _letters(shown: str) -> str:
    return "".join(shown.split())
