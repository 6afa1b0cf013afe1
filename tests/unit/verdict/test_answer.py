# SPDX-License-Identifier: GPL-3.0-or-later
"""The answer says each thing in its own sentence, of its own subject and setting, and leaves no condition out."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from tests.unit.cli.kinds import drawn
from tests.unit.presentation.test_tried import as_tuning
from tests.unit.verdict.making import COPY, FAST, FOUR, LAUNCH, READ, WRITE, made, settings

from disktuner.results.model import Result
from disktuner.verdict.answer import answer_of
from disktuner.verdict.effects import Effect
from disktuner.verdict.evidence import Evidence, evidence, evidence_of, scores_of
from disktuner.verdict.judge import compared, decide, judge
from disktuner.verdict.levels import Levels
from disktuner.verdict.model import More, Verdict
from disktuner.vocabulary.messages import say, say_all
from disktuner.vocabulary.states import DiskState

NONE, BFQ, KYBER = settings("none", "bfq", "kyber")
FEW = ("none", "bfq", "kyber")
TWO = (LAUNCH, READ)
Gains = Mapping[tuple[str, str], float]


def known(
    gains: Gains, error: float = 0.001, metrics: tuple[str, ...] = (LAUNCH,), schedulers: tuple[str, ...] = FEW,
    more: More | None = None,
) -> tuple[Result, Evidence, Verdict]:  # fmt: skip
    """What is decided where these gains (1 for all others) are known with an error, and no typical values."""
    result = made({}, metrics=metrics, schedulers=schedulers, done=1)
    others = settings(*schedulers[1:])
    effects = {
        metric: {other: Effect(8, math.log(gains.get((metric, other.name), 1.0)), error, 40.0) for other in others}
        for metric in metrics
    }
    scores = scores_of(effects, result.question, others)
    known_gains = evidence(result.question, NONE, scores, effects, Levels())
    comparisons = tuple(
        compared(result.metrics[metric], other, effects[metric][other], Levels(), NONE)
        for metric in metrics
        for other in others
    )
    return result, known_gains, replace(decide(known_gains, comparisons), more=more)


# What is known, and all that is said of it.
GAINED, DEAR = {(LAUNCH, "bfq"): 2.0}, {(LAUNCH, "bfq"): 2.0, (WRITE, "bfq"): 0.25}
KNOWN: dict[str, tuple[dict[str, Any], str]] = {
    "a gain": (
        {"gains": GAINED},
        "bfq is 2× faster (at least 1.9×) for starting an office program while files are written.",
    ),
    "a gain with its price": (
        {"gains": {**GAINED, (WRITE, "bfq"): 0.7}, "metrics": (LAUNCH, WRITE)},
        "bfq is 2× faster (at least 1.9×) for starting an office program while files are written. "
        "Price: 1.4× slower for writing one big file.",
    ),
    "too dear": (
        {"gains": DEAR, "metrics": (LAUNCH, WRITE)},
        "bfq is 2× faster (at least 1.9×) for starting an office program while files are written. "
        "Price: 4× slower for writing one big file; this goal accepts at most 1.5× slower. "
        "You cannot have both: take bfq if the gain matters more to you, otherwise keep “none”.",
    ),
    "two parts": (
        {"gains": {**GAINED, (READ, "bfq"): 1.5}, "metrics": TWO},
        "bfq is 2× faster (at least 1.9×) for starting an office program while files are written. "
        "For small reads while a file is written, it is 1.5× faster.",
    ),
    "only the mean of both": (
        {"gains": {(LAUNCH, "bfq"): 1.5, (READ, "bfq"): 1.5}, "metrics": TWO, "error": 0.21, "schedulers": FEW[:2]},
        "Only the average over everything that counts shows it: bfq is 1.5× faster (at least 1.13×). "
        "For starting an office program while files are written, it is 1.5× faster. "
        "For small reads while a file is written, it is 1.5× faster.",
    ),
    "a leader by the mean": (
        {"gains": {(LAUNCH, "bfq"): 1.5, (READ, "bfq"): 1.5}, "metrics": TWO, "error": 0.3, "more": More(50, None)},
        "On average over everything that counts, bfq is 1.5× faster so far; this is not certain yet. "
        "For starting an office program while files are written, it is 1.5× faster. "
        "For small reads while a file is written, it is 1.5× faster. About 50 more rounds should settle it.",
    ),
    "no difference": (
        {"gains": {}, "error": 0.01},
        "No practical difference for starting an office program while files are written: "
        "at most 1.02× faster than with “none” (95 % sure).",
    ),
    "a small gain and a loss": (
        {"gains": {(LAUNCH, "bfq"): 1.1, (LAUNCH, "kyber"): 0.5}},
        "Nothing is more than 1.11× faster than “none” for starting an office program while files are written "
        "(95 % sure). kyber is worse.",
    ),
    "only losses": (
        {"gains": {(LAUNCH, "bfq"): 0.5, (LAUNCH, "kyber"): 0.5}},
        "Nothing is better than “none” for starting an office program while files are written. "
        "bfq and kyber are worse.",
    ),
    "no difference in both": (
        {"gains": {}, "error": 0.01, "metrics": TWO},
        "No practical difference on average over everything that counts: at most 1.02× faster than with “none” "
        "(95 % sure).",
    ),
    "a small gain and a loss in both": (
        {"gains": {(LAUNCH, "bfq"): 1.1, (READ, "bfq"): 1.1, (LAUNCH, "kyber"): 0.5}, "metrics": TWO},
        "On average over everything that counts, nothing is more than 1.11× faster than “none” (95 % sure). "
        "kyber is worse.",
    ),
    "only losses in both": (
        {"gains": {(LAUNCH, "bfq"): 0.5, (LAUNCH, "kyber"): 0.5}, "metrics": TWO},
        "On average over everything that counts, nothing is better than “none”. bfq and kyber are worse.",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", KNOWN)
def test_what_is_known_without_values_is_said_as_gains(case: str) -> None:
    given, sentences = KNOWN[case]
    assert say_all(answer_of(*known(**given)).sentences) == sentences


@pytest.mark.parametrize(
    ("disk", "choice"),
    [({}, "otherwise take “none” untuned."), ({"scheduler": "none"}, "otherwise keep “none”.")],
    ids=["never had", "had"],
)
def test_only_a_baseline_that_the_disk_had_can_be_kept(disk: Mapping[str, str], choice: str) -> None:
    result, known_gains, verdict = known(DEAR, metrics=(LAUNCH, WRITE))
    answer = answer_of(as_tuning(result, **disk), known_gains, verdict)
    assert answer.choice and say(answer.choice).endswith(choice)


@pytest.mark.parametrize("seed", range(20))
def test_the_worst_that_remains_possible_is_not_said_to_be_less(seed: int) -> None:
    verdict = judge(made({(LAUNCH, "bfq"): 0.2, (WRITE, "bfq"): 0.75}, 0.2, 3, seed=seed))
    for side, condition in zip(verdict.open, verdict.answer.conditions, strict=True):
        shown = re.search(r"up to ([\d.]+)× slower", say(condition))
        assert shown and float(shown[1]) >= math.exp(-side.low) > float(shown[1]) - 1


def test_who_was_dropped_early_is_named_unless_the_answer_is_about_it() -> None:
    result, known_gains, verdict = known(GAINED)
    answer = answer_of(result, known_gains, replace(verdict, left_out=(BFQ, KYBER)))
    assert say_all(answer.ruled_out) == "Dropped early, as it was behind: kyber."


UNDECIDED, CONDITIONAL = {(LAUNCH, "bfq"): 0.75, (LAUNCH, "none"): 2.5}, {(LAUNCH, "bfq"): 0.2, (WRITE, "bfq"): 0.75}


@pytest.mark.parametrize(
    ("result", "more", "sentence"),
    [
        (made(UNDECIDED, 0.2, 5, seed=6), More(7, None), "About 7 more rounds should settle it."),
        (made(UNDECIDED, 0.2, 5, seed=6), More(7, 120.0), "About 7 more rounds (2 minutes) should settle it."),
        (made(UNDECIDED, 0.2, 5, seed=6), None, "The runs vary too much: even 400 more rounds would not be enough. "
         "Close other programs that use the disk and measure again, or change nothing."),
        (made(CONDITIONAL, 0.15, 3), More(7, 120.0), "7 more rounds (2 minutes) should settle it."),
        (made(CONDITIONAL, 0.15, 3), More(7, None), "About 7 more rounds should settle it."),
        (made(CONDITIONAL, 0.15, 3), None, None),
        (drawn()["daily use, undecided"], More(7, 7200.0), "About another 2 hours of use should settle it."),
        (drawn()["daily use, undecided"], More(7, None), "Can't tell yet how much more use it takes."),
        (drawn()["daily use, undecided"], None, "Can't tell yet how much more use it takes."),
        (drawn()["daily use"], None, None),
    ],
)  # fmt: skip
def test_how_much_more_must_be_measured(result: Result, more: More | None, sentence: str | None) -> None:
    answer = answer_of(result, evidence_of(result), replace(judge(result), more=more))
    assert (answer.effort and say(answer.effort)) == sentence


def exhausted(result: Result) -> Result:
    return replace(result, plan=replace(result.plan, state=DiskState.EXHAUSTED))


def unmeasured(result: Result, setting: str) -> Result:
    return replace(result, samples=tuple(sample for sample in result.samples if sample.setting.name != setting))


# What was measured: what to do, the same on one line, and all that is said.
MEASURED: dict[str, tuple[Result, str, str, str]] = {
    "switch": (made({(LAUNCH, "bfq"): 0.5}, 0.001),
        "Switch to bfq", "bfq: 2× faster",
        "Starting an office program while files are written: 5 s instead of 10 s, 2× faster (at least 1.9×)."
    ),
    "switch, with figures as in its table": (
        made({(COPY, "bfq"): 0.5, (COPY, "kyber"): 4.0}, 0.001, metrics=(COPY,), goal="copying", now={COPY: 0.451}),
        "Switch to bfq", "bfq: 2× faster",
        "Copying four files at once: 0.23 s instead of 0.45 s, 2× faster (at least 1.9×)."
    ),
    "conditional": (drawn()["of others, for copying"],
        "Switch to bfq, on one condition", "bfq: 3× faster, on one condition",
        "Copying four files at once: 3.32 s instead of 10 s, 3× faster (at least 2.9×). "
        "Its price was not measured: starting an office program while files are written."
    ),
    "trade-off": (made({(LAUNCH, "bfq"): 0.5, (WRITE, "bfq"): 0.25}, 0.001),
        "Your call: bfq or mq-deadline", "bfq: 2× faster, at a price",
        "Starting an office program while files are written: 5 s instead of 10 s, 2× faster (at least 1.9×). "
        "Price: 2 B/s instead of 10 B/s for writing one big file; this goal accepts at most 1.5× slower. "
        "You cannot have both: take bfq if the gain matters more to you, otherwise keep mq-deadline."
    ),
    "trade-off between parts": (drawn()["trade-off within"],
        "Your call: bfq or mq-deadline", "bfq: 2× faster, at a price",
        "Starting an office program while files are written: 4.95 s instead of 10.1 s, 2× faster. "
        "Price: 18.9 s instead of 10.1 s for small reads while a file is written; "
        "this goal accepts at most 1.2× slower. "
        "You cannot have both: take bfq if the gain matters more to you, otherwise keep mq-deadline."
    ),
    "a trade-off with a loss of which much is not noticed": (
        made({(LAUNCH, "bfq"): 0.2, (READ, "bfq"): 75.0}, 0.001, metrics=TWO, now={LAUNCH: 10.0, READ: 0.0008}),
        "Your call: bfq or mq-deadline", "bfq: 5× faster, at a price",
        "Starting an office program while files are written: 2 s instead of 10 s, 5× faster (at least 4×). "
        "Price: 60 ms instead of 0.8 ms for small reads while a file is written; "
        "this goal accepts at most 20× slower. "
        "You cannot have both: take bfq if the gain matters more to you, otherwise keep mq-deadline."
    ),
    "a leader": (made(UNDECIDED, 0.2, 5, seed=6),
        "Not decided yet: bfq leads", "Not decided: bfq leads",
        "Starting an office program while files are written: 7.19 s instead of 9.74 s so far. "
        "About 3 more rounds (60 seconds) should settle it."
    ),
    "no leader, and a bound of all that could be gained": (
        made({}, 0.3, 4, metrics=(LAUNCH,), schedulers=FEW, now={LAUNCH: 0.1}, seed=23),
        "Not decided yet", "Not decided yet",
        "About 1 more round (20 seconds) should settle it."
    ),
    "nothing to notice": (made({(LAUNCH, "bfq"): 0.75, (LAUNCH, "kyber"): 3.0}, 0.05, 6, metrics=(LAUNCH,), now=FAST),
        "Keep mq-deadline", "Keep mq-deadline",
        "Nothing is noticeably better than mq-deadline. kyber is worse."
    ),
    "a loss that may be felt": (
        made({(READ, "kyber"): 3.0}, 0.4, 3, metrics=(READ,), schedulers=FEW, now={READ: 0.01}, seed=10),
        "Keep “none”", "Keep “none”",
        "On this disk, no other scheduler gains anything that you could feel. "
        "Small reads while a file is written: 8.74 ms with “none”, 10.5 ms with bfq."
    ),
    "nothing to notice, however large as a factor": (
        made({(READ, "kyber"): 200.0}, 0.02, 4, metrics=(READ,), schedulers=FEW, now=FAST),
        "Keep “none”", "Keep “none”",
        "Nothing is noticeably better than “none”. kyber is worse."
    ),
    "worse, but not noticeably": (
        made({(LAUNCH, "bfq"): 1.5, (LAUNCH, "kyber"): 40.0}, 0.02, metrics=(LAUNCH,), schedulers=FEW,
             now={LAUNCH: 0.05}),
        "Keep “none”", "Keep “none”",
        "Nothing is better than “none” for starting an office program while files are written. kyber is worse."
    ),
    "a gain in one part alone": (made({(LAUNCH, "bfq"): 0.9}, 0.001, 12, metrics=TWO),
        "Keep mq-deadline", "Keep mq-deadline",
        "On average over everything that counts, nothing is more than 1.08× faster than mq-deadline (95 % sure). "
        "Starting an office program while files are written alone: 8.99 s with bfq instead of 10 s."
    ),
    "parts alike": (made({(LAUNCH, "bfq"): 0.5}, 0.001, metrics=TWO),
        "Switch to bfq", "bfq: 2× faster",
        "Starting an office program while files are written: 5 s instead of 10 s, 2× faster (at least 1.9×). "
        "Small reads while a file is written: no noticeable difference (10 s instead of 10 s)."
    ),
    "a part unclear": (made({(LAUNCH, "bfq"): 0.2}, 0.1, metrics=TWO),
        "Switch to bfq", "bfq: 6× faster",
        "Starting an office program while files are written: 1.9 s instead of 10.5 s, 6× faster (at least 4×). "
        "Small reads while a file is written: can't tell (9.63 s instead of 10.6 s)."
    ),
    "tuned for nothing": (as_tuning(made({}, 0.001, metrics=(COPY,), goal="copying"), scheduler="none"),
        "Take mq-deadline untuned", "Take mq-deadline untuned",
        "Tuning gains too little to be worth it. "
        "No practical difference for copying four files at once: "
        "at most 1.01× faster than with mq-deadline (95 % sure)."
    ),
    "tuned for nothing, had": (as_tuning(made({}, 0.001, metrics=(COPY,), goal="copying")),
        "Keep mq-deadline untuned", "Keep mq-deadline untuned",
        "Tuning gains too little to be worth it. "
        "No practical difference for copying four files at once: "
        "at most 1.01× faster than with mq-deadline (95 % sure)."
    ),
    "tuned for what nobody feels": (as_tuning(made({}, 0.001, metrics=(LAUNCH,))),
        "Keep mq-deadline untuned", "Keep mq-deadline untuned",
        "Tuning gains too little to be worth it. Nothing is noticeably better than mq-deadline. "
        "Starting an office program while files are written: 10 s with mq-deadline, 10 s with bfq."
    ),
    "one scheduler with its tunables": (
        made({}, 0.001, metrics=(LAUNCH,), schedulers=("bfq:slice_idle=0", "bfq", "bfq:low_latency=0")),
        "Keep “bfq, slice_idle 0”", "Keep “bfq, slice_idle 0”",
        "Nothing is noticeably better than “bfq, slice_idle 0”. "
        "Starting an office program while files are written: 10 s with “bfq, slice_idle 0”, 10 s with bfq."
    ),
    "in daily use": (drawn()["daily use"],
        "Switch to bfq", "bfq: 2.5× better",
        "Per hour of use, programs freeze for 11.8 s instead of 29.6 s: 2.5× better (at least 1.4×)."
    ),
    "exhausted": (exhausted(made({(LAUNCH, "bfq"): 0.5}, 0.001)),
        "Switch to bfq", "bfq: 2× faster, with its fast cache used up",
        "Starting an office program while files are written: 5 s instead of 10 s, 2× faster (at least 1.9×). "
        "Measured with the disk's fast cache used up, while a file was written all the time."
    ),
    "exhausted, and no baseline": (exhausted(unmeasured(made({}), FOUR[0])),
        "Not decided yet", "Not decided yet, with its fast cache used up",
        "Too little was measured for a comparison. Compare again. "
        "Measured with the disk's fast cache used up, while a file was written all the time."
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", MEASURED)
def test_what_was_measured_is_said_with_its_values(case: str) -> None:
    result, action, summary, sentences = MEASURED[case]
    answer = judge(result).answer
    assert (say(answer.action), say(answer.summary), say_all(answer.sentences)) == (action, summary, sentences)


@pytest.mark.parametrize(("case", "certainty"), [("switch", "95 % sure"), ("a leader", None)])
def test_only_a_winner_is_sure(case: str, certainty: str | None) -> None:
    answer = judge(MEASURED[case][0]).answer
    assert (answer.certainty and say(answer.certainty)) == certainty
