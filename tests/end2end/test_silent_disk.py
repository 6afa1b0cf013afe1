# SPDX-License-Identifier: GPL-3.0-or-later
"""The disk that holds the home stops answering: who writes to it hangs, and nobody else."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from select import select
from threading import Thread

import pytest

from disktuner.gui.geometry import Geometry
from disktuner.results.store import Store
from disktuner.writing import NotSaved
from disktuner_watch.causes import FreezeReason
from disktuner_watch.field.blocks import Block
from disktuner_watch.field.saved import Place, SavedTrial
from disktuner_watch.incidents import Incidents
from tests.conftest import LoopDisk, Sudo
from tests.gui.stand_ins import result
from tests.simdisk.simulated import silent, simulated_disk
from tests.unit.watch.planted import planted
from tests.waiting import until

APP = Path(__file__).resolve().parents[2] / "app"
SAYS = """
import logging, sys
from disktuner.log import logging_on
with logging_on(debug=False):
    sys.stdin.readline()
    logging.getLogger("disktuner").debug("a detail")
    print("said", flush=True)
    sys.stdin.read()
"""


WINDOW = Path(__file__).with_name("window_at_home.py")


@pytest.fixture
def home(sudo: Sudo, tmp_path: Path) -> Iterator[LoopDisk]:
    with simulated_disk(sudo, tmp_path, 64, "null") as disk:
        yield disk


def forget_all(sudo: Sudo, disk: LoopDisk) -> Path:
    """Have nothing of what the disk holds in memory."""
    sudo("umount", disk.folder)
    sudo("mount", disk.device, disk.folder)
    return disk.folder


def test_what_is_logged_is_written_once_the_disk_answers_again(sudo: Sudo, home: LoopDisk, tmp_path: Path) -> None:
    folder = forget_all(sudo, home)
    environment = os.environ | {"PYTHONPATH": str(APP), "XDG_STATE_HOME": str(folder)}
    command, pipe = [sys.executable, "-c", SAYS], subprocess.PIPE
    log = folder / "disktuner/log"
    with subprocess.Popen(command, env=environment, stdin=pipe, stdout=pipe, text=True) as program:
        with silent(sudo, tmp_path):
            print("go on", file=program.stdin, flush=True)
            until(lambda: select([program.stdout], [], [], 0)[0], 60)
        until(lambda: log.exists() and "a detail" in log.read_text())
    assert program.returncode == 0


def test_who_deletes_an_incident_is_told_that_it_may_still_be_there(sudo: Sudo, home: LoopDisk, tmp_path: Path) -> None:
    incidents, incident, refused = Incidents(home.folder / "incidents"), planted(FreezeReason.SILENT), list[NotSaved]()
    incidents.save(incident)

    def delete() -> None:
        try:
            incidents.remove(incident.id)
        except NotSaved as error:
            refused.append(error)

    forget_all(sudo, home)
    with silent(sudo, tmp_path):
        deleting = Thread(target=delete)
        deleting.start()
        until(lambda: not deleting.is_alive(), 60)
    assert [error.message.id for error in refused] == ["incident-not-removed"]
    until(lambda: incidents.ids() or not incidents.silent)
    incidents.remove(incident.id)
    assert incidents.ids() == [] and not incidents.silent


@contextmanager
def window(folder: Path, *pages: str, **homes: Path) -> Iterator[tuple[subprocess.Popen[str], Path]]:
    """The window before it opens, with some of the user's folders elsewhere; and the file with its output."""
    environment, output = os.environ.copy(), folder / "output"
    for name in ("RUNTIME_DIR", "CONFIG_HOME", "DATA_HOME", "STATE_HOME"):
        (folder / name).mkdir(0o700)
        environment[f"XDG_{name}"] = str(homes.get(name, folder / name))
    command = [sys.executable, "-I", str(WINDOW), *pages]
    with (
        output.open("w") as file,
        subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stdout=file, text=True) as running,
    ):
        until(lambda: "ready" in output.read_text() or running.poll() is not None)
        yield running, output


def go_on(running: subprocess.Popen[str]) -> None:
    print("go on", file=running.stdin, flush=True)


def test_the_window_is_used_and_closed_as_ever(sudo: Sudo, home: LoopDisk, tmp_path: Path) -> None:
    """Its size, the pause of a trial, what was answered last and what was kept are read and written there."""
    Store(home.folder / "disktuner").save(result(6))
    Incidents(home.folder / "disktuner/incidents").save(planted(FreezeReason.SILENT))
    Place(home.folder / "disktuner/field").save(SavedTrial("t1", "r1", 1, 2_000_000_000, Block(0)))
    Geometry(home.folder / "disktuner/window.conf").keep(b"none")
    at = forget_all(sudo, home)
    with window(tmp_path, "page-history", "page-monitor", DATA_HOME=at, STATE_HOME=at) as (running, output):
        with silent(sudo, tmp_path):
            go_on(running)
            until(lambda: "closed" in output.read_text() or running.poll() is not None)
        assert running.wait() == 0
    assert output.read_text().split() == ["ready", "paused", "page-history", "page-monitor", "closed"]


def test_the_program_ends_although_the_recorder_still_waits(sudo: Sudo, home: LoopDisk, tmp_path: Path) -> None:
    (home.folder / "chosen").mkdir()
    at = forget_all(sudo, home) / "chosen"
    with window(tmp_path) as (running, output):
        (tmp_path / "CONFIG_HOME/disktuner").symlink_to(at)  # all else there is read by Qt
        with silent(sudo, tmp_path):
            go_on(running)
            until(lambda: running.poll() is not None)
        assert running.wait() == 0
    assert output.read_text().split()[-1] == "closed"
