# SPDX-License-Identifier: GPL-3.0-or-later
"""set, revert, forget and status report the truth, with the real helper, on a real disk that udev knows."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pexpect
import pytest

from disktuner.block.system import System
from disktuner.helper_client import calls
from disktuner.helper_client.client import HelperClient
from disktuner.vocabulary.messages import text
from disktuner.vocabulary.settings import Setting
from disktuner.vocabulary.tunables import is_of_scheduler
from disktuner.vocabulary.tuning import CANDIDATES
from tests.bus.conftest import own_rules
from tests.conftest import LoopDisk, Sudo
from tests.end2end.comparing import SMALL, UNUSUAL, values
from tests.end2end.conftest import COMMAND, Run


@pytest.fixture
def write(sudo: Sudo) -> Iterator[Callable[[str, str], None]]:
    """Write other programs' settings, and remove them afterwards."""
    with ExitStack() as afterwards:

        def make(path: str, text: str) -> None:
            sudo("mkdir", "-p", str(Path(path).parent))
            sudo("tee", path, stdin=text)
            afterwards.callback(sudo, "rm", "-f", path)

        yield make


def said(disktuner: Run, *arguments: str) -> str:
    completed = disktuner(*arguments)
    assert completed.returncode == 0, completed.stderr
    return completed.stdout


def listed(disktuner: Run) -> list[dict[str, Any]]:
    disks: list[dict[str, Any]] = json.loads(said(disktuner, "list", "--json"))["disks"]
    return disks


def status(disktuner: Run, disk: LoopDisk) -> dict[str, Any]:
    disks = json.loads(said(disktuner, "status", "--json"))["disks"]
    return next(entry for entry in disks if entry["name"] == disk.name)


def test_who_sets_it_back_is_named_before_with_what_to_do(
    known: Callable[..., LoopDisk], write: Callable[[str, str], None], disktuner: Run
) -> None:
    disk = known()
    assert "permanently" in said(disktuner, "set", disk.name, "bfq", "--persist")
    said(disktuner, "forget", disk.name)
    rule = "/etc/udev/rules.d/99-mine.rules"
    write(rule, f'# mine\nACTION=="add", KERNEL=="{disk.name}", ATTR{{queue/scheduler}}="kyber"\n')
    completed = disktuner("set", disk.name, "bfq", "--persist", user="dt-ask")
    assert completed.returncode == 3 and f"{rule}:2 (udev) sets the scheduler to kyber" in completed.stderr, (
        completed.stderr
    )
    # Here is no agent that could ask for an administrator's password.
    assert (
        "\ndisktuner: There was no way to ask for a password" in completed.stderr
        and "Try again" not in completed.stderr
    )
    assert all(word in completed.stderr for word in ("polkit agent", "terminal", "sudo")) and disk.scheduler == "bfq"
    completed = disktuner("set", disk.name, "bfq", "--persist")
    assert f"{rule}:2 (udev)" in completed.stderr and "the check-up shows the fix" in completed.stderr
    assert f"now uses bfq. {rule}:2 (udev)" in completed.stdout and "permanently" not in completed.stdout
    assert status(disktuner, disk)["verdict"] == f"until the next restart; then kyber, by {rule}:2"
    write("/etc/udev/rules.d/99-fast.rules", f'KERNEL=="{disk.name}", ATTR{{queue/scheduler}}="none"\n')
    completed = disktuner("set", disk.name, "kyber", "--persist")
    assert completed.stderr == "" and "permanently" in completed.stdout
    completed = disktuner("set", disk.name, "bfq")
    assert (
        "99-fast.rules:1 (udev) sets the scheduler to “none” whenever udev reports a change of the disk"
        in completed.stderr
    )
    assert "until the next restart; then your permanent choice, kyber, applies again." in completed.stdout


def test_the_way_back_that_is_said_goes_back(known: Callable[..., LoopDisk], disktuner: Run) -> None:
    disk = known()
    output = said(disktuner, "set", disk.name, "bfq", "--persist")
    assert output.endswith(f"To undo: disktuner forget {disk.name}, then disktuner revert {disk.name}\n")
    output = said(disktuner, "revert", disk.name)
    assert "uses “none” again" in output and text("still-chosen", disk=disk.name, scheduler="bfq") in output
    assert len(own_rules()) == 1
    said(disktuner, "set", disk.name, "bfq", "--persist")
    output = said(disktuner, "forget", disk.name)
    assert "bfq is no longer set at restart" in output and "keeps bfq" in output
    assert output.endswith(f"To return to “none” now: disktuner revert {disk.name}\n")
    assert disk.scheduler == "bfq" and not own_rules()
    said(disktuner, "revert", disk.name)
    assert disk.scheduler == "none"


def test_where_nothing_is_to_be_done_nobody_is_asked(known: Callable[..., LoopDisk], disktuner: Run) -> None:
    disk = known()
    for command, words in (("revert", "since the computer started"), ("forget", "permanent choice")):
        for which in (disk.name, "--all"):  # by who would have to be asked
            completed = disktuner(command, which, user="dt-ask")
            assert completed.returncode == 0 and words in completed.stdout, completed
        assert disktuner(command, "no-such-disk").returncode == 4


def test_a_disk_that_is_being_measured_is_not_called_unchanged(known: Callable[..., LoopDisk], disktuner: Run) -> None:
    disk = known()
    with HelperClient() as client:
        trial = client.wait(calls.begin_trial([(disk.name, System().disk(disk.name).diskseq)]))
        client.wait(calls.set_trial(trial, disk.name, "bfq"))
        assert re.search(rf"^{disk.name} .* bfq \(trial\)", said(disktuner, "list"), re.MULTILINE)
        for which in (disk.name, "--all"):
            completed = disktuner("revert", which)
            assert (completed.returncode, completed.stdout) == (5, "") and "being measured" in completed.stderr, (
                completed
            )
        client.wait(calls.end_trial(trial))
    assert "has not changed" in said(disktuner, "revert", disk.name)


@pytest.mark.parametrize("command", ["compare", "tune"])
def test_that_a_disk_is_busy_is_said_before_anything_is_planned(
    loop_disk: Callable[..., LoopDisk], disktuner: Run, command: str
) -> None:
    disk = loop_disk(size_mb=512, fs="ext4")
    with HelperClient() as client:
        client.wait(calls.begin_trial([(disk.name, System().disk(disk.name).diskseq)]))
        completed = disktuner(command, str(disk.folder))
    assert completed.returncode == 5 and completed.stdout == "" and "Takes about" not in completed.stderr, completed
    assert completed.stderr.splitlines()[-1].endswith("is being measured. Try again when the measurement has ended.")


def test_lines_that_somebody_changed_are_not_called_forgotten(
    known: Callable[..., LoopDisk], disktuner: Run, sudo: Sudo
) -> None:
    disk = known()
    said(disktuner, "set", disk.name, "bfq", "--persist")
    (file,) = own_rules()
    sudo("sed", "-i", "s/Written by/Once written by/", file)
    for which in (disk.name, "--all"):
        completed = disktuner("forget", which)
        assert (
            completed.returncode == 5
            and f"{file} is not in the form" in completed.stderr
            and "by hand" in completed.stderr
        ), completed
    assert disktuner("set", disk.name, "kyber", "--persist").returncode == 5 and disk.scheduler == "bfq"
    sudo("rm", file)


def test_what_an_older_version_left_is_named(
    known: Callable[..., LoopDisk], write: Callable[[str, str], None], disktuner: Run
) -> None:
    disk, old = known(), Path("/etc/udev/rules.d/90-disktuner.rules")
    write(str(old), f'KERNEL=="{disk.name}", ATTR{{queue/scheduler}}="bfq"\n')
    completed = disktuner("forget", disk.name)
    assert completed.returncode == 5 and f"{old} is not in the form" in completed.stderr and not completed.stdout, (
        completed
    )
    completed = disktuner("set", disk.name, "kyber", "--persist")
    assert (
        completed.returncode == 0
        and f"{old.name}:1 (udev) sets the scheduler to bfq at every start" in completed.stderr
    ), completed
    entries = json.loads(said(disktuner, "status", "--json"))["disks"]
    (remedy,) = (entry["remedy"] for entry in entries if entry["name"] == disk.name)
    assert remedy["commands"][0] == f"sudo mv {old} {old}.old"
    completed = disktuner("forget", "--all")
    assert (
        completed.returncode == 5
        and "kyber is no longer set" in completed.stdout
        and f"{old} is not in the form" in completed.stderr
    ), completed
    assert own_rules() == [old]


def test_a_setting_is_set_kept_forgotten_and_taken_back(known: Callable[..., LoopDisk], disktuner: Run) -> None:
    disk = known()
    before = values(disk)
    said(disktuner, "set", disk.name, UNUSUAL)
    assert disk.scheduler == "bfq" and values(disk)["iosched/slice_idle"] == "0\n"
    said(disktuner, "set", disk.name, "bfq", "--tunable", "slice_idle=7")
    assert values(disk)["iosched/slice_idle"] == "7\n"
    said(disktuner, "set", disk.name, SMALL, "--persist")
    assert values(disk)["nr_requests"] == "16\n"
    (choice,) = (entry["persistent"] for entry in listed(disktuner) if entry["name"] == disk.name)
    assert choice["scheduler"] == "mq-deadline"
    assert choice["tunables"] == {"queue/nr_requests": 16, "iosched/fifo_batch": 1}
    said(disktuner, "forget", disk.name)
    said(disktuner, "revert", disk.name)
    assert values(disk) == before


def test_every_setting_that_tuning_tries_can_be_set_and_taken_back(
    loop_disk: Callable[..., LoopDisk], disktuner: Run
) -> None:
    disk = loop_disk(size_mb=64, fs=None)
    before = values(disk)
    names, tunables = [candidate.beside(Setting("bfq")) for candidate in CANDIDATES], System().tunables(disk.name)
    tried = [setting for setting in names if all(name in tunables or is_of_scheduler(name) for name in setting.values)]
    assert len(tried) > 10
    for setting in tried:
        said(disktuner, "set", disk.name, setting.name)
        assert setting.is_had_by(disk.scheduler, System().tunables(disk.name)), setting.name
    said(disktuner, "revert", disk.name)
    assert values(disk) == before


def test_a_table_on_a_terminal(loop_disk: Callable[..., LoopDisk]) -> None:
    """Within its width, with colours, a line per disk; elsewhere nothing is cut."""
    columns = 80
    disk = loop_disk(fs="ext4")
    environment = {**os.environ, "TERM": "xterm-256color"}
    for name in ("COLUMNS", "NO_COLOR"):
        environment.pop(name, None)
    screen = pexpect.run(f"{COMMAND} list", env=environment, dimensions=(40, columns), encoding="utf-8")
    assert f"\x1b[1m{disk.name}" in screen
    lines = re.sub(r"\x1b\[[0-9;]*m", "", screen).splitlines()
    assert max(map(len, lines)) <= columns
    (line,) = (line for line in lines if line.startswith(f"{disk.name} "))
    shown_folder = line.split()[-1].lstrip("…")
    assert shown_folder and str(disk.folder).endswith(shown_folder), "the beginning is what is cut off"
    assert str(disk.folder) in subprocess.run([COMMAND, "list"], capture_output=True, text=True, check=True).stdout
