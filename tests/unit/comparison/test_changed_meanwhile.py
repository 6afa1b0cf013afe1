# SPDX-License-Identifier: GPL-3.0-or-later
"""What is compared is what the disk has when the trial begins, which the announcement may not know."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from tests.unit.comparison.test_counted import environment, machine

from disktuner.block.disk import Disk
from disktuner.comparison.comparison import Comparison
from disktuner.comparison.request import Environment, Request
from disktuner.experiment.run import SchedulerSwitch
from disktuner.vocabulary.errors import MeasurementImpossible

__all__ = ["environment", "machine"]


@pytest.mark.parametrize("announced", [True, False])
def test_a_scheduler_set_by_others_while_the_password_is_asked_for_is_no_longer_the_baseline(
    announced: bool, environment: Environment, tmp_path: Path
) -> None:
    """The trial restores the new one, so nothing was compared with it."""
    file = tmp_path / "machine/sys/block/vda/queue/scheduler"

    @contextmanager
    def trials(_: Sequence[Disk]) -> Iterator[SchedulerSwitch]:
        file.write_text("none mq-deadline kyber [bfq]\n")
        yield SchedulerSwitch()

    asked = replace(environment, trials=trials)
    with Comparison(Request(str(tmp_path), "copying", "quick", workloads=("dd-read",)), asked) as comparison:
        if announced:
            comparison.announce()
        with pytest.raises(MeasurementImpossible) as refused:
            comparison.run(lambda _: None)
    assert refused.value.message.id == "scheduler-changed-meanwhile"
    assert "to bfq" in str(refused.value) and not environment.store.paths()
