# SPDX-License-Identifier: GPL-3.0-or-later
"""The one recorder of a user on this machine: reached by its socket, and gone without a trace."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.unit.watch.planted import planted
from tests.waiting import until

from disktuner.vocabulary.errors import MeasurementImpossible
from disktuner.writing import NotSaved
from disktuner_watch import control
from disktuner_watch.causes import FreezeReason
from disktuner_watch.incidents import Incidents


@pytest.fixture
def runtime(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A path longer than a socket's may be."""
    folder = tmp_path / ("long" * 30)
    folder.mkdir()
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(folder))
    return folder


@contextmanager
def recorder(incidents: Incidents) -> Iterator[None]:
    running = control.Running(incidents)
    thread = threading.Thread(target=running.run)
    thread.start()
    try:
        until(control.is_on)
        yield
    finally:
        running.stop()
        thread.join()


def test_it_keeps_the_last_minutes_for_who_asks_and_leaves_nothing_else(runtime: Path, tmp_path: Path) -> None:
    incidents = Incidents(tmp_path / "incidents")
    assert not control.is_on()
    with recorder(incidents):
        assert (runtime / "disktuner").stat().st_mode & 0o777 == 0o700
        incident = control.keep_now()
        assert incidents.load(incident).asked
    assert not control.is_on()
    assert list(runtime.iterdir()) == []
    assert [file.name for file in incidents.folder.iterdir()] == [f"{incident}.json"]


def test_there_is_one_at_most_whatever_a_killed_one_left(runtime: Path, tmp_path: Path) -> None:
    left = runtime / "disktuner" / "watch"
    left.parent.mkdir()
    left.touch()
    incidents = Incidents(tmp_path / "incidents")
    with recorder(incidents):
        with pytest.raises(MeasurementImpossible) as refused:
            control.Running(incidents).run()
        assert refused.value.message.id == "recorder-on-already"
        assert control.is_on()


def test_who_only_connects_or_babbles_disturbs_nothing(runtime: Path, tmp_path: Path) -> None:
    with recorder(Incidents(tmp_path / "incidents")):
        folder = os.open(runtime / "disktuner", os.O_PATH)
        for content in (b"", b"now", b"\xff" * 100):
            with socket.socket(socket.AF_UNIX) as stranger:
                stranger.connect(f"/proc/self/fd/{folder}/watch")
                stranger.sendall(content)
        os.close(folder)
        assert control.is_on()
        assert not (tmp_path / "incidents").exists()


def test_whose_question_came_too_late_asks_again(runtime: Path) -> None:
    """As where the computer stands still in the moment between the call and the question."""
    (runtime / "disktuner").mkdir()
    folder = os.open(runtime / "disktuner", os.O_PATH)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(f"/proc/self/fd/{folder}/watch")
        listener.listen()

        def answer_the_second() -> None:
            listener.accept()[0].close()
            with listener.accept()[0] as connection:
                connection.recv(16)
                connection.sendall(b"20261127-140200\n")

        thread = threading.Thread(target=answer_the_second)
        thread.start()
        assert control.keep_now() == "20261127-140200"
        thread.join()
    os.close(folder)


def test_without_one_who_asks_is_told_how_to_turn_it_on(runtime: Path) -> None:
    with pytest.raises(MeasurementImpossible) as refused:
        control.keep_now()
    assert refused.value.message.id == "recorder-off"
    assert list(runtime.iterdir()) == [], "asking leaves nothing"


def test_one_that_was_told_to_stop_is_off_although_its_disk_does_not_answer(
    runtime: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It samples no more, and another one may record."""
    answers, incidents = threading.Event(), Incidents(tmp_path / "incidents")
    monkeypatch.setattr(incidents, "complete", answers.wait)
    running = control.Running(incidents)
    thread = threading.Thread(target=running.run)
    thread.start()
    try:
        until(control.is_on)
        running.stop()
        until(lambda: not control.is_on())
        until(lambda: not running.is_recording)
        assert thread.is_alive()
        with recorder(Incidents(tmp_path / "others")):
            assert control.is_on()
    finally:
        answers.set()
        thread.join()
    assert list(runtime.iterdir()) == []


def test_what_could_not_be_kept_is_told(runtime: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "incidents").touch()
    with recorder(Incidents(tmp_path / "incidents")), pytest.raises(MeasurementImpossible) as refused:
        control.keep_now()
    assert refused.value.message.id == "not-kept"
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    caplog.clear()


def test_a_link_that_a_neighbour_put_in_place_of_the_second_folder_is_not_followed(tmp_path: Path) -> None:
    mine, shared = tmp_path / "mine", tmp_path / "shared"
    mine.mkdir(0o755)
    shared.mkdir()
    second = shared / "disktuner-incidents"
    incidents, incident = Incidents(tmp_path / "incidents", None, lambda _: second), planted(FreezeReason.SILENT)
    second.symlink_to(mine)
    with pytest.raises(NotSaved):
        incidents.rescue(incident)
    assert not list(mine.iterdir()) and mine.stat().st_mode & 0o777 == 0o755
    second.unlink()
    assert incidents.rescue(incident) and incidents.ids() == [incident.id]
    assert second.stat().st_mode & 0o777 == 0o700
