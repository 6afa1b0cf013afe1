# SPDX-License-Identifier: GPL-3.0-or-later
"""What the window measures and judges with: the wizard, the kept results, and saving.

It brings the floors from workloads to reports with it, so the application imports it when that is first needed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QApplication

from disktuner.block.disk import Disk
from disktuner.comparison.comparison import Comparison
from disktuner.comparison.request import Announcement, Request
from disktuner.gui.desktop import Desktop
from disktuner.gui.difference import DifferenceShow
from disktuner.gui.export import Exporter
from disktuner.gui.history import HistoryActions
from disktuner.gui.instruments import Instruments
from disktuner.gui.intents import Intents
from disktuner.gui.jobs import InThread, Jobs
from disktuner.gui.shell import Shell
from disktuner.gui.state import Opened, Over
from disktuner.gui.widgets.opened_page import OpenedPage
from disktuner.gui.widgets.plan_foot import PlanFoot
from disktuner.gui.widgets.window import Window
from disktuner.gui.wizard.plan import Plan
from disktuner.gui.wizard.result_page import ResultPage
from disktuner.gui.wizard.wizard import Wizard
from disktuner.helper_client import HelperClient
from disktuner.presentation import Presented
from disktuner.vocabulary.goals import FELT
from disktuner.vocabulary.messages import text
from disktuner.vocabulary.settings import Setting
from disktuner.workloads.catalogue import catalogue

_SEEN_MS = 100
"""Until a wizard is painted: libraries that are imported then take half a second."""


class Measuring(QObject):
    """Opens wizards and results in the window; ``in_thread`` does what takes long, ``jobs`` what a wizard does.

    ``intents`` is what is handed to pages.
    """

    def __init__(
        self,
        window: Window,
        instruments: Instruments,
        desktop: Desktop,
        shell: Shell,
        in_thread: InThread,
        *,
        intents: Intents,
        jobs: Jobs,
    ) -> None:
        super().__init__(window)
        self._shell, self._intents, self._jobs = shell, intents, jobs
        self._failure = ""
        self._window, self._instruments, self._desktop, self._in_thread = window, instruments, desktop, in_thread
        self.exporter = Exporter(window, in_thread, window.show_notice)

    @cached_property
    def history(self) -> HistoryActions:
        """The kept results; made with their page."""
        load_judging()
        return HistoryActions(self._window, self._instruments.kept, self._shell, self._in_thread, self._intents)

    @property
    def result_page(self) -> ResultPage | None:
        """The result that is shown, fresh or opened."""
        if self._window.wizard is not None:
            return self._window.wizard.result_page
        content = self._window.opened.content if self._window.opened is not None else None
        return content if isinstance(content, ResultPage) else None

    def make_difference(self, helper: HelperClient) -> DifferenceShow:
        """What shows in the trial's banner what a trial changes."""
        load_judging()
        banner, say = self._window.trial, self._window.show_notice
        return DifferenceShow(banner, self._instruments.difference, helper, self._jobs, say)

    def choose(self, disk: Disk, goal: str) -> None:
        """Say on the page of disks what it costs to measure one."""
        page = self._window.disks_page
        if page.plan is None:
            page.show_plan(self._plan(page.foot))
        assert page.plan is not None
        page.plan.plan(disk, _request(goal, budget=page.plan.budget))

    def begin(self, disk: Disk, goal: str, workloads: Any = None, felt: str = "", settings: Any = ()) -> None:
        """Say what it costs to measure a disk for a goal, over what is seen."""
        self.plan(disk, _request(goal, felt, workloads=workloads, settings=settings or None))

    def plan(self, disk: Disk, request: Request) -> None:
        """Say what a request costs, over what is seen."""
        self._shell.add(Opened(Over.PLAN, (disk, request), disk.title, disk.name))

    def plan_page(self, opened: Opened) -> OpenedPage:
        """The page that says it; what is continued, tuned or proposed is called so."""
        disk, request = opened.about
        plan = self._plan(PlanFoot())
        plan.ask(*_question(request))
        page = OpenedPage(opened.title, plan, plan.foot)
        page.leave = plan.withdraw
        plan.titled.connect(page.title.setText)
        plan.plan(disk, request)
        return page

    def _plan(self, foot: PlanFoot) -> Plan:
        """What judges is imported once it is seen, before it is told what it costs."""
        QTimer.singleShot(_SEEN_MS, self, load_judging)
        plan = Plan(foot, self._instruments, self._jobs)
        plan.begun.connect(self._measure)
        plan.asked.connect(self._forget_failure)
        plan.show_state(self._shell.state)
        return plan

    def _measure(self, comparison: Comparison, announced: Announcement) -> None:
        self._shell.add(Opened(Over.MEASUREMENT, (comparison, announced), disk=announced.target.disk.name))
        assert self._window.wizard is not None
        self._window.wizard.begin()

    def measurement_page(self, opened: Opened) -> Wizard:
        """The page of a measurement, which begins once it is seen."""
        comparison, announced = opened.about
        wizard = Wizard(comparison, announced, self._instruments, self._intents, self._jobs)
        wizard.said.connect(self._stopped)
        wizard.measuring.connect(self._show_measured)
        wizard.progress.connect(self._desktop.show_progress)
        wizard.progress.connect(self._window.show_progress)
        wizard.finished.connect(self._announce_end)
        return wizard

    def _stopped(self, said: str, tone: str) -> None:
        """It was cancelled or failed: what was planned may be measured again."""
        self._shell.close(self._shell.state.opened(Over.MEASUREMENT))
        plan = self._window.plan
        if plan is not None:
            plan.again()
        self._window.show_notice(said, tone)
        if tone != "bad":
            return
        if plan is not None and plan.is_asked:
            self._failure = said
            self._window.notice.show_text(said, tone, text("try-again"), plan.measure_soon)
        self._notify(text("notify-stopped"), said)

    def _forget_failure(self) -> None:
        """What failed is not what would be measured any more."""
        if self._window.notice.text == self._failure:
            self._window.notice.hide()

    def _show_measured(self, disks: Sequence[Disk]) -> None:
        if disks:
            self._desktop.stay_awake()
        elif self._shell.state.measured:
            self._desktop.rest()
        self._shell.become(measured=tuple(disks))

    def prove(self, disk: Disk, settings: Sequence[Setting], then: Callable[[], object]) -> None:
        """Ask for a trial in daily use of two settings, and let it run without the window."""

        def begun(_: object) -> None:
            first, second = (one.name for one in settings)
            self._window.show_notice(text("field-begun-here", disk=disk.title, first=first, second=second), "good")
            then()

        self._in_thread(partial(self._instruments.prove, disk, settings), begun)

    def stop_proving(self, then: Callable[[], object]) -> None:
        """End this user's trial in daily use, for which nobody is asked."""

        def stopped(_: object) -> None:
            self._window.show_notice(text("field-stopped"), "good")
            then()

        self._in_thread(self._instruments.stop_proving, stopped)

    def _announce_end(self, presented: Presented) -> None:
        """What was planned is done."""
        self._window.show_notice("")
        self._shell.close(self._shell.state.opened(Over.PLAN))
        self._window.disks_page.choose_none()
        self._window.setWindowTitle(text("title-result"))
        self._notify(text("notify-done", answer=presented.title), presented.glance.sentence)

    def _notify(self, head: str, body: str) -> None:
        """Reach somebody who looks elsewhere."""
        if not self._window.isActiveWindow() or self._window.isMinimized():
            QApplication.alert(self._window)
            self._desktop.notify(head, body, self._window.come_forward)


def _request(goal: str, felt: str = "", **given: Any) -> Request:
    """What is felt elsewhere is felt among the user's files, if it is not told where."""
    return Request("", goal, felt=felt or (str(Path.home()) if goal == FELT.id else ""), **given)


def _question(request: Request) -> tuple[str, str]:
    """What a plan is called, and what is said of it."""
    if request.continues is not None:
        return text("on-question"), text("on-about")
    if request.after is not None:
        return text("tune-question"), text("tune-about")
    if request.workloads is not None and request.settings:
        return text("proposed-question"), text("proposed-about", setting=request.settings[0].name)
    return text("where-question"), text("where-about")


def load_judging() -> None:
    """Import what a comparison and its verdict run with (0.2 s): a thread finds imported whatever it runs."""
    import disktuner.verdict.alternating  # noqa: PLC0415 - to have it imported, here and now, is the purpose
    import disktuner.verdict.fitting  # noqa: F401, PLC0415

    catalogue()
