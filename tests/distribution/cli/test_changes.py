# SPDX-License-Identifier: GPL-3.0-or-later
"""``revert`` and ``forget`` know a disk by what people call it, also where its name has a slash."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from tests.unit.block.trees import Tree, sata

from disktuner.block.system import System
from disktuner.cli import changes
from disktuner.cli.main import main
from disktuner.helper_client.calls import Call, Chosen, FieldTrial, HelperState, Snapshot, Wish, revert
from disktuner.helper_client.errors import Busy, HelperSilent, WriteFailed, refusal
from disktuner.vocabulary.errors import DisktunerError, NoSuchThing
from disktuner.vocabulary.messages import text
from disktuner_helper.persist import PersistentRule

NAME = "cciss!c0d0"
"""As sysfs and the helper write it: /dev/cciss/c0d0."""


SNAPSHOT = Snapshot(NAME, 0, "none", {}, "2026-11-30T12:00:00Z")
OTHER = replace(SNAPSHOT, disk="sdb")
CHOSEN = Chosen(NAME, "Disk One", "2026-11-30T12:00:00Z", "bfq", {}, (NAME,))
STATE = HelperState((SNAPSHOT,), (), (CHOSEN,))
Calls = list[Call[object]]
HelperSays = Callable[..., Calls]


@pytest.fixture
def helper_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> HelperSays:
    """Give answers to the calls in their order, then the last one always; return the list of calls."""
    Tree(tmp_path).disk(NAME, "104:0", sata(1), "[none] bfq")
    monkeypatch.setattr(changes, "System", lambda: System(tmp_path))

    def say(*answers: HelperState | DisktunerError) -> Calls:
        asked: Calls = []

        def wait(call: Call[object]) -> HelperState:
            asked.append(call)
            answer = answers[min(len(asked), len(answers)) - 1]
            if isinstance(answer, DisktunerError):
                raise answer
            return answer

        monkeypatch.setattr(changes, "helper", lambda: nullcontext(SimpleNamespace(wait=wait)))
        return asked

    return say


@pytest.mark.parametrize("command", ["revert", "forget"])
@pytest.mark.parametrize("typed", ["/dev/cciss/c0d0", "cciss/c0d0", NAME])
def test_a_disk_is_found_by_its_device_node(
    command: str, typed: str, helper_says: HelperSays, capsys: pytest.CaptureFixture[str]
) -> None:
    calls = helper_says(STATE)
    assert main([command, typed]) == 0, capsys.readouterr()
    assert [call.method for call in calls][:2] == ["GetState", command.capitalize()]
    assert calls[1].arguments == ([(NAME, 0)],)


def test_what_was_undone_is_said_where_another_disk_is_being_measured(
    helper_says: HelperSays, capsys: pytest.CaptureFixture[str]
) -> None:
    both = replace(STATE, snapshots=(SNAPSHOT, OTHER), held=("sdb",), persistent=())
    busy = Busy("refused-disk-in-trial", disk="sdb")
    helper_says(both, busy, replace(both, snapshots=(OTHER,)))
    assert main(["revert", "--all"]) == Busy.exit_code
    printed = capsys.readouterr()
    assert printed.out.startswith("Undone: ") and "sdb" not in printed.out and "sdb is being measured" in printed.err


def test_why_a_disk_was_not_restored_is_said_where_the_helper_does_not_answer_afterwards(
    helper_says: HelperSays, capsys: pytest.CaptureFixture[str]
) -> None:
    helper_says(STATE, Busy("refused-disk-in-trial", disk=NAME), HelperSilent("helper-silent"))
    assert main(["revert", NAME]) == Busy.exit_code
    assert "is being measured" in capsys.readouterr().err


def test_a_trial_in_daily_use_ends_with_all_though_somebody_measures_another_disk(
    helper_says: HelperSays, capsys: pytest.CaptureFixture[str]
) -> None:
    tried = FieldTrial("1", os.getuid() + 1, (Wish("none", {}), Wish("bfq", {})), 0, 1, (NAME,))
    idle = HelperState((), ("sdb",), ())
    calls = helper_says(replace(idle, field_trials=(tried,)), idle)
    assert main(["revert", "--all"]) == 0
    assert calls[1] == revert() and capsys.readouterr().out.strip() == text("field-stopped")


def test_a_disk_without_a_choice_is_not_blamed_for_anothers_rule_file(
    helper_says: HelperSays, capsys: pytest.CaptureFixture[str]
) -> None:
    problem = refusal("rule-not-ours file=/etc/udev/rules.d/90-disktuner-other.rules")
    helper_says(replace(STATE, persistent=(), problem=problem))
    assert main(["forget", NAME]) == 0
    assert "no permanent choice" in capsys.readouterr().out


def test_the_forgotten_choice_of_an_absent_disk_is_no_error_for_anothers_rule_file(
    helper_says: HelperSays, capsys: pytest.CaptureFixture[str]
) -> None:
    absent = replace(CHOSEN, disk="sdx", disks=())
    problem = refusal("rule-not-ours file=/etc/udev/rules.d/90-disktuner-other.rules")
    helper_says(replace(STATE, persistent=(absent,), problem=problem))
    assert main(["forget", "sdx"]) == 0, capsys.readouterr()
    helper_says(replace(STATE, persistent=(), problem=problem))
    assert main(["forget", "sdx"]) == NoSuchThing.exit_code


def test_a_trial_whose_disk_could_not_be_put_back_is_not_said_to_have_ended_well(
    helper_says: HelperSays, capsys: pytest.CaptureFixture[str]
) -> None:
    tried = FieldTrial("1", os.getuid() + 1, (Wish("none", {}), Wish("bfq", {})), 0, 1, (NAME,))
    idle = replace(STATE, snapshots=(), persistent=())
    failed = WriteFailed("refused-not-put-back", disks=NAME)
    helper_says(replace(idle, field_trials=(tried,)), failed, replace(idle, snapshots=(SNAPSHOT,)))
    assert main(["revert", NAME]) == WriteFailed.exit_code
    assert text("field-stopped") not in capsys.readouterr().out


def test_a_disk_that_a_copy_of_its_rule_file_still_sets_is_not_said_to_have_no_choice(
    tmp_path: Path, helper_says: HelperSays, capsys: pytest.CaptureFixture[str]
) -> None:
    identity, tree = "ID_SERIAL", Tree(tmp_path)
    rule = PersistentRule("bfq", {}, identity, "Disk_1111", NAME, "", "2026-11-30T12:00:00Z")
    tree.write("run/udev/data/b104:0", f"E:{identity}=Disk_1111\n")
    tree.write("etc/udev/rules.d/90-disktuner-copy.rules", str(rule))
    problem = refusal("rule-not-ours file=/etc/udev/rules.d/90-disktuner-copy.rules")
    for chosen in ((CHOSEN,), ()):
        helper_says(replace(STATE, persistent=chosen, problem=problem))
        assert main(["forget", NAME]) == WriteFailed.exit_code and "copy.rules" in capsys.readouterr().err


def test_only_the_present_disks_choice_is_said_to_be_forgotten(
    helper_says: HelperSays, capsys: pytest.CaptureFixture[str]
) -> None:
    absent = replace(CHOSEN, title="Disk Two", disks=())
    helper_says(replace(STATE, persistent=(CHOSEN, absent)))
    assert main(["forget", NAME]) == 0 and "Disk Two" not in capsys.readouterr().out
    helper_says(replace(STATE, persistent=(absent,)))
    assert main(["forget", NAME]) == 0 and "Disk Two" in capsys.readouterr().out
