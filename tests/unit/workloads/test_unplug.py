# SPDX-License-Identifier: GPL-3.0-or-later
"""A copy that waits for nothing: when it seems done, when it is safe, and how much is copied."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from tests.unit.workloads.test_specs import NVME, STICK

from disktuner.vocabulary.metrics import INSTANT_S
from disktuner.vocabulary.tunables import MIB
from disktuner.workloads.catalogue import find
from disktuner.workloads.dd import CopiedSpec
from disktuner.workloads.processes import Control, Processes
from disktuner.workloads.source import Source
from disktuner.workloads.workload import Measurement, Scratch

COPY = find("copy-then-unplug")


class Noted(Processes):
    """Records what is started."""

    def start(self, argv: Sequence[str], *args: object, **named: object) -> int:  # type: ignore[override]
        ran.append(list(argv))
        return super().start(argv, *args, **named)  # type: ignore[arg-type]


ran: list[list[str]] = []


def copied(folder: Path, abort_after_s: float = math.inf, mib: int = 1) -> Measurement:
    ran.clear()
    with Source((mib + 1) * MIB, 1) as source, Noted(Control()) as processes:
        return COPY.run(Scratch(folder, 5, source, processes), CopiedSpec(1.0, mib * MIB), abort_after_s)


def test_the_copy_waits_for_nothing_and_then_all_of_it_is_waited_for(tmp_path: Path) -> None:
    measurement = copied(tmp_path)
    assert [argv[0] for argv in ran] == ["dd", "sync"]
    assert not any(word.startswith(("conv=", "oflag=")) for word in ran[0])
    assert measurement.values["gap_s"] >= INSTANT_S, "a shorter wait is none"
    assert measurement.values["done_s"] <= measurement.values["safe_s"] == measurement.wall_s
    assert (measurement.read_bytes, measurement.written_bytes, measurement.cut_short) == (0, MIB, False)
    assert not list(tmp_path.iterdir())


def test_of_a_copy_that_takes_too_long_what_waits_by_then_is_waited_for(tmp_path: Path) -> None:
    measurement = copied(tmp_path, abort_after_s=0.0, mib=64)
    assert measurement.cut_short and [argv[0] for argv in ran] == ["dd", "sync"]
    assert measurement.written_bytes is None
    assert not list(tmp_path.iterdir())


def test_far_more_is_copied_than_the_limit_that_is_tried_lets_wait() -> None:
    slower = replace(STICK, write_bytes_per_s=2e6)
    for probe, mib in ((STICK, 80), (slower, 62), (NVME, 4096)):
        assert COPY.plan(probe, 3.0).cost.bytes_written == mib * MIB
        assert COPY.plan(probe, 3.0, 20 * MIB).cost.bytes_written == 20 * MIB
        assert COPY.plan(replace(probe, free_bytes=60 * MIB), 3.0).cost.bytes_kept == 30 * MIB
