# SPDX-License-Identifier: GPL-3.0-or-later
"""The recorder on the page of the monitor: switched, asked to keep, and what it kept."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from threading import Thread

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest

from disktuner.block.disk import Disk
from disktuner.comparison.request import Request
from disktuner.drawing.incident import HEIGHT, WIDTH, incident_png, strips
from disktuner.gui.widgets.incident_dialog import Course, IncidentDialog
from disktuner.vocabulary.messages import text
from disktuner.watch import control
from disktuner.watch.causes import Reason
from disktuner.watch.incidents import Incidents
from disktuner.watch.service import Service
from disktuner.watch.told import command, told
from tests.gui.person import Person, Visit, idle, seen, until, words
from tests.gui.stand_ins import Bench, MemoryRecorder, disk
from tests.unit.watch.planted import PLANTS, planted

HELPS = {
    Reason.WRITES: "compare sda --goal desktop",
    Reason.READS: "launch-under-reads",
    Reason.WRITE_BACK: "compare sdb --felt /",
    Reason.SILENT: "check sda",
}


def at_the_monitor(visit: Visit, bench: Bench) -> Person:
    person = visit(bench)
    person.press("page-monitor")
    idle()
    return person


def test_it_records_while_the_window_is_open_and_also_without_it_as_somebody_wishes(visit: Visit, bench: Bench) -> None:
    recorder = bench.recorder = MemoryRecorder()
    person = at_the_monitor(visit, bench)
    panel = person.window.page("monitor").recorder
    until(panel.now_button.isEnabled)
    assert recorder.here and not panel.switch.isChecked() and panel.table.isHidden()
    for wish in (True, False):
        panel.switch.click()
        until(lambda wish=wish: panel.switch.isChecked() == wish)
        assert (recorder.stays, recorder.here) == (wish, not wish)
    person.window.close()
    until(lambda: not recorder.here)


def test_where_no_service_can_it_says_so(visit: Visit, bench: Bench) -> None:
    recorder = bench.recorder = MemoryRecorder(has_service=False)
    person = at_the_monitor(visit, bench)
    panel = person.window.page("monitor").recorder
    panel.switch.click()
    until(lambda: text("recorder-needs-systemd") in words(person.window))
    assert recorder.here and not panel.switch.isChecked()


def test_a_measurement_is_not_recorded(visit: Visit, bench: Bench) -> None:
    recorder = bench.recorder = MemoryRecorder()
    person = visit(bench)
    assert recorder.here
    bench.holds_at = 1
    person.to_announced()
    person.measure_until(1)
    assert not recorder.here
    bench.go_on()
    person.at_result()
    assert recorder.here


def test_a_real_recorder_runs_in_the_window_and_ends_with_it(
    visit: Visit, bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "RUNTIME_DIR"))
    monkeypatch.setenv("PATH", str(tmp_path))  # without systemctl
    bench.recorder = Service()
    person = at_the_monitor(visit, bench)
    panel = person.window.page("monitor").recorder
    until(control.is_on)
    QTest.keyClick(person.window, Qt.Key.Key_K, Qt.KeyboardModifier.ControlModifier)
    until(lambda: seen(IncidentDialog))
    until(panel.table.isVisible)
    person.window.close()
    until(lambda: not control.is_on())
    assert list((tmp_path / "RUNTIME_DIR").iterdir()) == []


def test_it_records_in_the_window_once_another_recorder_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "RUNTIME_DIR"))
    other, service = control.Running(Incidents.of_user()), Service()
    thread = Thread(target=other.run)
    thread.start()
    until(control.is_on)
    service.begin()
    assert service.state() == (True, True)
    other.stop()
    thread.join()
    until(lambda: service.state() == (True, False))
    service.end()
    until(lambda: not control.is_on())


def test_what_is_asked_for_is_shown_listed_and_deleted(visit: Visit, bench: Bench) -> None:
    recorder = bench.recorder = MemoryRecorder()
    person = at_the_monitor(visit, bench)
    panel = person.window.page("monitor").recorder
    until(panel.now_button.isEnabled)
    panel.now_button.click()
    (dialog,) = until(lambda: seen(IncidentDialog))
    assert text("incident-not-disk") in words(dialog)
    assert dialog.measure_button.isHidden(), "no disk is to be measured"
    dialog.accept()
    until(panel.table.isVisible)
    panel.table.selectRow(0)
    QTest.keyClick(panel.table, Qt.Key.Key_Return)
    (dialog,) = until(lambda: seen(IncidentDialog))
    dialog.remove_button.click()
    until(panel.table.isHidden)
    assert recorder.kept == []


@pytest.mark.parametrize(
    ("reason", "asked"),
    [
        (Reason.WRITES, Request("", "desktop")),
        (Reason.READS, Request("", "desktop", workloads=("launch-under-reads",))),
        (Reason.WRITE_BACK, Request("", "felt", felt="/")),
    ],
)
def test_from_a_freeze_it_is_a_click_to_what_would_cure_it(
    reason: Reason, asked: Request, visit: Visit, bench: Bench, tmp_path: Path
) -> None:
    recorder = bench.recorder = MemoryRecorder(kept=[planted(reason)])
    bench.disks = [mounted("sda", tmp_path / "home"), mounted("sdb", tmp_path / "stick")]
    person = at_the_monitor(visit, bench)
    dialog = shown(person)
    (course,) = seen(Course, dialog)
    assert recorder.kept[0].cause.disk in course.accessibleDescription()
    dialog.measure_button.click()
    until(lambda: person.window.planned and bench.comparisons)
    assert f"({recorder.kept[0].cause.disk})" in person.window.planned.title.text()
    begun = bench.comparisons[-1].request
    assert (begun.goal, begun.workloads, begun.felt) == (asked.goal, asked.workloads, asked.felt)


def mounted(name: str, folder: Path) -> Disk:
    folder.mkdir()
    return disk(name, mounts=(replace(disk().mounts[0], path=str(folder)),))


def test_a_disk_that_does_not_answer_is_checked(visit: Visit, bench: Bench) -> None:
    bench.recorder = MemoryRecorder(kept=[planted(Reason.SILENT)])
    person = at_the_monitor(visit, bench)
    shown(person).measure_button.click()
    until(lambda: person.window.opened)


def shown(person: Person) -> IncidentDialog:
    panel = person.window.page("monitor").recorder
    until(panel.table.isVisible)
    panel.table.selectRow(0)
    QTest.keyClick(panel.table, Qt.Key.Key_Return)
    (dialog,) = until(lambda: seen(IncidentDialog))
    return dialog


@pytest.mark.parametrize("reason", list(PLANTS))
def test_each_cause_has_its_sentence_its_picture_and_its_remedy(reason: Reason, tmp_path: Path) -> None:
    incident = planted(reason)
    assert incident.cause.reason == reason
    assert "{" not in told(incident)
    picture = QImage.fromData(incident_png(incident, "light"))
    assert (picture.width(), picture.height()) == (WIDTH, HEIGHT)
    names = [each.name for each in strips(incident)]
    assert any(each.startswith(f"{incident.cause.disk}:") for each in names) or not incident.cause.disk
    assert HELPS.get(reason, "") in " ".join(command(incident)) and bool(command(incident)) == (reason in HELPS)
