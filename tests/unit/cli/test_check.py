# SPDX-License-Identifier: GPL-3.0-or-later
"""``disktuner check`` prints findings for people and as JSON."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.unit.block.trees import Tree
from tests.unit.checkup.machines import NEW, desktop_of_today, stick
from tests.unit.checkup.test_machines import rotational, set_back

from disktuner.cli.main import main

Output = pytest.CaptureFixture[str]


def test_nothing_to_look_at(tmp_path: Path, capsys: Output) -> None:
    desktop_of_today(Tree(tmp_path))
    assert main(["check", "--sysroot", str(tmp_path)]) == 0
    assert capsys.readouterr() == ("2 disks checked: no findings.\n", "")


def test_what_is_found_is_explained(tmp_path: Path, capsys: Output) -> None:
    desktop_of_today(Tree(tmp_path))
    rotational(Tree(tmp_path))
    assert main(["check", "--sysroot", str(tmp_path)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "Virtual disk (vda): 1 finding"
    assert lines[1] == "  Caution: Read-ahead is 8,192 KiB."
    assert lines[2] == "    Set by: Default of Linux 6.18."
    assert "Since Linux 6.17" in lines[3]
    assert lines[lines.index("    Measure it:") + 1] == (
        "      disktuner compare /dev/vda --goal desktop --workloads launch-office,dd-read --settings "
        "mq-deadline:queue/read_ahead_kb=128"
    )
    assert lines[-1] == "No findings: nvme0n1 and sda."


def test_the_command_for_all_disks_stands_beside_what_is_measured_for_one(tmp_path: Path, capsys: Output) -> None:
    Tree(tmp_path).kernel(NEW)
    stick(Tree(tmp_path))
    assert main(["check", "--sysroot", str(tmp_path)]) == 0
    output = capsys.readouterr().out
    assert "--settings mq-deadline:bdi/max_bytes=16777216,bdi/strict_limit=1" in output
    assert "until the next restart:\n      sudo sysctl vm.dirty_bytes=" in output


def test_one_disk_as_json(tmp_path: Path, capsys: Output) -> None:
    desktop_of_today(Tree(tmp_path))
    rotational(Tree(tmp_path))
    assert main(["check", "/dev/vda", "--json", "--sysroot", str(tmp_path)]) == 0
    (disk,) = json.loads(capsys.readouterr().out)["disks"]
    (finding,) = disk["findings"]
    assert disk["name"] == "vda"
    assert {key: finding[key] for key in ("id", "severity", "setting", "value", "expected", "fix")} == {
        "id": "read-ahead-huge", "severity": "caution", "setting": "queue/read_ahead_kb", "value": 8192,
        "expected": 128, "fix": "mq-deadline:queue/read_ahead_kb=128"}  # fmt: skip
    assert finding["rule"]["since"] == "6.17" and finding["set_by"] == "Default of Linux 6.18."
    assert main(["check", "nvme0n1", "--json", "--sysroot", str(tmp_path)]) == 0
    assert json.loads(capsys.readouterr().out) == {
        "disks": [{"name": "nvme0n1", "findings": [], "writers": [], "portrait": None}]
    }


def test_what_ends_it_and_each_line_are_told(tmp_path: Path, capsys: Output) -> None:
    tree = Tree(tmp_path)
    tree.kernel(NEW)
    set_back(tree)
    assert main(["check", "sda", "--sysroot", str(tmp_path)]) == 0
    lines = [line.strip() for line in capsys.readouterr().out.splitlines()]
    rule = "/etc/udev/rules.d/99-fast.rules:1"
    assert f"Permanent fix: Remove this disk's settings from {rule} (udev), or exclude the disk there." in lines
    assert lines[-1] == f"sda: {rule} (udev) mentions mq-deadline for queue/scheduler."
