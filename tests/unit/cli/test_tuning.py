# SPDX-License-Identifier: GPL-3.0-or-later
"""What the terminal says at the end of a tuning: how to have what it found."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.unit.presentation.test_tunables import tuning

from disktuner.block.disk import Disk
from disktuner.cli.tuning import show_tuned
from disktuner.comparison.request import JudgedResult
from disktuner.comparison.stages import Tuned
from disktuner.verdict.judge import judge


class _Named:
    """All that is said of a disk."""

    name = "sda"


@pytest.mark.parametrize(
    ("gains", "had", "said"),
    [
        ({"bfq:slice_idle=0": 1.8}, "bfq", "disktuner set sda bfq:slice_idle=0"),
        ({}, "mq-deadline", "disktuner set sda bfq"),
        ({}, "bfq", None),
    ],
)
def test_how_to_have_what_was_found(
    gains: dict[str, float], had: str, said: str | None, capsys: pytest.CaptureFixture[str]
) -> None:
    result = tuning(gains, scheduler=had)
    disks: tuple[Disk, ...] = (_Named(),)  # type: ignore[assignment]
    show_tuned(Tuned(None, JudgedResult(replace(result, id="t"), judge(result), Path("/t.json"), disks)))
    shown = capsys.readouterr().out
    assert (said in shown) if said else ("disktuner set" not in shown)
