# SPDX-License-Identifier: GPL-3.0-or-later
"""The commands of the user's own program are shown in full before they are run; a pipe hangs no window."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QLabel

from disktuner.comparison.continuing import request_to_continue
from disktuner.comparison.request import Request
from disktuner.gui.instruments import Instruments
from disktuner.gui.jobs import Jobs
from disktuner.gui.measurement.plan import PlanPage
from disktuner.gui.widgets.opened_page import OpenedPage
from disktuner.gui.widgets.plan_foot import PlanFoot
from disktuner.presentation.library import ResultLibrary
from disktuner.results.definition import Definition
from disktuner.verdict.judge import judge
from disktuner.vocabulary.goals import OWN
from disktuner.vocabulary.messages import say, text
from tests.gui.conftest import Show
from tests.gui.person import until
from tests.gui.stand_ins import NOWHERE, disk, result

LONG = Definition("make -B " + "x" * 100, "prepare " + "y" * 100, "clean up " + "z" * 100, folder="/srv")


def plan_of(begun: list[Any], jobs: Jobs) -> PlanPage:
    library, no_disk, nothing = ResultLibrary(NOWHERE), begun.append, lambda _: None
    instruments = Instruments(lambda _: (), begun.append, judge, library, no_disk, no_disk, nothing, nothing)
    return PlanPage(PlanFoot(), instruments, jobs)


@pytest.mark.parametrize("typed", [True, False])
def test_all_that_is_run_is_shown_before(typed: bool, show: Show) -> None:
    """A typed command, and those of a result that is continued."""
    begun: list[Any] = []
    jobs = Jobs()
    plan = plan_of(begun, jobs)
    page = OpenedPage("", plan, plan.foot)
    show(page)
    if typed:
        plan.plan(disk(), Request("", OWN.id))
        plan.own_panel.command.setText(LONG.command)
        program = plan.own
        expected = program.shown if program else ()
    else:
        measured = replace(result(3), own=LONG)
        plan.plan(disk(), request_to_continue(measured, judge(measured), Path("/result.json")))
        expected = LONG.shown
    commands = plan.commands
    assert expected and commands.isVisible() and commands.text().split("\n") == [say(command) for command in expected]
    assert LONG.command in commands.text() and begun == [], "nothing was looked at yet"
    plan.withdraw()
    until(lambda: not jobs.busy)


def test_what_the_page_says_the_options_do_not_say_again(show: Show) -> None:
    jobs, about = Jobs(), text("where-about")
    plan = plan_of([], jobs)
    show(OpenedPage("", plan, plan.foot))
    plan.ask(text("where-question"), about)
    plan.plan(disk(), Request("", OWN.id))
    plan.foot.options_fold.setChecked(True)
    assert [label.text() for label in plan.findChildren(QLabel) if label.isVisible()].count(about) == 1
    until(lambda: not jobs.busy)
