# SPDX-License-Identifier: GPL-3.0-or-later
"""The recorder on the monitor's page: switching it, asking it to keep, and what it kept."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path
from threading import Event, Thread

import pytest
from PySide6.QtCore import Qt, QThread
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest

from disktuner.block.disk import Disk
from disktuner.comparison.request import Request
from disktuner.vocabulary.messages import text
from disktuner_watch import control, unit
from disktuner_watch.causes import FreezeReason
from disktuner_watch.incidents import Incident, Incidents
from disktuner_watch.machine import RealMachine
from disktuner_watch.picture import HEIGHT, WIDTH, incident_png, strips
from disktuner_watch.service import Service
from disktuner_watch.window.incident_dialog import Course, IncidentDialog
from disktuner_watch.wording import command, description
from tests.gui.person import Person, Visit, idle, seen, settle, until, words
from tests.gui.stand_ins import Bench, Late, MemoryRecorder, disk
from tests.unit.watch.planted import PLANTS, planted

HELPS = {
    FreezeReason.WRITES: "compare sda --goal desktop",
    FreezeReason.READS: "launch-under-reads",
    FreezeReason.WRITE_BACK: "compare sdb --felt /",
    FreezeReason.SILENT: "check sda",
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


def test_what_a_disk_that_does_not_answer_holds_is_said_to_be_left_out(visit: Visit, bench: Bench) -> None:
    bench.recorder = MemoryRecorder(unanswered=[Path("/home/anna/incidents")])
    person = at_the_monitor(visit, bench)
    until(lambda: text("incidents-silent", folder="/home/anna/incidents") in words(person.window))


def test_a_measurement_is_not_recorded(visit: Visit, bench: Bench) -> None:
    recorder = bench.recorder = MemoryRecorder()
    person = visit(bench)
    assert recorder.here
    person.hold_at(bench, 1)
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
    until(lambda: list((tmp_path / "RUNTIME_DIR").iterdir()) == [])
    assert not control.is_on()


def test_it_records_in_the_window_once_another_recorder_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "RUNTIME_DIR"))
    recorder, service = control.Running(Incidents.of_user()), Service()
    thread = Thread(target=recorder.run)
    thread.start()
    until(control.is_on)
    service.begin()
    assert service.state() == (True, True)
    recorder.stop()
    thread.join()
    until(lambda: service.state() == (True, False))
    service.end()
    until(lambda: not control.is_on())


def test_a_recorder_that_has_just_begun_here_is_not_taken_for_one_that_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A busy machine takes a while for its first look."""
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "RUNTIME_DIR"))
    goes_on, service = Event(), Service()

    def slowly() -> RealMachine:
        goes_on.wait()
        return RealMachine()

    monkeypatch.setattr(control, "RealMachine", slowly)
    service.begin()
    try:
        until(control.is_on)
        assert service.state() == (True, False)
    finally:
        goes_on.set()
        service.end()
        service.wait()
    assert service.state() == (False, False)


def test_what_is_measured_while_the_service_is_switched_is_not_recorded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor does anything continue if the window is closed meanwhile."""
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "RUNTIME_DIR"))
    monkeypatch.setattr(unit, "is_there", lambda: True)
    service = Service()
    for meanwhile in (lambda _: None, lambda _: service.end()):
        monkeypatch.setattr(unit, "switch", meanwhile)
        service.begin()
        until(control.is_on)
        service.switch(False)
    until(lambda: "recorder" not in {thread.name for thread in threading.enumerate()})
    assert not control.is_on()


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
    shown(person).remove_button.click()
    until(panel.table.isHidden)
    assert recorder.kept == []


def test_however_much_the_kernel_said_the_buttons_stay_on_a_small_screen(visit: Visit, bench: Bench) -> None:
    lines = tuple(f"2026-11-27T14:00:{second} {'sda: I/O error, '.ljust(130, 'x')}" for second in range(10, 22))
    bench.recorder = MemoryRecorder(kept=[replace(planted(FreezeReason.SILENT), kernel=lines)])
    dialog = shown(at_the_monitor(visit, bench))
    dialog.resize(800, 560)
    settle()
    assert dialog.height() == 560


def test_however_often_it_is_asked_for_while_the_disk_is_slow_it_is_shown_once(visit: Visit, bench: Bench) -> None:
    may_answer = Event()

    class Slow(MemoryRecorder):
        def keep_now(self) -> Incident:
            may_answer.wait()
            return super().keep_now()

    recorder = bench.recorder = Slow()
    person = at_the_monitor(visit, bench)
    button = person.window.page("monitor").recorder.now_button
    until(button.isEnabled)
    for _ in range(3):
        button.click()
    may_answer.set()
    (dialog,) = until(lambda: seen(IncidentDialog))
    idle()
    assert len(recorder.kept) == len(seen(IncidentDialog)) == 1
    dialog.accept()
    button.click()
    until(lambda: len(recorder.kept) == 2 and seen(IncidentDialog))
    seen(IncidentDialog)[0].accept()


def test_a_list_that_was_read_before_a_freeze_was_deleted_is_not_what_is_seen_in_the_end(
    visit: Visit, bench: Bench
) -> None:
    """A disk that answers late delays the reading."""
    recorder = bench.recorder = MemoryRecorder(kept=[planted(FreezeReason.WRITES)])
    person = at_the_monitor(visit, bench)
    panel = person.window.page("monitor").recorder
    dialog = shown(person)
    recorder.incidents = late = Late(recorder.incidents)
    person.running.recording.refresh()
    until(late.was_read.is_set)
    dialog.remove_button.click()
    until(lambda: not recorder.kept and len(person.running.jobs.findChildren(QThread)) == 1)
    late.may_come.set()
    idle()
    assert panel.table.isHidden()


@pytest.mark.parametrize(
    ("reason", "cure"),
    [
        (FreezeReason.WRITES, Request("", "desktop")),
        (FreezeReason.READS, Request("", "desktop", workloads=("launch-under-reads",))),
        (FreezeReason.WRITE_BACK, Request("", "felt", felt="/")),
    ],
)
def test_from_a_freeze_it_is_a_click_to_what_would_cure_it(
    reason: FreezeReason, cure: Request, visit: Visit, bench: Bench, tmp_path: Path
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
    assert (begun.goal, begun.workloads, begun.felt) == (cure.goal, cure.workloads, cure.felt)


def mounted(name: str, folder: Path) -> Disk:
    folder.mkdir()
    return disk(name, mounts=(replace(disk().mounts[0], path=str(folder)),))


def test_a_disk_that_does_not_answer_is_checked(visit: Visit, bench: Bench) -> None:
    bench.recorder = MemoryRecorder(kept=[planted(FreezeReason.SILENT)])
    person = at_the_monitor(visit, bench)
    shown(person).measure_button.click()
    until(lambda: person.window.opened)


def shown(person: Person) -> IncidentDialog:
    panel = person.window.page("monitor").recorder
    until(panel.table.isVisible)
    panel.table.selectRow(0)
    QTest.keyClick(panel.table, Qt.Key.Key_Return)
    return person.dialog(IncidentDialog)


@pytest.mark.parametrize("reason", list(PLANTS))
def test_each_cause_has_its_sentence_its_picture_and_its_remedy(reason: FreezeReason, tmp_path: Path) -> None:
    incident = planted(reason)
    assert incident.cause.reason == reason
    assert "{" not in description(incident)
    picture = QImage.fromData(incident_png(incident, "light"))
    assert (picture.width(), picture.height()) == (WIDTH, HEIGHT)
    names = [strip.name for strip in strips(incident)]
    assert any(strip.startswith(f"{incident.cause.disk}:") for strip in names) or not incident.cause.disk
    assert HELPS.get(reason, "") in " ".join(command(incident)) and bool(command(incident)) == (reason in HELPS)
