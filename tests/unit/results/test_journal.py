# SPDX-License-Identifier: GPL-3.0-or-later
"""A result while it is measured: a crash loses at most the current run."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.unit.verdict.making import FOUR, LAUNCH, WRITE, WRITER, made

from disktuner.experiment.sampler import FIGURES
from disktuner.results.codec import encode, journal_of, load
from disktuner.results.history import History
from disktuner.results.model import Addition, BadResult, Result, Sample, SeriesRecord, column
from disktuner.results.store import Journal, Store
from disktuner.verdict.judge import judge
from disktuner.verdict.model import METHOD
from disktuner.vocabulary.errors import UsageError
from disktuner.vocabulary.messages import literal, message, say_all
from disktuner.vocabulary.settings import Setting

EMPTY = replace(made({}, done=0), id="new")


def run(order: int, points: int = 30, valid: bool = True) -> Addition:
    """A run of three seconds with its live figures."""
    scheduler, number = FOUR[order % 4], order // 4
    reason = None if valid else message("other-io", moved=96_000_000)
    started = f"2026-11-22T10:{order // 60 % 60:02d}:{order % 60:02d}.000Z"
    samples = tuple(
        Sample(metric, Setting(scheduler), number, order, 1.0 + order / 7, valid, reason, started, 3.0)
        for metric in (LAUNCH, WRITER, WRITE)
    )
    times = column([0.1 * number for number in range(points)])
    figures = {name: column([float(order)] * points) for name in FIGURES}
    return Addition(samples, SeriesRecord(order, "copy", Setting(scheduler), number, times, figures))


def steps() -> Iterator[Addition]:
    """Everything that may be appended."""
    yield run(0)
    yield Addition(warning=message("time-is-up"))
    yield run(1, valid=False)
    yield replace(run(2), histograms={"latency_s": ((0.001, 12), (0.002, 3))})
    yield Addition(sizes={"copy": {"scale": 3}})
    yield run(3)


def begun(path: Path) -> tuple[Journal, Result]:
    journal, result = Journal(path, EMPTY), replace(EMPTY, finished=False)
    for step in steps():
        journal.append(step)
        result = result.plus(step)
    return journal, result


def test_a_journal_is_the_result_so_far(tmp_path: Path) -> None:
    journal, result = begun(tmp_path / "new.json")
    loaded = load(tmp_path / "new.json")
    assert json.loads(encode(loaded)) == json.loads(encode(result))
    assert not loaded.finished and loaded.sizes == {"copy": {"scale": 3}}
    assert [sample.valid for sample in loaded.samples[:6]] == [True] * 3 + [False] * 3
    assert say_all(judge(loaded).answer.sentences).startswith("Interrupted in round 1")
    assert journal.finish(replace(result, finished=True)) == tmp_path / "new.json"
    assert load(tmp_path / "new.json").finished
    assert [path.name for path in tmp_path.iterdir()] == ["new.json"]


def test_a_cut_last_line_does_not_count_and_a_damaged_one_is_refused(tmp_path: Path) -> None:
    path, runs = tmp_path / "new.json", 4
    journal = Journal(path, EMPTY)
    for order in range(runs):
        journal.append(run(order))
    whole = journal_of(path).read_bytes()
    last = whole.rindex(b"\n", 0, -1) + 1
    for end in (last, last + 1, (last + len(whole)) // 2, len(whole) - 2):
        journal_of(path).write_bytes(whole[:end])
        assert len({sample.order for sample in load(path).samples}) == runs - 1
    journal_of(path).write_bytes(whole[:last] + b"\0" * 500)
    assert len({sample.order for sample in load(path).samples}) == runs - 1
    journal_of(path).write_bytes(whole[: last - 100] + b"?" + whole[last - 99 :])
    with pytest.raises(BadResult):
        load(path)


def test_what_is_measured_is_listed_and_neither_noted_nor_removed(tmp_path: Path) -> None:
    store = Store(tmp_path)
    with store.journal(EMPTY) as journal:
        assert store.paths() == ()
        journal.append(run(0))
        (entry,) = History(
            store, lambda result: (judge(result).answer.sentences[0], "undecided", "", ()), METHOD
        ).entries()
        assert entry.id == "new" and entry.headline.startswith("Interrupted in round 1")
        for change in (lambda: store.annotate("new", "mine"), lambda: store.delete("new")):
            with pytest.raises(UsageError, match="still being measured"):
                change()
        journal.append(run(1))
        assert len(store.load("new").samples) == 6
        (entry,) = History(
            store, lambda result: (literal(str(len(result.samples))), "switch", "", ()), METHOD
        ).entries()
        assert entry.headline == "6", "the list knows that it grew"


def crash(folder: Path, runs: int) -> None:
    """Die as by kill -9 after so many runs."""
    child = os.fork()
    if not child:
        journal = Store(folder).journal(EMPTY)
        for order in range(runs):
            journal.append(run(order))
        os.kill(os.getpid(), signal.SIGKILL)
    assert os.waitpid(child, 0)[1] == signal.SIGKILL


def test_what_was_cut_off_is_opened_noted_and_removed(tmp_path: Path) -> None:
    store = Store(tmp_path)
    crash(tmp_path, 5)
    assert [path.name for path in tmp_path.iterdir()] == ["new.json.journal"]
    assert store.paths() == (tmp_path / "new.json",)
    assert len(store.load("new").samples) == 15 and not store.load("new").finished
    noted = store.annotate("new", "the power failed")
    assert load(tmp_path / "new.json") == noted == store.load("new")
    assert not journal_of(tmp_path / "new.json").exists()
    store.delete("new")
    crash(tmp_path, 1)
    store.delete("new")
    assert store.paths() == ()


def test_an_early_end_leaves_an_unfinished_file_and_no_run_leaves_none(tmp_path: Path) -> None:
    store = Store(tmp_path)
    with pytest.raises(KeyError), store.journal(EMPTY):
        raise KeyError
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(KeyError), store.journal(EMPTY) as journal:
        journal.append(run(0))
        raise KeyError
    assert [path.name for path in tmp_path.iterdir()] == ["new.json"]
    assert not load(tmp_path / "new.json").finished


def test_a_folder_that_is_exchanged_meanwhile_loses_nothing_of_others(tmp_path: Path) -> None:
    chosen, home = tmp_path / "chosen", tmp_path / "home"
    home.mkdir()
    (home / "out.json.journal").write_text("mine")
    journal = Journal(chosen / "out.json", EMPTY)
    journal.append(run(0))
    chosen.rename(tmp_path / "aside")
    chosen.symlink_to(home)
    journal.append(run(1))
    journal.finish(EMPTY)
    assert (home / "out.json.journal").read_text() == "mine"
    assert not (tmp_path / "aside" / "out.json.journal").exists()


HEAD = f'{{"journal":"disktuner.journal/1","result":{encode(replace(EMPTY, finished=False))}}}\n'


@pytest.mark.parametrize(
    "text",
    [
        HEAD.replace("journal/1", "journal/2"),
        HEAD[:-20],
        HEAD + '{"samples":5}\n{}\n',
        HEAD + '{"samples":[{"metric":"x_s","scheduler":"a","value":"1"}]}\n{}\n',
        HEAD + '{"sizes":' + "[" * 50 + "]" * 50 + "}\n{}\n",
        HEAD + '{"series":5}\n{}\n',
        HEAD + '{"histograms":' + "[" * 50 + "]" * 50 + "}\n{}\n",
        HEAD + (json.dumps({"samples": [{"metric": "x_s", "scheduler": "a", "value": 1}]}) + "\n") * 50_001,
    ],
)
def test_a_journal_of_strangers_is_refused_with_a_sentence(text: str, tmp_path: Path) -> None:
    (tmp_path / "a.json.journal").write_text(text)
    with pytest.raises(BadResult) as caught:
        load(tmp_path / "a.json.journal")
    assert str(caught.value).endswith(".")


def test_what_is_measured_on_keeps_what_it_had_when_it_is_cut_off(tmp_path: Path) -> None:
    before = EMPTY
    for order in range(200):
        before = before.plus(replace(run(order, points=1), histograms={"latency_s": ((0.001, order + 1),)}))
    journal = Journal(tmp_path / "new.json", replace(before, finished=False))
    journal.append(replace(run(200), histograms={"latency_s": ((0.002, 5),)}))
    loaded = load(tmp_path / "new.json")
    assert len(loaded.series) == 201 and len(loaded.histograms) == 201
    assert loaded.histograms[0] == {"latency_s": ((0.001, 1),)}
    journal.finish(replace(before, finished=True))
