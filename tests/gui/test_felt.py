# SPDX-License-Identifier: GPL-3.0-or-later
"""A copy that is felt elsewhere, asked for in the window by what bothers the user."""

from __future__ import annotations

from pathlib import Path

from disktuner.vocabulary.goals import FELT
from tests.gui.person import Visit
from tests.gui.stand_ins import Bench


def test_it_is_felt_where_the_users_files_are(visit: Visit, bench: Bench) -> None:
    visit(bench).to_announced("sda", FELT.id)
    request = bench.comparisons[-1].request
    assert (request.goal, request.felt) == (FELT.id, str(Path.home()))
