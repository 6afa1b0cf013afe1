# SPDX-License-Identifier: GPL-3.0-or-later
"""Schedulers and settings that are shown together can be told apart without colours."""

from __future__ import annotations

from disktuner.vocabulary.schedulers import kernel_schedulers, marks, scheduler


def test_no_two_settings_of_a_scheduler_have_the_same_mark() -> None:
    names = ("bfq", *(f"bfq:slice_idle={each}" for each in range(7)), "mq-deadline:fifo_batch=1")
    found = marks(names)
    assert len({(mark.light, mark.shape) for mark in found.values()}) == len(names) == len(found)
    assert len(marks((*names, "bfq:slice_idle=99"))) == 10


def test_schedulers_keep_their_own_marks() -> None:
    names = kernel_schedulers()
    assert marks(names) == {name: scheduler(name).mark for name in names}
