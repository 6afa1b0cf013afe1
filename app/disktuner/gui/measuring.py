# SPDX-License-Identifier: GPL-3.0-or-later
"""What the window measures and judges with: the pages of a measurement, and the kept results.

It imports the floors from workloads to reports, so the application imports it on first use.
"""

from __future__ import annotations

from functools import cached_property, partial

from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QApplication

from disktuner.block.disk import Disk
from disktuner.comparison.request import Request
from disktuner.gui.difference import DifferenceShow
from disktuner.gui.history import HistoryActions
from disktuner.gui.instruments import load_judging
from disktuner.gui.measurement.measurement_page import MeasurementPage
from disktuner.gui.measurement.plan import PlanPage
from disktuner.gui.measurement.portrait_page import PortraitPage
from disktuner.gui.measurement.portrait_plan import PortraitPlan
from disktuner.gui.measurement.sitting_page import SittingPage
from disktuner.gui.shell import Shell
from disktuner.gui.sources import Sources
from disktuner.gui.state import Opened, Over, State
from disktuner.gui.widgets.opened_page import OpenedPage
from disktuner.gui.widgets.plan_foot import PlanFoot
from disktuner.gui.widgets.window import Window
from disktuner.presentation import Presented
from disktuner.presentation.portrait import ShownPortrait
from disktuner.vocabulary.messages import text

_SEEN_MS = 100
"""Until a plan is painted; importing libraries then takes half a second."""


class Measuring(QObject):
    """Makes the pages of a measurement, and reports its end outside of them."""

    def __init__(self, window: Window, sources: Sources, shell: Shell) -> None:
        super().__init__(window)
        self._window, self._shell = window, shell
        self._desktop, self._helper = sources.desktop, sources.helper
        self._failure = ""

    @cached_property
    def history(self) -> HistoryActions:
        """The kept results, made with their page."""
        return HistoryActions(self._window, self._shell)

    @cached_property
    def _difference(self) -> DifferenceShow:
        load_judging()
        return DifferenceShow(self._shell, self._helper, self)

    def show_difference(self, now: State) -> None:
        """Show the effect of the trial beside its answer, or stop that."""
        if now.shows_difference and now.trial is not None:
            self._difference.begin(now.trial)
        else:
            self._difference.stop()

    def plan_page(self, opened: Opened) -> OpenedPage:
        """The page that shows what a measurement costs; titles of continued, tuned or proposed ones say so."""
        disk, request = opened.about
        plan = self.make_plan(PlanFoot())
        plan.ask(*_question(request))
        page = OpenedPage(opened.title, plan, plan.foot)
        page.leave = plan.withdraw
        plan.titled.connect(page.title.setText)
        plan.plan(disk, request)
        plan.show_memory(self._shell.state.memory(disk))
        return page

    def make_plan(self, foot: PlanFoot) -> PlanPage:
        """Make the panel that shows a measurement's cost; what judges is imported once the panel is painted."""
        QTimer.singleShot(_SEEN_MS, self, load_judging)
        plan = PlanPage(foot, self._shell.instruments, self._shell.jobs)
        plan.begun.connect(self._shell.run)
        plan.asked.connect(self._forget_failure)
        plan.show_state(self._shell.state)
        return plan

    def measurement_page(self, opened: Opened) -> MeasurementPage:
        """The page of a measurement, which begins."""
        comparison, announced = opened.about
        page = MeasurementPage(comparison, announced, self._shell)
        page.ended_without_result.connect(self._stopped)
        for show in (self._desktop.show_progress, self._window.show_progress):
            page.running_page.ring.moved.connect(show)
        page.finished.connect(self._announce_end)
        self._shell.jobs.start(page.run, page.show_result, page.stopped)
        return page

    def portrait_plan(self, opened: Opened) -> OpenedPage:
        """The page that shows what a portrait of a disk would cost."""
        QTimer.singleShot(_SEEN_MS, self, load_judging)
        plan = PortraitPlan(opened.about, self._shell.instruments.portray, self._shell.jobs)
        plan.begun.connect(self._shell.sit)
        page = OpenedPage(opened.title, plan, plan.foot)
        page.leave = plan.withdraw
        return page

    def sitting_page(self, opened: Opened) -> SittingPage:
        """The page of a portrait in the making, which begins."""
        portraying, announced = opened.about
        page = SittingPage(portraying, announced, self._shell)
        for show in (self._desktop.show_progress, self._window.show_progress):
            page.head.ring.moved.connect(show)
        page.ended.connect(partial(self._sitting_ended, announced.target.disk))
        self._shell.jobs.start(page.run, page.show_portrait, page.stopped)
        return page

    def portrait_page(self, opened: Opened) -> OpenedPage:
        """The page of a portrait."""
        disk, portrait = opened.about
        page = PortraitPage(disk, portrait, self._shell)
        QTimer.singleShot(0, page, page.announce_answer)
        return OpenedPage(opened.title, page, page.foot)

    def _sitting_ended(self, disk: Disk, portrait: ShownPortrait | None, sentence: str, tone: str) -> None:
        """Show the portrait as far as there is one; else it may be made again.

        The planned measurement may be another one now.
        """
        if self._window.plan is not None:
            self._window.plan.look_again()
        if portrait is not None:
            self._shell.show_portrait(disk, portrait)
        else:
            self._shell.become(measured_disks=())
            self._shell.close(self._shell.state.opened(Over.SITTING))
        self._window.show_notice(sentence, tone)
        if tone == "bad":
            self._notify(text("notify-stopped"), sentence)
        elif portrait is not None:
            self._notify(text("notify-done", answer=portrait.title), " ".join(portrait.sentences[:1]))

    def _stopped(self, sentence: str, tone: str) -> None:
        """It was cancelled or failed: the same plan may be measured again."""
        self._shell.close(self._shell.state.opened(Over.MEASUREMENT))
        plan = self._window.plan
        if plan is not None:
            plan.again()
        self._window.show_notice(sentence, tone)
        if tone != "bad":
            return
        if plan is not None and plan.is_asked:
            self._failure = sentence
            self._window.notice.show_text(sentence, tone, text("try-again"), plan.measure_soon)
        self._notify(text("notify-stopped"), sentence)

    def _forget_failure(self) -> None:
        """Drop a failed measurement's plan."""
        if self._window.notice.text == self._failure:
            self._window.notice.hide()

    def _announce_end(self, presented: Presented) -> None:
        """The planned measurement is done."""
        self._window.show_notice("")
        self._shell.close(self._shell.state.opened(Over.PLAN))
        self._window.disks_page.choose_none()
        self._window.setWindowTitle(text("title-result"))
        self._notify(text("notify-done", answer=presented.title), presented.glance.sentence)

    def _notify(self, head: str, body: str) -> None:
        """Notify people who are looking elsewhere."""
        if not self._window.isActiveWindow() or self._window.isMinimized():
            QApplication.alert(self._window)
            self._desktop.notify(head, body, self._window.come_forward)


def _question(request: Request) -> tuple[str, str]:
    """Return a plan's title and explanation."""
    if request.continues is not None:
        return text("on-question"), text("on-about")
    if request.after is not None:
        return text("tune-question"), text("tune-about")
    if request.workloads is not None and request.settings:
        return text("proposed-question"), text("proposed-about", setting=request.settings[0].name)
    return text("where-question"), text("where-about")
