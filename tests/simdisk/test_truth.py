# SPDX-License-Identifier: GPL-3.0-or-later
"""How answers stand beside the truth."""

from __future__ import annotations

import pytest

from disktuner.vocabulary.questions import Part, Price, Question
from tests.bench.truth import truth

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
