# SPDX-License-Identifier: GPL-3.0-or-later
"""What a person may do in each state, without a window."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace

import pytest

from disktuner.block.disk import Disk, Transport
from disktuner.gui.state import Act, Leaving, Opened, Over, State, Trial, may
from disktuner.vocabulary import kinds
from disktuner.vocabulary.messages import message
from disktuner.vocabulary.settings import Setting


def disk(name: str) -> Disk:
    return Disk(name, "8:0", 7, "Disk", "", "S", "", 10**12, kinds.HDD, Transport.SATA, True, True, False, "none",
                "none", ("none", "bfq"), (), True, None)  # fmt: skip


SDA, SDB = disk("sda"), disk("sdb")
PORTLESS = replace(SDA, why_not_kept=message("refused-no-identity", disk="sda"))
MISSING = message("helper-not-installed")
QUIET = State(disks=(SDA, SDB))
TRIAL = replace(QUIET, trial=Trial("t1", (SDA,), Setting("bfq"), "none", 600.0))
MEASURED = replace(QUIET, measured_disks=(SDA,))
CALLING, HELPLESS = replace(QUIET, calling=True), replace(QUIET, no_helper=MISSING)
OF_DISKS = (Act.MEASURE, Act.CHANGE, Act.KEEP, Act.GO_BACK, Act.TRY)
OF_TRIAL = (Act.KEEP_TRIAL, Act.KEEP_TRIAL_PERMANENTLY, Act.UNDO_TRIAL)


@pytest.mark.parametrize(
    ("state", "acts", "disks", "reason"),
    [
        (QUIET, OF_DISKS, (SDA,), None),
        (QUIET, (Act.RECORD,), (), None),
        (HELPLESS, OF_DISKS, (SDA,), "helper-missing"),
        (HELPLESS, (Act.RECORD,), (), None),
        (CALLING, OF_DISKS, (SDA,), "waiting-for-helper"),
        (CALLING, (Act.RECORD,), (), None),
        (TRIAL, OF_DISKS, (SDA,), "trial-under-way"),
        (TRIAL, OF_DISKS[:-1], (SDB,), None),
        (TRIAL, OF_DISKS, (SDB, SDA), "trial-under-way"),
        (TRIAL, (Act.TRY,), (SDB,), "trial-under-way"),
        (TRIAL, (*OF_TRIAL, Act.RECORD), (), None),
        (replace(TRIAL, calling=True), OF_TRIAL, (), "waiting-for-helper"),
        (replace(TRIAL, no_helper=MISSING), OF_TRIAL, (), None),
        (MEASURED, OF_DISKS, (SDA,), "refused-disk-in-trial"),
        (MEASURED, OF_DISKS[1:], (SDB,), None),
        (MEASURED, (Act.MEASURE,), (SDB,), "refused-disk-in-trial"),
        (MEASURED, (Act.RECORD,), (), "not-recorded-now"),
        (replace(TRIAL, measured_disks=(SDB,)), OF_TRIAL, (), None),
        (QUIET, (Act.KEEP,), (PORTLESS,), "refused-no-identity"),
        (QUIET, (Act.TRY, Act.CHANGE), (PORTLESS,), None),
    ],
)
def test_what_may_be_done_or_why_not(
    state: State, acts: tuple[Act, ...], disks: tuple[Disk, ...], reason: str | None
) -> None:
    for act in acts:
        leave = may(state, act, disks)
        assert (leave.why_not.id if leave.why_not else None, bool(leave)) == (reason, reason is None), act
        assert bool(leave.reason) is not bool(leave)


def test_a_disk_that_no_rule_could_know_is_tried_but_not_kept_permanently() -> None:
    state = replace(TRIAL, trial=replace(TRIAL.trial, disks=(PORTLESS,)) if TRIAL.trial else None)
    permanently = may(state, Act.KEEP_TRIAL_PERMANENTLY)
    assert may(state, Act.KEEP_TRIAL) and permanently.why_not == PORTLESS.why_not_kept


TABLE = {page: Opened(page, None) for page in (Over.CHECK, Over.PLAN, Over.MEASUREMENT, Over.RESULT)}


@pytest.mark.parametrize(
    ("over", "step", "page", "shown"),
    [
        ((), State.opening, Over.RESULT, (Over.RESULT,)),
        ((Over.RESULT, Over.PLAN), State.opening, Over.CHECK, (Over.CHECK,)),
        ((Over.CHECK,), State.adding, Over.PLAN, (Over.CHECK, Over.PLAN)),
        ((Over.CHECK, Over.PLAN), State.adding, Over.PLAN, (Over.CHECK, Over.PLAN)),
        ((Over.CHECK, Over.PLAN), State.adding, Over.MEASUREMENT, (Over.CHECK, Over.PLAN, Over.MEASUREMENT)),
        ((Over.RESULT, Over.PLAN), State.adding, Over.MEASUREMENT, (Over.PLAN, Over.MEASUREMENT)),
        ((Over.MEASUREMENT, Over.PLAN), State.adding, Over.MEASUREMENT, (Over.PLAN, Over.MEASUREMENT)),
        ((Over.CHECK, Over.PLAN, Over.MEASUREMENT), State.closing, Over.PLAN, (Over.CHECK, Over.MEASUREMENT)),
        ((Over.CHECK, Over.PLAN, Over.MEASUREMENT), State.closing, Over.MEASUREMENT, (Over.CHECK, Over.PLAN)),
        ((Over.RESULT,), State.closing, Over.CHECK, (Over.RESULT,)),
    ],
)
def test_what_lies_over_what(
    over: tuple[str, ...], step: Callable[[State, Opened], State], page: str, shown: tuple[str, ...]
) -> None:
    before = replace(QUIET, opened_pages=tuple(TABLE[page] for page in over))
    assert tuple(page.id for page in step(before, TABLE[page]).opened_pages) == shown


def test_what_is_opened_while_something_is_measured_is_seen_after_that() -> None:
    measuring = MEASURED.adding(TABLE[Over.PLAN]).adding(TABLE[Over.MEASUREMENT])
    waits = measuring.opening(TABLE[Over.CHECK]).opening(TABLE[Over.RESULT])
    assert waits.opened_pages == measuring.opened_pages and waits.closing(TABLE[Over.CHECK]) == waits
    after = waits.closing(TABLE[Over.MEASUREMENT])
    assert after.opened_pages == (TABLE[Over.RESULT],) and after.waiting_page is None
    assert replace(waits, measured_disks=()).opening(TABLE[Over.CHECK]).waiting_page is None


@pytest.mark.parametrize(
    ("state", "leaving"),
    [(QUIET, set()), (CALLING, set()), (TRIAL, {Leaving.WINDOW}), (MEASURED, {Leaving.PAGE, Leaving.WINDOW})],
)
def test_what_is_asked_about_before_it_is_left(state: State, leaving: set[Leaving]) -> None:
    assert set(filter(state.is_ended_by, Leaving)) == leaving


def test_no_window_is_needed_to_know_it() -> None:
    code = "import sys; import disktuner.gui.state; sys.exit('PySide6' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
