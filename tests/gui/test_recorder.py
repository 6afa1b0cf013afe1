# SPDX-License-Identifier: GPL-3.0-or-later
"""The recorder on the page of the monitor: switched, asked to keep, and what it kept."""

from __future__ import annotations

import random
from itertools import repeat
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest

from disktuner.drawing.incident import HEIGHT, WIDTH, incident_png, strips
from disktuner.gui.recording import RealService
from disktuner.gui.widgets.incident_dialog import Course, IncidentDialog
from disktuner.vocabulary.messages import text
from disktuner.watch import control
from disktuner.watch.causes import Reason
from disktuner.watch.incidents import Incident
from disktuner.watch.told import cure, told
from tests.gui.person import Person, Visit, idle, seen, until, words
from tests.gui.stand_ins import Bench
from tests.unit.watch.planted import PLANTS, QUIET, Machine

HELPS = {
    Reason.WRITES: "compare sda --goal desktop",
    Reason.READS: "launch-under-reads",
    Reason.WRITE_BACK: "compare sdb --felt /",
    Reason.SILENT: "check sda",
}


def planted(reason: Reason, home: str = "sda") -> Incident:
    machine = Machine(home)
    machine.play(repeat(QUIET, 60))
    machine.play(PLANTS[reason](random.Random(2), home))
    machine.play(repeat(QUIET, 70))
    return machine.kept[0]


def at_the_monitor(visit: Visit, bench: Bench) -> Person:
    person = visit(bench)
    person.press("page-monitor")
    idle()
    return person


def test_it_is_off_until_somebody_switches_it_on_and_off_again(visit: Visit, bench: Bench) -> None:
    person = at_the_monitor(visit, bench)
    panel = person.window.monitor_page.recorder
    assert not panel.switch.isChecked() and not panel.now_button.isEnabled() and panel.table.isHidden()
    panel.switch.click()
    until(panel.now_button.isEnabled)
    assert bench.recorder.on and panel.switch.isChecked()
    panel.switch.click()
    until(lambda: not panel.now_button.isEnabled())
    assert not bench.recorder.on


def test_where_no_service_can_the_window_records_as_long_as_it_is_open(visit: Visit, bench: Bench) -> None:
    bench.recorder.stays = False
    person = at_the_monitor(visit, bench)
    panel = person.window.monitor_page.recorder
    for _ in range(2):
        panel.switch.click()
        until(panel.now_button.isEnabled)
        panel.switch.click()
        until(lambda: not bench.recorder.on and not panel.now_button.isEnabled())
    panel.switch.click()
    until(lambda: bench.recorder.on)
    person.window.close()
    until(lambda: not bench.recorder.on)


def test_a_real_recorder_runs_in_the_window_and_ends_with_it(
    visit: Visit, bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("DATA_HOME", "RUNTIME_DIR"):
        monkeypatch.setenv(f"XDG_{name}", str(tmp_path / name))
    monkeypatch.setenv("PATH", str(tmp_path))  # without systemctl
    bench.recorder = RealService()
    person = at_the_monitor(visit, bench)
    panel = person.window.monitor_page.recorder
    panel.switch.click()
    until(panel.now_button.isEnabled)
    panel.now_button.click()
    until(panel.table.isVisible)
    person.window.close()
    until(lambda: not control.is_on())
    assert list((tmp_path / "RUNTIME_DIR").iterdir()) == []


def test_what_is_asked_for_is_listed_shown_and_deleted(visit: Visit, bench: Bench) -> None:
    bench.recorder.on = True
    person = at_the_monitor(visit, bench)
    panel = person.window.monitor_page.recorder
    panel.now_button.click()
    until(panel.table.isVisible)
    panel.table.selectRow(0)
    QTest.keyClick(panel.table, Qt.Key.Key_Return)
    (dialog,) = until(lambda: seen(IncidentDialog))
    assert text("incident-not-disk") in words(dialog)
    assert dialog.measure_button.isHidden(), "no disk is to be measured"
    dialog.remove_button.click()
    until(panel.table.isHidden)
    assert bench.recorder.kept == []


def test_from_a_freeze_it_is_a_click_to_what_would_cure_it(visit: Visit, bench: Bench) -> None:
    bench.recorder.kept = [planted(Reason.WRITES)]
    person = at_the_monitor(visit, bench)
    panel = person.window.monitor_page.recorder
    panel.chosen.emit(bench.recorder.kept[0].id)
    (dialog,) = until(lambda: seen(IncidentDialog))
    (course,) = seen(Course, dialog)
    assert "sda" in course.accessibleDescription()
    dialog.measure_button.click()
    until(lambda: person.window.wizard)
    assert person.wizard.disk.name == "sda"


@pytest.mark.parametrize("reason", list(PLANTS))
def test_each_cause_has_its_sentence_its_picture_and_its_remedy(reason: Reason, tmp_path: Path) -> None:
    incident = planted(reason)
    assert incident.cause.reason == reason
    assert "{" not in told(incident)
    picture = QImage.fromData(incident_png(incident, "light"))
    assert (picture.width(), picture.height()) == (WIDTH, HEIGHT)
    names = [each.name for each in strips(incident)]
    assert any(each.startswith(f"{incident.cause.disk}:") for each in names) or not incident.cause.disk
    assert HELPS.get(reason, "") in " ".join(cure(incident)) and bool(cure(incident)) == (reason in HELPS)
