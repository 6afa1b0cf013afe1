# SPDX-License-Identifier: GPL-3.0-or-later
"""Two of the family of simulated disks: there is an answer, and it is right. ``./dev bench family`` takes them all."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.bench.family import FOUND, Book
from tests.conftest import Sudo
from tests.end2end.conftest import Run, disktuner
from tests.simdisk.family import draw, member

__all__ = ["disktuner"]
pytestmark = pytest.mark.long

CLEAR, ALIKE = 0, 102
"""A hard disk on which one scheduler gains much at no price, and a disk on which none can."""


@pytest.mark.timeout(1200)
@pytest.mark.parametrize("seed", [CLEAR, ALIKE])
def test_the_answer_for_a_desktop_is_right_where_it_is_clear_and_wrong_no_oftener_than_promised(
    sudo: Sudo, tmp_path: Path, disktuner: Run, seed: int
) -> None:
    """One comparison in twenty may be wrong, so one is no failure; two in a row are."""
    truth = Book(FOUND).truth(seed, "desktop")
    assert truth is not None
    said: list[str] = []
    with member(sudo, tmp_path, draw(seed)) as disk:
        assert disk.folder
        for turn in range(2):
            done = disktuner("compare", disk.folder, "--goal", "desktop", "--seed", str(turn), "--json")
            assert disk.scheduler == "mq-deadline"
            assert done.returncode == 0, done.stderr
            verdict = json.loads(done.stdout)["verdict"]
            grade = truth.grade(verdict["decision"], verdict["winner"])
            said.append(f"{grade}: {verdict['decision']} {verdict['winner']}: {verdict['why']}")
            if grade != "wrong" and (seed == ALIKE or grade != "undecided"):
                return
    raise AssertionError("\n".join(said))
