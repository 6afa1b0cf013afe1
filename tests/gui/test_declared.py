# SPDX-License-Identifier: GPL-3.0-or-later
"""A goal and a workload that are declared once stand in the wizard; the rest is in tests/unit/vocabulary."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel, QWidget
from pytestqt.qtbot import QtBot

from disktuner.gui.application import Application
from disktuner.gui.wizard.goal_page import GoalPage
from disktuner.vocabulary.goals import GOALS, Goal
from disktuner.vocabulary.metrics import higher
from disktuner.vocabulary.workloads import WORKLOADS, WorkloadFacts, decides
from tests.gui.stand_ins import Bench, ScriptedComparison

LEVELS = higher("levels_per_s", "per_s", "Levels loaded beside a patch")


def test_a_goal_is_a_card(qtbot: QtBot, dressed: QApplication, monkeypatch: pytest.MonkeyPatch) -> None:
    gaming = Goal(
        "gaming", "Games", "Levels load at once.", "playing", "A player waits.", "goal-media", 1.2, "It is felt."
    )
    monkeypatch.setitem(GOALS, "gaming", gaming)
    page = GoalPage()
    qtbot.addWidget(page)
    assert "Games" in [button.accessibleName() for button in page.findChildren(QAbstractButton)]
    assert {"Games", "Levels load at once."} <= texts(page)


def test_a_workload_is_announced_by_its_activity(
    opened: Callable[[Bench], Application], bench: Bench, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    toy = WorkloadFacts(
        "toy",
        "Loads levels",
        "loading levels",
        "toy",
        "toys",
        (LEVELS,),
        "levels_per_s",
        (decides("desktop"),),
        "a shop",
    )
    monkeypatch.setitem(WORKLOADS, "toy", toy)
    announce = ScriptedComparison.announce
    monkeypatch.setattr(ScriptedComparison, "announce", lambda self: replace(announce(self), workloads=("toy",)))
    running = opened(bench)
    running.find_best("sda")
    wizard = running.window.wizard
    assert wizard is not None
    wizard.next()
    qtbot.waitUntil(lambda: "Loading levels" in texts(wizard.where_page), timeout=5000)


def texts(widget: QWidget) -> set[str]:
    """What stands on all labels of a widget."""
    return {label.text() for label in widget.findChildren(QLabel)}
