# SPDX-License-Identifier: GPL-3.0-or-later
"""A user's command as the background load: steady, with its speed; whatever it does, it gets a sentence and leaves
nothing.
"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest
from tests.unit.workloads.test_own import PROBE, STAY, living
from tests.waiting import HANG_S, until

from disktuner.experiment.scratch import scratch_folder
from disktuner.results.definition import Definition
from disktuner.vocabulary.messages import say
from disktuner.workloads import command_load, commands
from disktuner.workloads.command_load import CommandLoad, LoadRun
from disktuner.workloads.errors import RunFailed
from disktuner.workloads.own import OwnCommand
from disktuner.workloads.processes import Control, Processes
from disktuner.workloads.source import Source
from disktuner.workloads.workload import MIB, Scratch

WRITE = "dd if=/dev/zero of={scratch}/x bs=1M count=4 conv=fsync status=none"
FOREVER = f"while :; do {WRITE}; done"


def load(command: str, scratch: Scratch) -> CommandLoad:
    return CommandLoad(Definition("true", beside=command), scratch)


def tried(command: str, scratch: Scratch) -> LoadRun:
    return load(command, scratch).tried()


def said(load_run: LoadRun) -> list[str]:
    """Return the conditions without how busy the disk was, which others use too."""
    return [note.id for note in load_run.notes if note.id != "load-idle"]


def failure(command: str, scratch: Scratch) -> RunFailed:
    with pytest.raises(RunFailed) as failed:
        tried(command, scratch)
    return failed.value


def test_its_speed_is_what_its_processes_moved(scratch: Scratch) -> None:
    background = load(FOREVER, scratch)
    background.start()
    measurement = background.finish(HANG_S)
    assert set(measurement.values) == {"load_bytes_per_s"} and measurement.values["load_bytes_per_s"] > 0
    assert measurement.read_bytes is None and measurement.written_bytes is None
    assert not (scratch.folder / command_load.FOLDER).exists()


def test_what_it_reads_counts_too(scratch: Scratch, tmp_path: Path) -> None:
    (tmp_path / "big").write_bytes(os.urandom(8 * MIB))
    read = f"while :; do dd if={tmp_path}/big of=/dev/null bs=1M iflag=direct status=none; done"
    until(lambda: tried(read, scratch).moved.read >= MIB)  # in a second the disk may stand still


def test_a_neighbour_who_swaps_folders_moves_no_command(tmp_path: Path) -> None:
    """Once the supervisor runs, the tested folder and the commands' folder are swapped by name."""
    tested, neighbour, found_file = tmp_path / "tested", tmp_path / "here", tmp_path / "found"
    folders = [tested, neighbour]

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
    note = f"cat whose >> {found_file}"
    definition = Definition(note, folder=str(neighbour), beside=f"{note}; {FOREVER}")
    with (
        scratch_folder(tested) as private,
        Source(0, 0) as source,
        Processes(Control(), tick=swap, kept_fds=private.fds, truncate_files=private.empty) as processes,
    ):
        OwnCommand(definition).tried(Scratch(private.path, 0, source, processes))
    assert found_file.read_text() == "mine\n" * 2 and not folders


def test_it_is_tried_before_anything_is_measured_and_what_it_writes_is_planned_with(scratch: Scratch) -> None:
    def has_written() -> OwnCommand | None:
        """It is tried for a second, in which the disk may stand still."""
        workload = OwnCommand(Definition("true", beside=FOREVER)).tried(scratch)
        assert "load-tried" in [note.id for note in workload.notes]
        return workload if workload.plan(PROBE, 1.0).load.bytes_expected > 0 else None

    workload = until(has_written)
    assert workload
    spec = workload.plan(PROBE, 1.0)
    assert spec.cost.bytes_expected > spec.load.bytes_expected / 2
    assert workload.spec_from(spec.as_json()) == spec


# ---- what commands do ------------------------------------------------------------------------------------------------


def test_one_that_ends_early_is_started_again_and_that_is_said(scratch: Scratch) -> None:
    load_run = tried(WRITE, scratch)
    assert said(load_run)[0] == "load-tried"
    background = load(WRITE, scratch)
    background.start()
    before = command_load.moved_by(background.pid)  # others leave data in memory, too
    until(lambda: command_load.moved_by(background.pid).since(before).on_disk > 64 * MIB)
    remark = background.finish(HANG_S).remark
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
        background.finish(HANG_S)
    assert failed.value.message.id == "load-failed-silently"


def test_one_that_does_nothing_on_a_disk_is_refused(scratch: Scratch, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command_load, "BUSY_S", 0.5)
    for command in ("true", STAY):
        assert failure(command, scratch).message.id == "load-idle"
        scratch.processes.end_all()
    assert not living()


def test_daemons_go_on_and_are_ended_with_it(scratch: Scratch) -> None:
    load_run = tried(f"setsid sh -c '(setsid {STAY} &); {FOREVER}' & exit 0", scratch)
    assert said(load_run) == ["load-tried"] and load_run.ended.runs == 1
    assert not living()


def test_one_that_ignores_being_asked_to_end_is_killed(scratch: Scratch) -> None:
    load_run = tried(f'trap "" TERM HUP INT; {STAY} & {FOREVER}', scratch)
    assert said(load_run) == ["load-tried"]
    assert not living()


def test_one_that_ends_when_asked_to_may_tidy_up(scratch: Scratch, tmp_path: Path) -> None:
    load_run = tried(f"trap 'touch {tmp_path}/tidied; exit 0' TERM; {FOREVER}", scratch)
    assert said(load_run) == ["load-tried"] and (tmp_path / "tidied").exists()


def test_one_that_prints_a_lot_goes_on(scratch: Scratch) -> None:
    load_run = tried(f"yes & {FOREVER}", scratch)
    assert said(load_run) == ["load-tried"] and len(load_run.ended.said) <= 300


def test_it_is_ended_before_the_disk_is_too_full(scratch: Scratch, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commands, "usable_bytes", lambda _: -(1 << 50))
    assert failure(f"{FOREVER}", scratch).message.id == "load-fills-disk"


def test_a_cancel_ends_it_and_its_daemons(scratch: Scratch, processes: Processes) -> None:
    load(f'trap "" TERM; (setsid {STAY} &); {FOREVER}', scratch).start()
    until(living)
    processes.end_all()
    assert not living()


# ---- what is shown ---------------------------------------------------------------------------------------------------


def test_it_is_announced_and_named() -> None:
    for definition in (Definition("make", beside="cp -r a b"), Definition(program="firefox", beside="cp -r a b")):
        assert "cp -r a b" in say(definition.shown[-1])
        assert "cp -r a b" in say(definition.activity)
    assert "writes" not in say(Definition("make", beside="writes").shown[-1])
    with pytest.raises(ValueError, match="neither"):
        replace(Definition("make"), beside=" ")
