# SPDX-License-Identifier: GPL-3.0-or-later
"""Leftovers of interrupted measurements are offered for removal, with their size and place."""

from __future__ import annotations

from pathlib import Path

import pytest

from disktuner.experiment.scratch import Leftover, Leftovers
from disktuner.gui.leftovers import leftovers_text
from tests.gui.person import Visit, until, words
from tests.gui.stand_ins import NOWHERE, Bench

LEFT = Leftover(Path("/media/anna/backup/.disktuner-0123456789ab"), 239_000_000)


@pytest.mark.parametrize(
    ("stays", "sentence"), [((), "239 MB are free again"), ((LEFT.path,), f"{LEFT.path} could not be removed")]
)
def test_what_lies_on_the_disks_is_offered_and_removed_or_named(
    visit: Visit, bench: Bench, stays: tuple[Path, ...], sentence: str
) -> None:
    removals: list[str] = []

    class OneLeft(Leftovers):
        def find(self) -> tuple[Leftover, ...]:
            return (LEFT,)

        def remove(self) -> tuple[Path, ...]:
            removals.append("once")
            return stays

    bench.leftovers = OneLeft(NOWHERE)
    person = visit(bench)
    page = person.window.disks_page
    until(lambda: "239 MB in /media/anna/backup" in words(page))
    assert removals == []
    person.press("remove-leftovers", page)
    person.reads(sentence)
    assert removals == ["once"] and not page.notice.isVisible() and "239 MB in" not in words(page)


def test_several_are_counted() -> None:
    leftover = Leftover(Path("/home/anna/.disktuner-aaaaaaaaaaaa"), 1_000_000)
    assert "240 MB in 2 folders, the first being /media/anna/backup" in leftovers_text((LEFT, leftover))
