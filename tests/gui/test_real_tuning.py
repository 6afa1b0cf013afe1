# SPDX-License-Identifier: GPL-3.0-or-later
"""From a result to a setting that is tried, kept and taken back: real helper, real polkit, real disk."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtWidgets import QToolButton
from pytestqt.qtbot import QtBot

from disktuner.block.disk import disk_to_json
from disktuner.comparison.comparison import Comparison
from disktuner.comparison.real import real_environment
from disktuner.comparison.request import JudgedResult, Request
from disktuner.experiment.events import Event
from disktuner.gui.application import Application
from disktuner.gui.wizard.result_page import ResultPage
from disktuner.gui.wizard.wizard import Measurement, Wizard
from disktuner.results.store import Store
from disktuner.verdict.model import Decision
from disktuner.vocabulary.messages import text
from disktuner.vocabulary.settings import setting_of
from tests.conftest import LoopDisk, Sudo
from tests.gui.conftest import click
from tests.gui.real import Open, known_to_udev, opened, start, switching
from tests.gui.stand_ins import tuned
from tests.gui.test_real import pictures
from tests.gui.test_real_apply import asked

__all__ = ["opened", "pictures"]
RULES = Path("/etc/udev/rules.d/90-disktuner.rules")
BEST = "bfq:slice_idle=0"


def values(loop: LoopDisk, *names: str) -> dict[str, str]:
    """Tunables of the queue and of its scheduler, as the kernel prints them."""
    return {name: (loop.queue / name).read_text().strip() for name in names}


def opened_tuning(qtbot: QtBot, running: Application, loop: LoopDisk) -> ResultPage:
    """A kept result of this disk in which a setting gained."""
    disk = running.disks.find(loop.name)
    assert disk is not None
    Store().save(replace(tuned(6, ("bfq", BEST), {BEST: 1.8}), disk=disk_to_json(disk)))
    click(qtbot, running.window.findChildren(QToolButton)[2])
    page = running.window.history_page
    qtbot.waitUntil(lambda: page.model.rowCount() == 1, timeout=10000)
    page.table.selectRow(0)
    click(qtbot, page.open_button)
    qtbot.waitUntil(lambda: running.window.opened is not None, timeout=10000)
    assert running.window.opened is not None and isinstance(running.window.opened.content, ResultPage)
    return running.window.opened.content


def test_a_setting_is_tried_kept_for_good_and_taken_back(
    loop_disk: Callable[..., LoopDisk], opened: Open, qtbot: QtBot, sudo: Sudo
) -> None:
    loop = loop_disk(size_mb=64)
    before = loop.scheduler
    with known_to_udev(loop, sudo):
        running = opened(loop)
        window = running.window
        page = opened_tuning(qtbot, running, loop)
        assert page.leave_button.text() == text("keep-baseline", scheduler=before)

        click(qtbot, page.use_button)
        dialog = asked(qtbot, running)
        assert dialog.windowTitle() == "Keep “bfq, slice_idle 0”?"
        assert loop.scheduler == "bfq" and values(loop, "iosched/slice_idle") == {"iosched/slice_idle": "0"}
        click(qtbot, dialog.back_button)
        qtbot.waitUntil(lambda: window.notice.text.endswith("nothing was kept."), timeout=10000)
        assert loop.scheduler == before

        click(qtbot, page.use_button)
        click(qtbot, asked(qtbot, running).always_button)
        qtbot.waitUntil(lambda: "from now on" in window.notice.text, timeout=20000)
        assert loop.scheduler == "bfq" and values(loop, "iosched/slice_idle") == {"iosched/slice_idle": "0"}
        rule = RULES.read_text()
        assert 'ATTR{queue/scheduler}="bfq"' in rule and 'ATTR{queue/iosched/slice_idle}="0"' in rule

        click(qtbot, window.findChildren(QToolButton)[0])
        card = window.disks_page.card(loop.name)
        qtbot.waitUntil(lambda: card._chip.text() == "bfq, slice_idle 0", timeout=10000)
        qtbot.waitUntil(lambda: card._chosen.text() == text("chosen-for-good") and card._back.isEnabled())
        click(qtbot, card._back)
        qtbot.waitUntil(lambda: loop.scheduler == before and not RULES.exists(), timeout=20000)
        qtbot.waitUntil(lambda: card._chip.text() == before, timeout=10000)


class Gaining(Comparison):
    """Real to the end, but the verdict says that the first setting gained: applying it is what is tested."""

    def run(self, listener: Callable[[Event], None]) -> JudgedResult:
        outcome = super().run(listener)
        won = replace(outcome.verdict, decision=Decision.SWITCH, winner=outcome.result.plan.schedulers[1])
        return replace(outcome, verdict=won)


def tuning(request: Request) -> Measurement:
    """The comparison that the wizard asked for with one workload; the tuning after it in the shortest time."""
    if request.after is None:
        return switching(request)
    return Gaining(replace(request, workloads=("dd-write",), budget="quick", seed=11), real_environment())


def _shown(qtbot: QtBot, wizard: Wizard) -> ResultPage:
    qtbot.waitUntil(lambda: wizard.step == 3, timeout=250000)
    assert wizard.result_page is not None
    return wizard.result_page


@pytest.mark.long
@pytest.mark.timeout(900)
def test_from_the_result_by_fine_tuning_to_a_setting_and_back(
    loop_disk: Callable[..., LoopDisk], opened: Open, qtbot: QtBot, sudo: Sudo, pictures: Path
) -> None:
    """A comparison, a real tuning after it, and its first setting kept until the restart."""
    loop = loop_disk(size_mb=1024)
    before = loop.scheduler
    queue = {path.name: path.read_text() for path in loop.queue.iterdir() if path.is_file()}
    running = opened(loop, tuning)
    window = running.window
    page = _shown(qtbot, start(qtbot, running, loop))
    window.grab().save(str(pictures / "tuning-offered.png"))
    click(qtbot, page.offer.button)
    qtbot.waitUntil(lambda: window.wizard is not None and window.wizard.step == 1)
    wizard = window.wizard
    assert wizard is not None
    qtbot.waitUntil(wizard.next_button.isEnabled, timeout=30000)
    click(qtbot, wizard.next_button)
    qtbot.waitUntil(lambda: wizard.running_page.graphs is not None or wizard.step == 3, timeout=200000)
    window.grab().save(str(pictures / "tuning-running.png"))
    found = _shown(qtbot, wizard)
    window.grab().save(str(pictures / "tuning-found.png"))
    assert loop.scheduler == before
    assert {path.name: path.read_text() for path in loop.queue.iterdir() if path.is_file()} == queue
    result = found.presented.result
    assert result.plan.tunes and result.extra["after"] == page.presented.result.id
    reasons = {sample.reason.id for sample in result.samples if sample.reason}
    assert not {"scheduler-changed", "tunable-changed"} & reasons, "each ran with its own tunables"
    wanted = setting_of(str(found.presented.candidate))
    click(qtbot, found.use_button)
    click(qtbot, asked(qtbot, running).until_button)
    qtbot.waitUntil(lambda: window.wizard is None, timeout=20000)
    qtbot.waitUntil(lambda: "until the next restart" in window.notice.text)
    assert loop.scheduler == wanted.scheduler
    for name, value in wanted.tunables:
        assert (loop.queue / name.removeprefix("queue/")).read_text().strip() == str(value)
    card = window.disks_page.card(loop.name)
    qtbot.waitUntil(lambda: card._back.isVisible() and card._back.isEnabled())
    click(qtbot, card._back)
    qtbot.waitUntil(lambda: loop.scheduler == before, timeout=20000)
