# SPDX-License-Identifier: GPL-3.0-or-later
"""Schedulers and settings shown together can be told apart without colours."""

from __future__ import annotations

from disktuner.vocabulary.schedulers import kernel_schedulers, scheduler
from disktuner.vocabulary.settings import Setting, marks, parse_setting


def test_no_two_settings_of_a_scheduler_have_the_same_mark() -> None:
    names = ("bfq", *(f"bfq:slice_idle={number}" for number in range(7)), "mq-deadline:fifo_batch=1")
    settings = [parse_setting(name) for name in names]
    shapes = marks(settings)
    assert len({(mark.light, mark.shape) for mark in shapes.values()}) == len(names) == len(shapes)
    assert len(marks((*settings, parse_setting("bfq:slice_idle=99")))) == 10


def test_schedulers_keep_their_own_marks() -> None:
    settings = [Setting(name) for name in kernel_schedulers()]
    assert marks(settings) == {setting: scheduler(setting.scheduler).mark for setting in settings}
