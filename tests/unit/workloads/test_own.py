# SPDX-License-Identifier: GPL-3.0-or-later
"""A user's own command, and commands that misbehave: each gets a sentence, and leaves nothing."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs
from tests.waiting import HANG_S

from disktuner.results.definition import Definition
from disktuner.vocabulary.errors import Cancelled
from disktuner.vocabulary.messages import say
from disktuner.workloads import commands
from disktuner.workloads.errors import RunFailed
from disktuner.workloads.own import FOLDER, OwnCommand
from disktuner.workloads.processes import Control, Processes
from disktuner.workloads.supervisor import KEPT
from disktuner.workloads.workload import MIB, Measurement, Probe, Scratch

PROBE = Probe(100 * MIB, 150 * MIB, 0.008, 4 << 30, 50 << 30)
SHORT = Definition(command="true")
STAY = f"tail -s {os.getpid()} -f /dev/null"
"""A program that is just there until it is ended, and that no other run of the tests has."""


def ran(workload: OwnCommand, scratch: Scratch, times: int = 1) -> Measurement:
    return workload.run(scratch, structs.replace(workload.plan(PROBE, 1.0), times=times))


def failure(command: str, scratch: Scratch, **more: Any) -> RunFailed:
    with pytest.raises(RunFailed) as failed:
        OwnCommand(replace(SHORT, command=command, **more)).tried(scratch)
    return failed.value


def living() -> list[str]:
    """Return the processes of these tests' commands that still run."""
    lines = []
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            if entry.read_bytes() == "\0".join([*STAY.split(), ""]).encode():
                lines.append(entry.parent.name)
    return lines


# ---- what is asked for -----------------------------------------------------------------------------------------------


def test_a_command_is_timed_from_start_to_exit(scratch: Scratch) -> None:
    workload = OwnCommand(SHORT).tried(scratch)
    measured = ran(workload, scratch, 2)
    assert set(measured.values) == {"wall_s"}
    assert measured.values["wall_s"] > 0
    assert measured.wall_s == pytest.approx(2 * measured.values["wall_s"])


def test_each_run_finds_an_empty_folder_of_its_own_and_what_prepares_it(scratch: Scratch, tmp_path: Path) -> None:
    log = tmp_path / "log"
    definition = replace(
        SHORT,
        command=f"ls {{scratch}} >> {log}; echo x > {{scratch}}/b",
        prepare="touch {scratch}/a",
        cleanup=f"echo cleaned >> {log}",
    )
    workload = OwnCommand(definition).tried(scratch)
    ran(workload, scratch, 2)
    assert log.read_text() == "a\n" * 3
    workload.clean(scratch)
    assert log.read_text() == "a\n" * 3 + "cleaned\n"
    assert not (scratch.folder / FOLDER).exists()


def test_without_a_shell_nothing_is_interpreted(scratch: Scratch, tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    command = f"echo a; touch {victim}"
    OwnCommand(replace(SHORT, command=command, shell=None)).tried(scratch)
    assert not victim.exists()


def test_what_should_be_cold_is_cold_and_what_stays_is_said(scratch: Scratch, tmp_path: Path) -> None:
    folder = tmp_path / "photos"
    folder.mkdir()
    (folder / "a").write_bytes(os.urandom(MIB))
    workload = OwnCommand(replace(SHORT, command=f"cat {folder}/a", cold=(str(folder),))).tried(scratch)
    assert ran(workload, scratch).remark is None
    holder = subprocess.Popen(
        [sys.executable, "-c", "import mmap,sys; f=open(sys.argv[1]); "
         "m=mmap.mmap(f.fileno(),0,prot=mmap.PROT_READ); sum(m[::4096]); print(1,flush=True); sys.stdin.read()",
         str(folder / "a")], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )  # fmt: skip
    assert holder.stdout and holder.stdout.readline()
    remark = ran(workload, scratch).remark
    holder.communicate()
    assert remark is not None and remark.id == "own-cold-stayed"
    assert remark.values["share"] == pytest.approx(1.0)


def test_what_moves_nothing_on_a_disk_is_marked(scratch: Scratch) -> None:
    workload = OwnCommand(SHORT).tried(scratch)
    remark = ran(workload, scratch).remark
    assert remark is not None and remark.id == "own-in-memory"


def test_beside_writers_it_has_their_throughput_as_its_price(scratch: Scratch) -> None:
    workload = OwnCommand(replace(SHORT, beside="writes")).tried(scratch)
    measured = ran(workload, scratch)
    assert set(measured.values) == {"wall_s", "write_bytes_per_s"}


def test_a_command_that_takes_too_long_is_ended_and_takes_that_long_at_least(
    scratch: Scratch, processes: Processes
) -> None:
    workload = OwnCommand(replace(SHORT, command="true")).tried(scratch)
    slow = OwnCommand(replace(SHORT, command=STAY), workload._tried)
    measured = slow.run(scratch, structs.replace(workload.plan(PROBE, 1.0), times=2), 0.1)
    assert measured.cut_short and measured.values["wall_s"] > 0.05
    assert not living()


# ---- what nobody wants -----------------------------------------------------------------------------------------------


def test_a_failing_command_says_what_it_printed(scratch: Scratch) -> None:
    failed = failure("echo out; echo wrong >&2; exit 3", scratch)
    assert failed.message.id == "own-failed"
    assert failed.message.values["status"] == 3
    assert "wrong" in say(failed.message)
    assert failure("exit 4", scratch).message.id == "own-failed-silently"
    OwnCommand(replace(SHORT, command="exit 3", ignores_failure=True)).tried(scratch)


@pytest.mark.parametrize("shell", ["sh", None])
def test_a_command_that_is_not_there(scratch: Scratch, shell: str | None) -> None:
    failed = failure("no-such-program-anywhere", scratch, shell=shell)
    assert "no-such-program-anywhere" in say(failed.message)
    assert failed.message.id == ("own-failed" if shell else "own-not-started")


def test_daemons_go_with_the_command_that_forked_them(scratch: Scratch) -> None:
    stubborn = f'trap "" TERM HUP; {STAY} & touch {{scratch}}/there; wait'
    daemon = f"setsid sh -c '(setsid {STAY} &); {stubborn}' & while ! test -e {{scratch}}/there; do :; done"
    OwnCommand(replace(SHORT, command=daemon)).tried(scratch)
    assert not living()


def test_a_cancel_ends_a_command_and_its_daemons(scratch: Scratch) -> None:
    control = Control()
    with Processes(control, lambda: len(living()) < 2 or control.cancel()) as processes:
        workload = OwnCommand(replace(SHORT, command=f"(setsid {STAY} &); setsid {STAY}", limit_s=HANG_S))
        with pytest.raises(Cancelled):
            workload.tried(replace(scratch, processes=processes))
    assert not living()


def test_endless_output_takes_bounded_memory(scratch: Scratch) -> None:
    failed = failure("yes", scratch, limit_s=0.2)
    assert failed.message.id == "own-too-slow"
    definition = replace(SHORT, command=f"head -c {4 * KEPT} /dev/zero | tr '\\0' a; echo; echo the end >&2; exit 1")
    assert str(failure(definition.command, scratch).message.values["output"]).endswith("the end")


def test_a_command_that_needs_a_terminal_gets_none(scratch: Scratch) -> None:
    assert failure("exec < /dev/tty", scratch).message.id == "own-failed"
    assert failure("read answer", scratch).message.id == "own-failed-silently"


def test_a_command_is_ended_before_the_disk_is_too_full(scratch: Scratch, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commands, "usable_bytes", lambda _: 64 * MIB)
    failed = failure("while :; do dd if=/dev/zero bs=1M count=1 >> {scratch}/big; done; " + STAY, scratch)
    assert failed.message.id == "own-fills-disk"
    assert not living()


@pytest.mark.parametrize("removes", ["rm -rf {scratch}", "rm -rf {scratch}; ln -s / {scratch}"])
def test_a_command_may_remove_or_replace_its_own_folder(scratch: Scratch, removes: str) -> None:
    workload = OwnCommand(replace(SHORT, command=removes)).tried(scratch)
    ran(workload, scratch, 2)
    assert not (scratch.folder / FOLDER).exists()
