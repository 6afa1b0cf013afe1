# SPDX-License-Identifier: GPL-3.0-or-later
"""What a copy to one disk costs another, compared for real; both disks are left as they were."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from disktuner.results.codec import load
from tests.conftest import LoopDisk
from tests.end2end.comparing import values
from tests.end2end.conftest import Run

LIMIT = "none:bdi/max_bytes=16777216,bdi/strict_limit=1"


@pytest.mark.long
@pytest.mark.timeout(900)
def test_a_limit_for_the_disk_that_is_copied_to_is_compared_and_both_are_left_as_they_were(
    loop_disk: Callable[..., LoopDisk], disktuner: Run, tmp_path: Path
) -> None:
    copied, felt, out = loop_disk(size_mb=1024), loop_disk(size_mb=2048), tmp_path / "felt.json"
    before = values(copied), values(felt), *(set(disk.folder.rglob("*")) for disk in (copied, felt))

    completed = disktuner("compare", copied.folder, "--felt", felt.folder, "--settings", LIMIT, "--out", out)

    assert completed.returncode == 0, completed.stderr
    result = load(out)
    assert result.plan.felt and (result.plan.felt.disk, result.plan.felt.path) == (felt.name, str(felt.folder))
    assert [setting.name for setting in result.plan.settings] == ["none", LIMIT]
    assert {sample.metric.partition(".")[0] for sample in result.samples} == {"use-elsewhere"}
    assert f"felt on {felt.name}" in completed.stdout and f"in {felt.folder}" in completed.stderr
    on = disktuner("compare", "--continue", out)
    assert on.returncode == 0 or "hardly change the answer" in on.stderr, on.stderr
    now = values(copied), values(felt), *(set(disk.folder.rglob("*")) for disk in (copied, felt))
    assert now == before
