# SPDX-License-Identifier: GPL-3.0-or-later
"""Many machines' files become one verdict per model; broken, duplicate and hostile files are named and never fatal."""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.unit.comparison.test_target import DISK
from tests.unit.fleet.drawing import COPY, LAUNCH, READ, machine, one, summary, write
from tests.unit.results.hostile import mutated

from disktuner.cli.main import main
from disktuner.report.exporting import anonymous
from disktuner.results.codec import encode
from disktuner.results.model import Result
from disktuner.verdict.judge import judge
from disktuner.verdict.outcomes import Decision
from disktuner.vocabulary.messages import text
from disktuner.vocabulary.metrics import Better
from disktuner.vocabulary.settings import Setting
from disktuner.vocabulary.states import DiskState
from disktuner_fleet.__main__ import FLEET
from disktuner_fleet.documents import summary_document
from disktuner_fleet.presented import present_group
from disktuner_watch.field.blocks import Block
from disktuner_watch.field.saved import empty_result

STRANGERS = 60


def whys(folder: Path) -> dict[str, str]:
    """The ids of the reasons by file."""
    return {entry.file: entry.why.id for entry in summary(folder).left_out}


def test_machines_of_a_model_give_one_verdict(tmp_path: Path) -> None:
    write(tmp_path, *(machine(number) for number in range(6)))
    group = one(tmp_path)
    assert (group.model, group.kernel, group.goal) == ("WDC WD10EZEX-08WN4A0", "6.12", "desktop")
    assert group.verdict.decision is Decision.SWITCH and group.verdict.winner == Setting("bfq") and group.is_clear
    assert len(group.machines) == 6 and not group.disagreeing and group.unknown == 0
    (document,) = summary_document(summary(tmp_path))["groups"]
    start, read = 1.1 / 0.6, 1.016 / 0.516  # a second halved, each with what nobody notices
    felt = (start**2 * read) ** (1 / 3)
    assert document["ci_low"] < felt < document["ci_high"] and 1.7 < document["ratio"] < 2.1
    assert (document["decision"], document["winner"], document["clear"]) == ("switch", "bfq", True)


def test_a_trial_in_daily_use_is_a_machine_too(tmp_path: Path) -> None:
    pair, tried = (Setting("mq-deadline"), Setting("bfq")), []
    for number in range(4):
        trial, chance = empty_result(DISK, pair, seed=number), random.Random(number)
        blocks = (
            Block(number, "", 30.0, 600.0, (9.0, 3.0)[number % 2] * chance.uniform(0.8, 1.2)) for number in range(60)
        )
        samples = tuple(sample for block in blocks for sample in block.samples(pair[block.order % 2]))
        tried.append(replace(machine(number), plan=trial.plan, metrics=trial.metrics, samples=samples))
    write(tmp_path, *tried)
    group = one(tmp_path)
    assert (group.verdict.decision, group.verdict.winner, len(group.machines)) == ("switch", pair[1], 4)
    assert {comparison.metric.name for comparison in group.verdict.comparisons} == {"daily-use.stall_s"}


def test_a_machine_counts_with_the_figures_of_its_own_verdict(tmp_path: Path) -> None:
    write(tmp_path, result := machine(rounds=9))
    alone = judge(result)
    group = one(tmp_path)
    for comparison in group.verdict.comparisons:
        original = alone.comparison(comparison.metric.name, comparison.setting)
        assert (
            comparison.estimate
            and original
            and original.estimate
            and comparison.estimate.gain == pytest.approx(original.estimate.gain)
        )
    bfq, known = group.verdict.assessments[Setting("bfq")], alone.assessments[Setting("bfq")]
    assert bfq.gain == pytest.approx(known.gain)
    assert group.verdict.decision is Decision.UNDECIDED, "of one machine nothing is concluded on others"
    assert group.verdict.more and not group.is_clear
    assert [sentence.id for sentence in group.verdict.answer.sentences] == ["one-machine"]


def test_who_is_worse_on_two_machines_that_agree_is_said(tmp_path: Path) -> None:
    write(tmp_path, *(machine(number, gain=0.4, copying=2.5, differs=0.02, noise=0.02) for number in range(2)))
    verdict = one(tmp_path).verdict
    assert verdict.decision is Decision.KEEP
    (worse,) = [sentence for sentence in verdict.answer.sentences if sentence.id == "are-worse"]
    assert worse.values["schedulers"] == ("bfq",)


def test_a_price_that_few_machines_leave_open_is_a_condition(tmp_path: Path) -> None:
    write(tmp_path, *(machine(number, copying=1.45, differs=0.1) for number in range(3)))
    group = one(tmp_path)
    assert (
        group.verdict.decision is Decision.CONDITIONAL and group.verdict.winner == Setting("bfq") and not group.is_clear
    )
    assert [comparison.metric for comparison in group.verdict.open] == [COPY]
    sentences = [sentence.id for sentence in group.verdict.answer.sentences]
    assert (sentences[0], sentences[-2:]) == ("mean-gains", ["if-so-much", "more-machines"])


def test_models_series_and_goals_are_apart(tmp_path: Path) -> None:
    write(tmp_path, *(machine(number) for number in range(4)))
    write(tmp_path / "b", *(machine(number, kernel="6.1.0-28-amd64") for number in range(4, 8)))
    write(tmp_path / "c", *(machine(number, model="ST4000", gain=1.0) for number in range(8, 12)))
    write(tmp_path / "d", *(replace(r, plan=replace(r.plan, goal="media")) for r in map(machine, range(12, 15))))
    pooled = summary(tmp_path)
    decisions = {(group.model, group.kernel, group.goal): group.verdict.decision for group in pooled.groups}
    assert decisions == {
        ("ST4000", "6.12", "desktop"): Decision.KEEP,
        ("WDC WD10EZEX-08WN4A0", "6.1", "desktop"): Decision.SWITCH,
        ("WDC WD10EZEX-08WN4A0", "6.12", "desktop"): Decision.SWITCH,
        ("WDC WD10EZEX-08WN4A0", "6.12", "media"): Decision.SWITCH,
    }
    assert not pooled.left_out
    assert [group.goal for group in summary(tmp_path, "media").groups] == ["media"]


@pytest.mark.parametrize(("before", "after"), [("6.18.44-1", "6.19.0"), ("6.18.9-arch1-1", "6.19.3-arch1-1")])
def test_results_before_and_after_a_scheduler_was_changed_are_apart(tmp_path: Path, before: str, after: str) -> None:
    """mq-deadline has a single dispatch list again since Linux 6.19, and its head insertion works."""
    write(tmp_path, *(machine(number, kernel=before if number < 3 else after) for number in range(6)))
    assert [(group.kernel, len(group.machines)) for group in summary(tmp_path).groups] == [("6.18", 3), ("6.19", 3)]


def test_an_odd_machine_is_named_and_does_not_count(tmp_path: Path) -> None:
    write(tmp_path, machine(0, gain=0.4), *(machine(number) for number in range(1, 7)))
    group = one(tmp_path)
    assert [group.files for group in group.disagreeing] == [("host0.json",)]
    assert group.verdict.winner == Setting("bfq") and len(group.machines) == 7
    assert {comparison.estimate and comparison.estimate.n for comparison in group.verdict.comparisons} == {6}
    assert not group.is_clear, "one of seven is more than one in ten"


def test_a_machine_counts_once_however_often_it_was_measured(tmp_path: Path) -> None:
    often = [machine(number, serial="THE-ONE") for number in range(8)]
    write(tmp_path, *often)
    group = one(tmp_path)
    assert len(group.machines) == 1 and len(group.machines[0].files) == 8
    assert group.verdict.decision is Decision.UNDECIDED
    write(tmp_path / "b", *(machine(number, serial="000000000000") for number in range(8, 11)))
    group = one(tmp_path)
    assert len(group.machines) == 2 and group.unknown == 3, "a number that tells nothing is none"


@pytest.mark.parametrize("disk", [{"serial": ""}, {"serial": "000000000000"}, {"serial": None, "wwn": ""}])
def test_files_that_may_all_be_of_one_disk_are_never_clear(disk: dict[str, Any], tmp_path: Path) -> None:
    write(tmp_path, *(machine(number, **disk) for number in range(5)))
    group = one(tmp_path)
    assert (len(group.machines), group.unknown, group.is_clear) == (1, 5, False)
    assert text("machines-unknown", count=5) in present_group(group).remarks
    assert main(["summary", str(tmp_path), "--hwdb", str(tmp_path / "out")], FLEET) == 0
    assert not (tmp_path / "out").exists(), "nothing is rolled out"


def test_a_default_is_for_the_model_with_all_its_blanks(tmp_path: Path) -> None:
    """udev keeps those of an NVMe disk, and its database finds nothing else."""
    write(tmp_path, *(machine(number, model=" FAST  DISK 1TB ") for number in range(5)))
    assert main(["summary", str(tmp_path), "--hwdb", str(tmp_path / "out")], FLEET) == 0
    (hwdb,) = (tmp_path / "out").glob("*.hwdb")
    assert any(line.endswith(":FAST  DISK 1TB") for line in hwdb.read_text().splitlines())


def test_disks_that_were_measured_together_are_told(tmp_path: Path) -> None:
    raid = replace(machine(0), disks=("sda", "sdb"))
    write(tmp_path, raid, anonymous(replace(machine(1), disks=("sda", "sdb"))), *(map(machine, range(2, 6))))
    assert text("machines-of-several-disks", count=2) in present_group(one(tmp_path)).remarks


def test_why_a_clear_verdict_gives_no_default_is_said_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path, *(machine(number, model="Größe") for number in range(5)))
    assert main(["summary", str(tmp_path), "--hwdb", str(tmp_path / "out")], FLEET) == 0
    assert capsys.readouterr().err == text("defaults-odd-model", model="Größe") + "\n"


def test_a_chart_of_some_machines_says_that_those_that_disagree_are_among_them(tmp_path: Path) -> None:
    write(tmp_path, *(machine(number, gain=0.4 if number % 20 == 0 else 2.0, rounds=3) for number in range(100)))
    forest = present_group(group := one(tmp_path)).forest
    assert forest is not None and sum(line.is_odd for line in forest.lines) == len(group.disagreeing) == 5
    assert forest.remark == "81 of 100 machines shown: evenly chosen ones, and those that disagree."


def test_a_card_beside_its_result_hides_no_disk(tmp_path: Path) -> None:
    results = [machine(number) for number in range(5)]
    write(tmp_path, *map(anonymous, results), prefix="card")
    write(tmp_path, *results, prefix="result")
    group = one(tmp_path)
    assert (len(group.machines), group.unknown, group.is_clear) == (5, 0, True)
    assert whys(tmp_path) == dict.fromkeys((f"card{number}.json" for number in range(5)), "unfit-same")


def test_the_same_measurement_counts_once(tmp_path: Path) -> None:
    result = machine(0, rounds=5)
    longer = machine(0, rounds=8)
    continued = replace(longer, id="continued", samples=(*result.samples, *longer.samples[len(result.samples) :]))
    copied = replace(result, id="another", disk={**result.disk, "serial": "STOLEN"})
    write(tmp_path, result, continued, copied, anonymous(result), machine(1))
    assert whys(tmp_path) == dict.fromkeys(("host0.json", "host2.json", "host3.json"), "unfit-same")
    assert len(one(tmp_path).machines) == 2


def test_files_that_share_an_id_but_not_their_samples_were_changed(tmp_path: Path) -> None:
    changed = replace(machine(1), id=machine(0).id)
    write(tmp_path, machine(0), changed, machine(2))
    assert whys(tmp_path) == dict.fromkeys(("host0.json", "host1.json"), "unfit-same-id")


def test_the_baseline_is_that_of_most(tmp_path: Path) -> None:
    rivals = [machine(number, baseline="bfq", scheduler="bfq") for number in range(4, 6)]
    without = replace(
        rivals[0], samples=tuple(s for s in machine(7).samples if s.setting != Setting("mq-deadline")), id="w"
    )
    write(tmp_path, *(machine(number) for number in range(4)), *rivals, without)
    group = one(tmp_path)
    assert group.verdict.baseline == Setting("mq-deadline") and len(group.machines) == 6
    assert group.verdict.winner == Setting("bfq")
    assert whys(tmp_path) == {"host6.json": "unfit-baseline"}


def changed(result: Result, **samples: Any) -> Result:
    return replace(result, samples=tuple(replace(sample, **samples) for sample in result.samples))


def one_value(result: Result, metric: str, value: float) -> Result:
    first = next(sample for sample in result.samples if sample.metric == metric)
    return replace(result, samples=tuple(replace(e, value=value) if e is first else e for e in result.samples))


UNFIT: dict[str, tuple[Callable[[Result], Result], str]] = {
    "no model": (lambda r: replace(r, disk={**r.disk, "model": " "}), "unfit-no-model"),
    "model for a terminal": (lambda r: replace(r, disk={**r.disk, "model": "A\x1b[2J"}), "unfit-odd-model"),
    "no kernel": (lambda r: replace(r, machine=replace(r.machine, kernel="linux")), "unfit-kernel"),
    "no goal": (lambda r: replace(r, plan=replace(r.plan, goal=None)), "unfit-goal"),
    "own program": (lambda r: replace(r, plan=replace(r.plan, goal="own")), "unfit-own"),
    "tuning": (lambda r: replace(r, plan=replace(r.plan, tunes=True)), "unfit-tuning"),
    "another state": (
        lambda r: replace(r, plan=replace(r.plan, state=DiskState.EXHAUSTED)),
        "unfit-exhausted",
    ),
    "one round": (lambda r: replace(r, samples=tuple(s for s in r.samples if not s.round)), "unfit-few-rounds"),
    "no baseline": (
        lambda r: replace(r, samples=tuple(s for s in r.samples if s.setting != Setting("mq-deadline"))),
        "baseline-not-measured",
    ),
    "negative": (lambda r: one_value(r, LAUNCH, -1.0), "impossible-values"),
    "a week": (lambda r: one_value(r, COPY, 7e5), "implausible-time"),
    "turned round": (
        lambda r: replace(r, metrics={**r.metrics, READ: replace(r.metrics[READ], better=Better.HIGHER)}),
        "implausible-unit",
    ),
    "future": (lambda r: replace(r, created="2031-01-01T00:00:00Z"), "implausible-future"),
    "no date": (lambda r: replace(r, created="yesterday"), "implausible-date"),
    "no name": (lambda r: changed(r, setting=Setting("$(reboot)")), "implausible-name"),
}


@pytest.mark.parametrize("case", UNFIT)
def test_what_tells_nothing_of_others_or_cannot_be_is_left_out(case: str, tmp_path: Path) -> None:
    change, why = UNFIT[case]
    write(tmp_path, *(machine(number) for number in range(3)), change(machine(3)))
    assert whys(tmp_path) == {"host3.json": why}
    assert len(one(tmp_path).machines) == 3


def test_no_file_is_fatal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path, *(machine(number) for number in range(3)))
    (tmp_path / "link.json").symlink_to("host0.json")
    (tmp_path / "loop").symlink_to(tmp_path)
    os.mkfifo(tmp_path / "pipe.json")
    (tmp_path / "cut.json").write_text(encode(machine(5))[:1000])
    (tmp_path / "deep.json").write_text("[" * 100_000)
    (tmp_path / "next.json").write_text('{"format": "disktuner.result/99"}')
    (tmp_path / "binary").write_bytes(bytes(range(256)))
    (tmp_path / "\x1b[2J\udcff.json").write_text("{}")
    (tmp_path / ".hidden.json").write_text("{}")
    closed = tmp_path / "closed"
    closed.mkdir()
    (tmp_path / "huge.json").touch()
    os.truncate(tmp_path / "huge.json", 2**40)
    secret = tmp_path / "secret.json"
    secret.touch(mode=0)
    closed.chmod(0)
    try:
        left = whys(tmp_path)
        assert left == {
            "link.json": "unfit-link",
            "loop": "unfit-link",
            "pipe.json": "unfit-no-file",
            "cut.json": "file-is-damaged",
            "deep.json": "unsound",
            "next.json": "other-format",
            "binary": "file-is-damaged",
            "\x1b[2J\udcff.json": "no-format",
            "closed": "unfit-folder",
            "huge.json": "file-too-large",
            "secret.json": "unfit-unreadable",
        }
        for words in (("--json",), ()):
            assert main(["summary", str(tmp_path), *words], FLEET) == 0
            out, err = capsys.readouterr()
            assert not err and all(sign.isprintable() or sign == "\n" for sign in out) and "SECRET" not in out
        assert len(one(tmp_path).machines) == 3
        tmp_path.chmod(0)
        assert whys(tmp_path) == {".": "unfit-folder"}
    finally:
        tmp_path.chmod(0o700)
        closed.chmod(0o700)


def test_strangers_files_are_counted_or_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    chance = random.Random(1)
    for number in range(STRANGERS):
        (tmp_path / f"{number}.json").write_bytes(mutated(chance))
    out = tmp_path / "out"
    assert (
        main(["summary", str(tmp_path), "--html", f"{out}/.page", "--hwdb", f"{out}/.defaults", "--personal"], FLEET)
        == 0
    )
    output = "".join(capsys.readouterr())
    assert all(sign.isprintable() or sign == "\n" for sign in output) and "unforeseen" not in output
    pooled = summary(tmp_path)
    counted = {file for group in pooled.groups for machine in group.machines for file in machine.files}
    named = {entry.file for entry in pooled.left_out}
    assert not counted & named and len(counted | named) == STRANGERS
