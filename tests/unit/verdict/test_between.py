# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import json
import random
from dataclasses import replace

from tests.unit.verdict.making import LAUNCH, WRITE, made

from disktuner.report.between import between_json, between_text
from disktuner.results.model import Machine, Result
from disktuner.verdict.between import between
from disktuner.verdict.model import Outcome

ALL = {(LAUNCH, name): 0.5 for name in ("mq-deadline", "none", "kyber", "bfq")}


def test_what_became_faster_is_found_and_what_stayed_is_the_same() -> None:
    found = between(made({}), made(ALL, seed=2))
    launch = [row.comparison for row in found.rows if row.comparison.metric == LAUNCH]
    assert [each.outcome for each in launch] == [Outcome.BETTER] * 4
    assert all(0.45 < (each.ratio or 0) < 0.55 for each in launch)
    assert "better on" in found.why and "2.0" in found.why and "3 more" in found.why
    assert all(row.comparison.outcome is not Outcome.WORSE for row in found.rows)


def test_the_other_way_round_it_is_worse_by_the_inverse() -> None:
    forth, back = between(made({}), made(ALL, seed=2)), between(made(ALL, seed=2), made({}))
    for one, other in zip(forth.rows, back.rows, strict=True):
        assert abs((one.comparison.ratio or 0) * (other.comparison.ratio or 0) - 1) < 1e-9
        assert (one.before, one.after) == (other.after, other.before)
    assert "worse on" in back.why


def test_equal_results_are_found_equal_and_few_runs_are_not() -> None:
    twice = between(made({}, 0.005, done=12), made({}, 0.005, done=12, seed=2))
    assert twice.why.startswith("No practical difference")
    few = between(made({}, 0.2, done=2), made({}, 0.2, done=2, seed=2))
    assert few.why.startswith("No difference is shown")
    single = between(made({}, done=1), made({}, done=1, seed=2))
    assert {row.comparison.ci_low for row in single.rows} == {None}


def test_differences_of_the_machine_are_named() -> None:
    other = replace(made({}), machine=Machine("6.12.1", "Debian GNU/Linux 12", "AMD Ryzen 5 3600", 2**34, ""))
    assert between(made({}), other).differences == (("kernel", "6.1.0-28-amd64", "6.12.1"),)


def test_whole_durations_of_other_amounts_of_work_are_left_out() -> None:
    sized = [replace(made({}), extra={"sizes": {"launch-under-writes": {"scale": n}}}) for n in (1, 2)]
    found = between(*sized)
    assert list(found.left_out) == [LAUNCH]
    assert WRITE in {row.comparison.metric for row in found.rows}
    assert LAUNCH in {row.comparison.metric for row in between(sized[0], sized[0]).rows}


def test_nothing_in_common_is_said() -> None:
    found = between(made({}, metrics=(LAUNCH,)), made({}, metrics=(WRITE,)))
    assert not found.rows and "Nothing can be compared" in found.why


def test_text_and_json_tell_the_same() -> None:
    found = between(made({}), made(ALL, seed=2))
    text, document = between_text(found), json.loads(between_json(found))
    assert text.startswith(found.why) and document["why"] == found.why
    assert len(document["comparisons"]) == 12 and "not measured in turns" in text
    assert len({line.index("second ÷ first") for line in text.splitlines() if "second ÷ first" in line}) == 1


def test_false_alarms_stay_within_the_family_wise_error() -> None:
    """400 pairs without any difference: at most 5 % may show one; 3.5 standard errors of chance are granted."""
    chance = random.Random(7)

    def once() -> bool:
        pair: list[Result] = [made({}, 0.1, done=5, seed=chance.randrange(10**9)) for _ in range(2)]
        return any(r.comparison.outcome in (Outcome.BETTER, Outcome.WORSE) for r in between(*pair).rows)

    assert sum(once() for _ in range(400)) <= 400 * 0.05 + 3.5 * (400 * 0.05 * 0.95) ** 0.5
