# SPDX-License-Identifier: GPL-3.0-or-later
"""How answers compare with the truth."""

from __future__ import annotations

import pytest

from disktuner.vocabulary.questions import Part, Price, Question
from tests.bench.family import FOUND, Book
from tests.bench.truth import truth
from tests.simdisk.family import ANY_DISK, FOUR, KINDS, draw

ASKED = Question((Part("launch-office.wall_s", 2), Part("dd-read.bytes_per_s")), (Price("copy.wall_s", 1 / 3),), 1.2)
FIGURES = {
    "launch-office.wall_s": {"none": [8.0, 4.0], "bfq": [2.0, 1.0], "kyber": [5.0, 2.5], "mq-deadline": [8.8, 4.4]},
    "dd-read.bytes_per_s": {"none": [1e8, 1e8], "bfq": [5e7, 5e7], "kyber": [8e7, 8e7], "mq-deadline": [1e8, 1e8]},
    "copy.wall_s": {"none": [1.0, 1.0], "bfq": [1.8, 1.8], "kyber": [1.2, 1.2], "mq-deadline": [1.0, 1.0]},
}  # fmt: skip


def test_a_score_is_the_weighted_mean_and_a_price_is_told_beside_its_tolerance() -> None:
    true = truth(ASKED, "none", FIGURES)
    assert true.scores == pytest.approx({"bfq": 2.0, "kyber": 2.048 ** (1 / 3), "mq-deadline": 1.1 ** (-2 / 3)})
    assert true.prices == pytest.approx({"bfq": 1.2, "kyber": 0.8, "mq-deadline": 2 / 3})


@pytest.mark.parametrize(
    ("decision", "winner", "grade"),
    [
        ("trade-off", "bfq", "right"),
        ("conditional", "bfq", "right"),
        ("switch", "bfq", "wrong"),  # its price is too high
        ("switch", "kyber", "right"),  # another gains more, at too high a price
        ("trade-off", "kyber", "open"),
        ("conditional", "mq-deadline", "wrong"),
        ("keep", None, "wrong"),
        ("undecided", None, "undecided"),
        ("failed", None, "undecided"),
    ],
)
def test_an_answer_is_graded(decision: str, winner: str | None, grade: str) -> None:
    assert truth(ASKED, "none", FIGURES).grade(decision, winner) == grade


def test_a_difference_that_nobody_notices_is_none() -> None:
    starts = {"none": [0.02, 0.02], "bfq": [0.002, 0.002], "kyber": [0.02, 0.02], "mq-deadline": [0.6, 0.6]}
    question = Question((Part("launch-office.wall_s", unnoticed=0.1),), (), 1.1)
    fast, slow = (truth(question, baseline, {"launch-office.wall_s": starts}) for baseline in ("none", "mq-deadline"))
    assert fast.scores["bfq"] == pytest.approx(0.12 / 0.102) and fast.scores["bfq"] > fast.worth
    assert not fast.is_gain and fast.grade("keep", None) == "right" and fast.grade("switch", "bfq") == "open"
    assert slow.is_gain and slow.grade("keep", None) == "wrong" and slow.grade("switch", "bfq") == "right"


def test_half_of_the_family_has_something_to_gain() -> None:
    book, members = Book(FOUND), [drawn for seed in range(73, 300) if (drawn := draw(seed)).is_member]
    gains = [book.truth(seed).is_gain for seed in book.figures if draw(seed).is_member]
    assert len(gains) > 25 and 0.4 <= sum(gains) / len(gains) <= 0.6
    assert {drawn.kind for drawn in members} == set(KINDS)
    assert {drawn.goal for drawn in members} == set(ANY_DISK)
    assert {drawn.baseline for drawn in members} == set(FOUR)
