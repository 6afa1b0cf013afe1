# SPDX-License-Identifier: GPL-3.0-or-later
"""What is shared: a card that a chat shows whole, drawn without a screen, its file name, and eight lines of text."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtGui import QImage
from tests.unit.verdict.making import LAUNCH, WRITER, made

from disktuner.drawing.ink import Ink
from disktuner.presentation import bars_of, present
from disktuner.report import export
from disktuner.report.exporting import file_name
from disktuner.report.lines import as_text
from disktuner.results.codec import encode
from disktuner.vocabulary.settings import setting_of

LAUNCHER = Path(__file__).parents[3] / "app/launch.py"
NO_LETTERS = "<fontconfig><dir>/nonexistent</dir></fontconfig>"


def test_a_card_is_as_large_as_chats_show_it(tmp_path: Path) -> None:
    for theme in ("light", "dark"):
        picture = QImage(str(export(made({(LAUNCH, "bfq"): 0.2}), tmp_path / "card.png", theme)))
        assert (picture.width(), picture.height()) == (1200, 630)
        assert picture.pixelColor(1190, 5).lightnessF() > 0.9 if theme == "light" else 0.1


def test_a_card_names_a_setting_with_all_its_tunables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name = "bfq:queue/read_ahead_kb=4096,low_latency=0,slice_idle=0,back_seek_penalty=1"
    result = made({(LAUNCH, name): 0.2}, schedulers=("none", "bfq", name))
    drawn, lines = dict[str, str](), Ink.lines

    def record(ink: Ink, shown: str, *args: Any, **options: Any) -> list[str]:
        broken = lines(ink, shown, *args, **options)
        drawn[shown] = " ".join(broken)
        return broken

    monkeypatch.setattr(Ink, "lines", record)
    export(result, tmp_path / "card.png")
    words = setting_of(name).words
    assert all(tunable in drawn[words] for tunable in words.split(", ")), drawn[words]
    title = present(result).glance.title
    assert words in title and drawn[title] == title


@pytest.mark.parametrize("platform", ["", "xcb"])
def test_it_is_drawn_without_a_screen(tmp_path: Path, platform: str) -> None:
    (tmp_path / "a.json").write_text(encode(made({(LAUNCH, "bfq"): 0.2})))
    (tmp_path / "fonts.conf").write_text(NO_LETTERS)
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "QT_QPA_PLATFORM": platform}
    command = [sys.executable, "-I", LAUNCHER, "export", tmp_path / "a.json", "--to", tmp_path / "a.png"]
    subprocess.run(command, env=environment, check=True)
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
    bare = environment | {"FONTCONFIG_FILE": str(tmp_path / "fonts.conf")}
    completed = subprocess.run(command, env=bare, capture_output=True, text=True, check=False)
    assert completed.returncode == 5 and "No fonts" in completed.stderr


def test_a_file_is_called_by_disk_goal_and_day() -> None:
    result = replace(made({}), disk={"vendor": "Samsung", "model": "980 PRO/1TB *"}, created="2026-11-25T10:00:00Z")
    assert file_name(result, ".png") == "disktuner-samsung-980-pro-1tb-desktop-2026-11-25.png"
    assert file_name(replace(result, disk={}), ".svg") == "disktuner-desktop-2026-11-25.svg"


def test_a_few_lines_say_answer_figures_price_and_disk() -> None:
    presented = present(made({(LAUNCH, "bfq"): 0.2, (WRITER, "bfq"): 0.4}))
    first, second, *rest = as_text(presented).splitlines()
    assert first.startswith(presented.glance.title) and second == presented.glance.sentence and len(rest) <= 6
    assert any(line.strip().startswith("bfq: ") for line in rest) and presented.setup[0] in rest[-1]


def test_of_many_settings_the_best_the_current_and_the_answer_are_drawn() -> None:
    names = tuple(f"bfq:slice_idle={number}" for number in range(12))
    presented = present(made({(LAUNCH, names[3]): 0.5}, schedulers=names))
    panel = presented.panels[0]
    best, other = setting_of(names[3]), setting_of(names[7])
    bars = bars_of(panel, other, 5)
    drawn = {bar.setting for bar in bars.bars}
    assert {best, other, presented.verdict.baseline} <= drawn and len(drawn) == 5
    assert bars.hidden == len(panel.rows) - 5
