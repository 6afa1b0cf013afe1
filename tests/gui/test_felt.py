# SPDX-License-Identifier: GPL-3.0-or-later
"""A copy that is felt elsewhere, asked for in the window by what bothers the user."""

from __future__ import annotations

from pathlib import Path

from disktuner.vocabulary.goals import FELT
from disktuner.vocabulary.messages import message, say, text
from tests.gui.person import Visit, until
from tests.gui.stand_ins import Bench


def test_it_is_felt_where_the_users_files_are(visit: Visit, bench: Bench) -> None:
    visit(bench).to_announced("sda", FELT.id)
    request = bench.comparisons[-1].request
    assert (request.goal, request.felt) == (FELT.id, str(Path.home()))


def test_what_is_known_without_measuring_is_an_answer(visit: Visit, bench: Bench) -> None:
    values = {"felt": "sdb", "folder": "/home/anna", "disk": "sda", "memory": 8 << 30}
    bench.answer = message("felt-not-there", **values)
    plan = visit(bench).find_best()
    until(lambda: plan.commands.text() == say(message("felt-not-there", **values)))
    assert plan.title.text() == text("answered") and not plan.notice.isVisible()
    assert not plan.foot.measure_button.isEnabled()
