# SPDX-License-Identifier: GPL-3.0-or-later
"""Lists on a terminal of 80 columns: a line for each disk, workload and result; and an unknown command."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from contextlib import redirect_stdout
from dataclasses import replace
from pathlib import Path

import pytest
from rich.cells import cell_len
from tests.unit.block.trees import Tree, sata
from tests.unit.cli.test_glance import CONTROL, Terminal
from tests.unit.fleet.drawing import machine, write
from tests.unit.verdict.making import LAUNCH, made

from disktuner.cli.main import COMMANDS, DISKTUNER, Program, main
from disktuner.cli.results import NEWEST
from disktuner.results.store import Store
from disktuner.vocabulary.messages import text
from disktuner_fleet.__main__ import FLEET

CHECKOUT = Path(__file__).resolve().parents[3]


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("NO_COLOR", "1")
    return Terminal()


def lines(terminal: Terminal, *words: object, program: Program = DISKTUNER) -> list[str]:
    with redirect_stdout(terminal):
        assert main([str(word) for word in words], program) == 0
    output = CONTROL.sub("", terminal.getvalue()).splitlines()
    assert not [line for line in output if cell_len(line) > 80]
    return output


def test_a_disk_is_a_line_that_begins_with_its_name(tmp_path: Path, terminal: Terminal) -> None:
    tree = Tree(tmp_path)
    for number, letter in enumerate("abcdef"):
        model = {"device/model": f"A disk with quite a long model name {number}"}
        tree.disk(f"sd{letter}", f"8:{number * 16}", sata(number + 1), files=model)
    names = [f"sd{letter}" for letter in "abcdef"]
    assert [line.split()[0] for line in lines(terminal, "list", "--sysroot", tmp_path)][:6] == names
    output = lines(Terminal(), "list", "--all", "--sysroot", tmp_path)
    assert [line.split()[0] for line in output[:7]] == ["DISK", *names]


def test_what_holds_nothing_is_counted_and_where_to_go_on_is_said_last(tmp_path: Path, terminal: Terminal) -> None:
    tree = Tree(tmp_path)
    for number in range(14):
        tree.disk(f"loop{number}", f"7:{number}", "virtual")
    tree.disk("vda", "254:0", "virtual")
    folder = "/srv/a-folder-that-is-deep/in-another-one/and-still-deeper/whose-name-ends/run-hs/fs"
    tree.mount("254:0", "/", "ext4", "/dev/vda")
    tree.mount("7:3", folder, "ext4", "/dev/loop3")
    tree.write("run/disktuner/hold/7:3-3", "")
    first, second, last = lines(terminal, "list", "--sysroot", tmp_path)
    assert first.split()[0] == "vda" and second.split()[0] == "loop3" and "(trial)" in second
    assert second.rstrip().endswith("run-hs/fs") and "…" in second, "of a folder the end is kept"
    assert re.fullmatch(r"13 more disks with nothing to measure: --all +Measure: disktuner compare vda", last)


def test_loop_devices_come_last_and_are_short(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Without a terminal, nothing is cut."""
    tree = Tree(tmp_path)
    for number in range(9):
        file = f"/var/lib/a-place/of-images/that-is-rather-long/disk{number}.img"
        tree.disk(f"loop{number}", f"7:{number}", "virtual", files={"loop/backing_file": file})
    tree.disk("sda", "8:0", sata(1))
    assert main(["list", "--all", "--sysroot", str(tmp_path)]) == 0
    output = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in output[1:11]] == ["sda", *(f"loop{number}" for number in range(9))]
    assert max(map(len, output)) <= 110 and "loop" not in "".join(output[11:])


def test_of_many_results_a_terminal_shows_the_newest(terminal: Terminal) -> None:
    for number in range(NEWEST + 3):
        result = made({(LAUNCH, "bfq"): 0.2}, done=2 if number % 2 else 8)
        Store().save(replace(result, id=f"20261129-07{number:02}00-abcdef01", created=f"2026-11-29T07:{number:02}:00Z"))
    output = lines(terminal, "history")
    assert len(output) <= 30 and output[0].split()[0] == f"20261129-07{NEWEST + 2}"
    assert [("2 rounds" in line) for line in output[:4]] == [False, True, False, True], "few are said beside the answer"
    assert output[-2:] == [
        text("results-more", count=3),
        f"Open: disktuner verdict 07{NEWEST + 2}        Share: disktuner export 07{NEWEST + 2} --to card.png",
    ]
    assert len(lines(Terminal(), "history", "--all")) == NEWEST + 4


def test_a_fleet_fits_a_terminal(tmp_path: Path, terminal: Terminal) -> None:
    write(tmp_path, *(machine(number) for number in range(6)))
    (tmp_path / "cut.json").write_text("{")
    output = lines(terminal, "summary", tmp_path, program=FLEET)
    assert any("bfq is 1.9× faster (at least 1." in line for line in output)


def test_what_another_package_does_is_done_where_it_is_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert main(["summary", "results"]) == 2
    assert "disktuner-fleet" in capfd.readouterr().err
    other = tmp_path / "disktuner-fleet"
    for end, status in (("exit 5", 5), ("kill -TERM $$", -signal.SIGTERM)):
        other.write_text(f'#!/bin/sh\necho "$@"\n{end}\n')
        other.chmod(0o755)
        command = (sys.executable, CHECKOUT / "app/launch.py", "summary", "results", "--json")
        completed = subprocess.run(command, capture_output=True, text=True, check=False)
        assert (completed.returncode, completed.stdout, completed.stderr) == (status, "summary results --json\n", "")


@pytest.mark.parametrize("name", COMMANDS)
def test_who_mistypes_a_command_is_asked_whether_it_was_meant(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    mistyped = name[0] + name[2:]
    assert main([mistyped]) == 2
    assert capsys.readouterr().err == f"disktuner: No such command: {mistyped}. Did you mean {name}?\n"
    assert main(["xyzzy"]) == 2
    assert capsys.readouterr().err == "disktuner: No such command: xyzzy. See disktuner --help.\n"
