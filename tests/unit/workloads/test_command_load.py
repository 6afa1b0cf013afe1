# SPDX-License-Identifier: GPL-3.0-or-later
"""A command of one's own as the load: steady, with its speed; and whatever it does, a sentence, and nothing is left."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from tests import needs
from tests.unit.workloads.test_own import PROBE, STAY, living
from tests.waiting import until

from disktuner.experiment.scratch import scratch_folder
from disktuner.results.definition import Definition
from disktuner.vocabulary.messages import say
from disktuner.workloads import command_load, commands
from disktuner.workloads.command_load import CommandLoad, LoadRun, OwnBeside
from disktuner.workloads.errors import RunFailed
from disktuner.workloads.own import OwnCommand
from disktuner.workloads.processes import Control, Processes
from disktuner.workloads.source import Source
from disktuner.workloads.starts import OwnStart
from disktuner.workloads.workload import MIB, Measurement, Scratch

WRITE = "dd if=/dev/zero of={scratch}/x bs=1M count=4 conv=fsync status=none"
FOREVER = f"while :; do {WRITE}; done"


def load(command: str, scratch: Scratch) -> CommandLoad:
    return CommandLoad(Definition("true", beside=command), scratch)


def tried(command: str, scratch: Scratch) -> LoadRun:
    return load(command, scratch).tried()


def said(found: LoadRun) -> list[str]:
    """All but how busy the disk was, which others use, too."""
    return [note.id for note in found.notes if note.id != "load-idle"]


def failure(command: str, scratch: Scratch) -> RunFailed:
    with pytest.raises(RunFailed) as failed:
        tried(command, scratch)
    return failed.value


def test_its_speed_is_what_its_processes_moved(scratch: Scratch) -> None:
    background = load(FOREVER, scratch)
    background.start()
    found = background.finish(60)
    assert set(found.values) == {"load_bytes_per_s"} and found.values["load_bytes_per_s"] > 0
    assert found.read_bytes is None and found.written_bytes is None
    assert not (scratch.folder / command_load.FOLDER).exists()


def test_what_it_reads_counts_too(scratch: Scratch, tmp_path: Path) -> None:
    (tmp_path / "big").write_bytes(os.urandom(8 * MIB))
    read = f"while :; do dd if={tmp_path}/big of=/dev/null bs=1M iflag=direct status=none; done"
    assert tried(read, scratch).moved.read >= MIB


def test_a_neighbour_who_swaps_folders_moves_no_command(tmp_path: Path) -> None:
    """Once the supervisor is there, the tested folder and the one that commands run in lie elsewhere by their names."""
    tested, here, found = tmp_path / "tested", tmp_path / "here", tmp_path / "found"
    folders = [tested, here]

    def fill(folder: Path, words: str) -> None:
        folder.mkdir()
        (folder / "whose").write_text(words)

    def swap() -> None:
        while folders:
            folder = folders.pop()
            folder.rename(tmp_path / f"aside-{folder.name}")
            fill(folder, "the neighbour's")

    for folder in folders:
        fill(folder, "mine\n")
    tested.chmod(0o777)
    note = f"cat whose >> {found}"
    own = Definition(note, limit_s=20.0, folder=str(here), beside=f"{note}; {FOREVER}")
    with (
        scratch_folder(tested) as private,
        Source(0, 0) as source,
        Processes(Control(), tick=swap, kept_fds=private.fds, unblock=private.empty) as processes,
    ):
        OwnCommand(own).tried(Scratch(private.path, 0, source, processes))
    assert found.read_text() == "mine\n" * 2 and not folders


def test_it_is_tried_before_anything_is_measured_and_what_it_writes_is_planned_with(scratch: Scratch) -> None:
    workload = OwnCommand(Definition("true", limit_s=20.0, beside=FOREVER)).tried(scratch)
    assert "load-tried" in [note.id for note in workload.notes]
    spec = workload.plan(PROBE, 1.0)
    assert spec.load.bytes_expected > 0 and spec.cost.bytes_expected > spec.load.bytes_expected / 2
    assert workload.spec_from(spec.as_json()) == spec


@pytest.mark.parametrize(
    "program", [False, pytest.param(True, marks=needs.programs("strace"))], ids=["command", "program"]
)
def test_a_program_is_measured_beside_it(program: bool, scratch: Scratch) -> None:
    definition = Definition(beside=FOREVER, **({"program": "true"} if program else {"command": "true"}))
    workload: OwnBeside = OwnStart(definition) if program else OwnCommand(definition)
    workload = workload.tried(scratch)  # type: ignore[assignment]
    spec = workload.plan(PROBE, 1.0)
    workload.prepare(scratch, spec)
    found: Measurement = workload.run(scratch, spec)
    declared = {metric.name for metric in workload.facts.metrics}
    assert set(found.values) == declared == {"wall_s", "load_bytes_per_s"}


# ---- what commands do ------------------------------------------------------------------------------------------------


def test_one_that_ends_early_is_started_again_and_that_is_said(scratch: Scratch) -> None:
    found = tried(WRITE, scratch)
    assert said(found)[0] == "load-tried"
    background = load(WRITE, scratch)
    background.start()
    had = command_load.moved_by(background.pid).written
    until(lambda: command_load.moved_by(background.pid).written > had + 32 * MIB)
    remark = background.finish(60).remark
    assert remark is not None and remark.id == "load-again" and WRITE in say(remark)


def test_one_that_fails_at_once_says_what_it_printed(scratch: Scratch) -> None:
    failed = failure("echo wrong >&2; exit 3", scratch)
    assert failed.message.id == "load-failed" and failed.message.values["status"] == 3
    assert "wrong" in say(failed.message)
    assert failure("exit 3", scratch).message.id == "load-failed-silently"
    assert "no-such-program" in say(failure("no-such-program-anywhere", scratch).message)


def test_one_that_fails_later_spoils_the_run(scratch: Scratch, tmp_path: Path) -> None:
    background = load(f"{WRITE}; until test -e {tmp_path}/now; do {WRITE}; done; exit 5", scratch)
    background.start()
    (tmp_path / "now").touch()
    until(lambda: scratch.processes.ended(background.pid))
    with pytest.raises(RunFailed) as failed:
        background.finish(60)
    assert failed.value.message.id == "load-failed-silently"


def test_one_that_does_nothing_on_a_disk_is_refused(scratch: Scratch, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command_load, "BUSY_S", 0.5)
    for command in ("true", STAY):
        assert failure(command, scratch).message.id == "load-idle"
        scratch.processes.end_all()
    assert not living()


def test_daemons_go_on_and_are_ended_with_it(scratch: Scratch) -> None:
    found = tried(f"setsid sh -c '(setsid {STAY} &); {FOREVER}' & exit 0", scratch)
    assert said(found) == ["load-tried"] and found.ended.runs == 1
    assert not living()


def test_one_that_ignores_being_asked_to_end_is_killed(scratch: Scratch) -> None:
    found = tried(f'trap "" TERM HUP INT; {STAY} & {FOREVER}', scratch)
    assert said(found) == ["load-tried"]
    assert not living()


def test_one_that_ends_when_asked_to_may_tidy_up(scratch: Scratch, tmp_path: Path) -> None:
    found = tried(f"trap 'touch {tmp_path}/tidied; exit 0' TERM; {FOREVER}", scratch)
    assert said(found) == ["load-tried"] and (tmp_path / "tidied").exists()


def test_one_that_prints_a_lot_goes_on(scratch: Scratch) -> None:
    found = tried(f"yes & {FOREVER}", scratch)
    assert said(found) == ["load-tried"] and len(found.ended.said) <= 300


def test_it_is_ended_before_the_disk_is_too_full(scratch: Scratch, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commands, "usable_bytes", lambda _: -(1 << 50))
    assert failure(f"{FOREVER}", scratch).message.id == "load-fills-disk"


def test_a_cancel_ends_it_and_its_daemons(scratch: Scratch, processes: Processes) -> None:
    load(f'trap "" TERM; (setsid {STAY} &); {FOREVER}', scratch).start()
    until(living)
    processes.end_all()
    assert not living()


@needs.glib
def test_nothing_is_left_where_the_program_itself_is_killed(tmp_path: Path) -> None:
    code = f"""
import sys
sys.path.insert(0, {str(Path(command_load.__file__).parents[2])!r})
from pathlib import Path
from disktuner.workloads.processes import Control, Processes
from disktuner.results.definition import Definition
from disktuner.workloads.command_load import CommandLoad
from disktuner.workloads.source import Source
from disktuner.workloads.workload import Scratch
with Processes(Control()) as processes, Source(0, 0) as source:
    folder = Path({str(tmp_path)!r})
    definition = Definition("true", beside="trap '' TERM; (setsid {STAY} &); {STAY}")
    CommandLoad(definition, Scratch(folder, 0, source, processes)).start()
"""
    program = subprocess.Popen([sys.executable, "-c", code])
    until(lambda: len(living()) == 2)
    program.kill()
    program.wait()
    until(lambda: not living())


# ---- what is shown ---------------------------------------------------------------------------------------------------


def test_it_is_announced_and_named() -> None:
    for own in (Definition("make", beside="cp -r a b"), Definition(program="firefox", beside="cp -r a b")):
        assert "cp -r a b" in say(own.shown[-1])
        assert "cp -r a b" in say(own.activity)
    assert "writes" not in say(Definition("make", beside="writes").shown[-1])
    with pytest.raises(ValueError, match="neither"):
        replace(Definition("make"), beside=" ")
