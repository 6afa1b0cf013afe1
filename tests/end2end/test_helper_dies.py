# SPDX-License-Identifier: GPL-3.0-or-later
"""The helper dies or hangs in the middle of a comparison, which goes on, or ends with the reason and a remedy."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from disktuner.results.codec import load
from disktuner.results.store import Store
from disktuner.vocabulary.messages import text
from tests.bus.conftest import Caller, Refusal, helper_pid
from tests.conftest import LoopDisk, Sudo
from tests.end2end.comparing import WHAT, begun, values
from tests.end2end.test_killed import reads_of
from tests.waiting import until

RULE = "/usr/share/polkit-1/rules.d/10-disktuner-private.rules"
WHO = ("--schedulers", "mq-deadline,bfq")


@pytest.fixture
def disk(loop_disk: Callable[..., LoopDisk]) -> LoopDisk:
    return loop_disk(size_mb=2048)


def results(home: Path) -> list[Path]:
    """What is stored so far, including the result being measured."""
    return list(home.glob("disktuner/[!.]*.json*"))


MOMENTS = [
    (None, 0),
    *(pytest.param(seed, 800, marks=pytest.mark.long) for seed in range(20)),
]
"""Seeds, and within how many calls of read(2) after the first switch it is killed; without one at the first result."""


@pytest.mark.parametrize(("seed", "most_reads"), MOMENTS)
def test_a_comparison_whose_helper_is_killed_begins_again_and_says_so(
    seed: int | None, most_reads: int, disk: LoopDisk, sudo: Sudo, tmp_path: Path
) -> None:
    before = values(disk)
    with begun(disk, *WHAT, *WHO, home=tmp_path) as process:
        if seed is None:
            until(lambda: results(tmp_path))
        else:
            moment = reads_of(process) + random.Random(seed).randrange(most_reads)
            until(lambda: reads_of(process) >= moment)
        sudo("kill", "-KILL", str(helper_pid(sudo)))
        output, _ = process.communicate()
    assert process.returncode == 0, output
    assert "helper was restarted" in output or seed is not None, "it may be the last run"
    assert values(disk) == before
    (file,) = results(tmp_path)
    result = Store(file.parent).load(file.stem)
    assert {sample.setting.name for sample in result.samples if sample.valid} == {"none", "mq-deadline", "bfq"}
    assert [warning.id for warning in result.warnings].count("helper-began-again") == 1 or seed is not None


@pytest.fixture
def asked(sudo: Sudo) -> Iterator[Callable[[], None]]:
    """From now on this user would be asked for a password, until the test is over."""
    probe = Caller("")

    def is_asked() -> bool:
        try:
            return probe.call("Revert", []) is not None
        except Refusal:
            return True

    def forbid() -> None:
        sudo("mv", RULE, f"{RULE}.off")
        until(is_asked)

    yield forbid
    sudo("mv", f"{RULE}.off", RULE)
    until(lambda: not is_asked())
    probe.leave()


def test_where_somebody_would_be_asked_it_ends_with_the_reason_and_the_way_on(
    disk: LoopDisk, sudo: Sudo, tmp_path: Path, asked: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BRIEF_S", "90")  # it is ended by the helper's death, however long polkit takes for its rules
    before = values(disk)
    with begun(disk, *WHAT, *WHO, home=tmp_path) as process:
        until(lambda: any(load(file).samples for file in results(tmp_path)))
        asked()
        sudo("kill", "-KILL", str(helper_pid(sudo)))
        output, _ = process.communicate()
    assert process.returncode == 3, output
    assert "helper stopped" in output and values(disk) == before
    way_on = re.search(r"disktuner compare --continue (\S+)", output)
    (file,) = results(tmp_path)
    assert way_on and Store(file.parent).load(way_on[1]).samples


@pytest.mark.long
def test_a_comparison_whose_helper_hangs_can_be_cancelled(disk: LoopDisk, sudo: Sudo, tmp_path: Path) -> None:
    """Nobody waits long for it: leaving the bus makes it restore once it goes on."""
    before = values(disk)
    with begun(disk, *WHAT, *WHO, home=tmp_path) as process:
        pid = str(helper_pid(sudo))
        sudo("kill", "-STOP", pid)
        process.terminate()
        output, _ = process.communicate()
        sudo("kill", "-CONT", pid)
    assert process.returncode == 130 and text("cancelled") in output and text("helper-silent") in output, output
    until(lambda: values(disk) == before)
