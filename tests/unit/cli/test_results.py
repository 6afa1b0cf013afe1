# SPDX-License-Identifier: GPL-3.0-or-later
"""``verdict``, ``export`` and ``history`` show what was presented, and report what they did."""

from __future__ import annotations

import errno
import json
import os
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from tests.unit.verdict.making import LAUNCH, WRITE, WRITER, made

from disktuner.cli import results
from disktuner.cli.glance import steps_after
from disktuner.cli.main import main
from disktuner.presentation import present
from disktuner.results.codec import encode
from disktuner.results.model import Result
from disktuner.results.store import Store
from disktuner.verdict.judge import judge
from disktuner.verdict.model import Verdict
from disktuner.verdict.outcomes import Decision
from disktuner.vocabulary.goals import GOALS
from disktuner.vocabulary.messages import text

Command = Callable[..., str]


@pytest.fixture
def result() -> Result:
    return made({(LAUNCH, "bfq"): 0.2, (WRITER, "bfq"): 0.4})


@pytest.fixture
def command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    """Run a command without stored results, and return its output on both streams."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))

    def run(*words: object, code: int = 0) -> str:
        assert main([str(word) for word in words]) == code
        return "".join(capsys.readouterr())

    return run


def test_the_json_of_a_verdict(result: Result, command: Command) -> None:
    document = json.loads(command("verdict", Store().save(result), "--json"))
    assert {"decision", "winner", "baseline", "why", "comparisons", "ties", "open", "known"} <= document.keys()
    assert document["score"].keys() == {"none", "kyber", "bfq"} and document["open"] == []
    assert document["score"]["bfq"].keys() == {"n", "ratio", "ci_low", "ci_high"}
    assert document["score"]["bfq"]["ratio"] == pytest.approx(5, rel=0.1), "how many times better"
    assert {"metric", "scheduler", "n", "ratio", "ci_low", "ci_high", "outcome"} == document["comparisons"][0].keys()
    assert document["why"] == present(result).why
    (entry,) = json.loads(command("history", "--json"))["results"]
    assert entry["headline"] == "bfq: 5× faster"


def test_a_result_is_judged_for_another_goal_where_its_samples_allow_it(command: Command) -> None:
    file = Store().save(made({(WRITE, "bfq"): 2.0}, metrics=(WRITE, WRITER)))
    copying = json.loads(command("verdict", file, "--goal", "copying", "--json"))
    assert (copying["decision"], copying["winner"]) == ("conditional", "bfq"), "nobody measured its price"
    database = json.loads(command("verdict", file, "--goal", "database", "--json"))
    assert database["why"] == text("nothing-decides", purpose=GOALS["database"].purpose)


def test_an_export_names_its_file(result: Result, command: Command, tmp_path: Path) -> None:
    file, out = Store().save(result), tmp_path / "o.md"
    assert command("export", file, "--to", out) == text("wrote", path=str(out)) + "\n"
    assert ".png" in command("export", file, "--to", tmp_path / "o.gif", code=2)


def test_an_export_replaces_neither_its_own_result_nor_what_is_no_file(
    result: Result, command: Command, tmp_path: Path
) -> None:
    file, link, pipe = Store().save(result), tmp_path / "link.json", tmp_path / "pipe.md"
    before = file.read_bytes()
    for same in (file, file.parent / "." / file.name):
        assert command("export", result.id, "--to", same, code=2) == (
            f"disktuner: {text('export-onto-itself', file=str(same))}\n"
        )
    link.symlink_to(tmp_path / "elsewhere.json")
    os.mkfifo(pipe)
    for other in (link, pipe):
        assert text("no-regular-file", file=str(other)) in command("export", file, "--to", other, code=5)
    assert file.read_bytes() == before and link.is_symlink() and pipe.is_fifo()


def test_where_nothing_can_be_kept_nobody_is_told_that_results_are_saved_there(command: Command) -> None:
    folder = Store().folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    folder.touch()
    assert command("history").startswith(f"Results cannot be kept in {folder}: Not a directory.")


def test_a_file_that_cannot_be_written_is_said_without_options_that_the_command_lacks(
    result: Result, command: Command
) -> None:
    assert "--out" not in command("export", Store().save(result), "--to", "/proc/card.md", code=5)


@pytest.mark.parametrize("form", [(), ("--json",)])
def test_a_result_that_is_removed_while_it_is_judged_is_listed(
    form: tuple[str, ...], result: Result, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process may remove it, whatever its name."""
    file = Store().save(result)
    odd = file.rename(file.with_name("result (1).json"))

    def judged(other: Result) -> Verdict:
        odd.unlink()
        return judge(other)

    monkeypatch.setattr(results, "judge", judged)
    assert "result (1)" in command("history", *form)


def test_after_an_answer_come_the_commands_to_go_on_with(result: Result) -> None:
    def commands(result: Result, *disks: str) -> list[str]:
        return [step.command for step in steps_after(present(result), "20261125-1251", disks)]

    switch = judge(result)
    assert switch.decision is Decision.SWITCH
    export = "disktuner export 20261125-1251 --to card.png"
    assert commands(result, "sda") == ["disktuner set sda bfq", "disktuner set sda bfq --persist", export]
    assert commands(result, "sda", "sdb")[0] == 'for disk in sda sdb; do disktuner set "$disk" bfq; done'
    assert commands(result) == [export]
    undecided = made({(LAUNCH, "bfq"): 0.8}, deviation=0.3, done=4)
    assert judge(undecided).decision is Decision.UNDECIDED
    assert commands(undecided, "sda")[:2] == ["disktuner compare --continue 20261125-1251", export]


def test_for_another_goal_no_command_is_named_that_would_be_about_the_first(command: Command) -> None:
    file = Store().save(replace(made({(WRITE, "bfq"): 2.0}, metrics=(WRITE, WRITER)), finished=False))
    first, other = command("verdict", file), command("verdict", file, "--goal", "copying")
    assert "disktuner export" in first and "disktuner compare --continue" in first
    assert "disktuner export" not in other and "disktuner compare" not in other
    assert f"disktuner verdict {file} --all" in first and f"disktuner verdict {file} --goal copying --all" in other


def test_a_result_is_named_by_how_its_id_begins(result: Result, command: Command) -> None:
    for id_ in ("20261125-125102-aa", "20261125-125130-bb", "20261126-090000-cc"):
        Store().save(replace(result, id=id_))
    assert Store().find("20261126").id == "20261126-090000-cc" == Store().find("20261126-0900").id
    assert Store().short_ids()["20261126-090000-cc"] == "20261126-0900"
    assert Store().short_ids()["20261125-125102-aa"] == "20261125-125102-aa", "another one is of the same minute"
    assert "20261125-125130-bb" in command("verdict", "20261125", code=2)
    assert command("verdict", "20261126-09").startswith("sda  ")


def test_any_ending_that_is_one_results_alone_names_it(result: Result, command: Command) -> None:
    for id_ in ("20261125-125102-0000aaaa", "20261126-075833-0000bbbb", "20261127-075801-0000cccc", "0758-stranger"):
        Store().save(replace(result, id=id_))
    for ending, id_ in (("1251", "20261125-125102-0000aaaa"), ("25-1251", "20261125-125102-0000aaaa"),
                        ("bbbb", "20261126-075833-0000bbbb"), ("7-0758", "20261127-075801-0000cccc"),
                        ("0758", "0758-stranger")):  # fmt: skip
        assert Store().find(ending).id == id_, "how an id begins comes before how another one ends"
    Store().delete("0758-stranger")
    refused = command("verdict", "0758", code=2)
    assert "20261127-0758 and 20261126-0758" in refused and "Name one of them" in refused
    for words in (("--note", "1251", "old"), ("--compare", "1251", "bbbb"), ("--remove", "1251")):
        command("history", *words)
    assert "Open: disktuner verdict 20261127-0758 " in command("history"), "0758 is two results'"
    command("history", "--remove", "bbbb")
    assert "Open: disktuner verdict 0758 " in command("history")


def test_what_people_put_into_the_folder_is_listed_and_found_whatever_its_name(
    result: Result, command: Command
) -> None:
    folder = Store().save(result).parent
    for name in (b"result (1).json", b"\xff.json"):
        (folder / os.fsdecode(name)).write_text(encode(result))
    odd, mine = json.loads(command("history", "--json"))["results"]
    assert (odd["id"], odd["path"]) == ("result (1)", str(folder / "result (1).json")) and mine["id"] == result.id
    assert "disktuner verdict 'result (1)' " in command("history")
    assert command("verdict", "result (1)") and command("verdict", folder / "result (1).json")
    command("history", "--remove", "result (1)")
    assert [path.stem for path in Store().paths()] == [result.id], "it is a copy of that one"


def test_a_damaged_result_is_replaced_by_its_undamaged_copy_as_the_list_advises(
    result: Result, command: Command, tmp_path: Path
) -> None:
    kept, copy = Store().save(result), Store(tmp_path / "elsewhere").save(result)
    kept.write_text("cut o")
    added = command("history", "--add", copy).split()[-1].rstrip(".")
    command("history", "--remove", result.id)
    command("history", "--remove", result.id, code=2)
    assert [path.stem for path in Store().paths()] == [added]


@pytest.mark.parametrize("form", ["--all", "--json"])
def test_a_full_disk_below_the_output_is_said_to_be_full(
    result: Result, command: Command, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], form: str
) -> None:
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        monkeypatch.setattr(sys, "stdout", full)
        with pytest.raises(SystemExit) as ended:
            command("verdict", Store().save(result), form)
    sentence = text("not-printed", why=os.strerror(errno.ENOSPC))
    assert (ended.value.code, capsys.readouterr().err) == (5, f"disktuner: {sentence}\n")
