# SPDX-License-Identifier: GPL-3.0-or-later
"""Schedulers and settings that are shown together can be told apart without colours."""

from __future__ import annotations

from disktuner.vocabulary.schedulers import kernel_schedulers, scheduler
from disktuner.vocabulary.settings import Setting, marks, parse_setting


def test_no_two_settings_of_a_scheduler_have_the_same_mark() -> None:
    names = ("bfq", *(f"bfq:slice_idle={each}" for each in range(7)), "mq-deadline:fifo_batch=1")
    settings = [parse_setting(each) for each in names]
    found = marks(settings)
    assert len({(mark.light, mark.shape) for mark in found.values()}) == len(names) == len(found)
    assert len(marks((*settings, parse_setting("bfq:slice_idle=99")))) == 10


def test_schedulers_keep_their_own_marks() -> None:
    settings = [Setting(each) for each in kernel_schedulers()]
    assert marks(settings) == {each: scheduler(each.scheduler).mark for each in settings}
