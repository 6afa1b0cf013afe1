# SPDX-License-Identifier: GPL-3.0-or-later
"""When the helper goes, with a clock of the test's own."""

from __future__ import annotations

from collections.abc import Callable

from disktuner_helper.idle import Idle


class Time:
    """A clock with one timer, and the time at which the helper left (None: it is there)."""

    def __init__(self) -> None:
        self.now = 0.0
        self.timers: list[tuple[float, Callable[[], None]]] = []
        self.left: float | None = None
        self.occupied = False
        self.idle = Idle(self.after, lambda: self.occupied, self.leave, lambda: self.now)

    def after(self, seconds: int, job: Callable[[], None]) -> Callable[[], None]:
        self.timers.append((self.now + seconds, job))
        return lambda: None

    def leave(self) -> None:
        self.left = self.now

    def pass_until(self, end: float) -> None:
        while self.timers and self.timers[0][0] <= end:
            self.now, job = self.timers.pop(0)
            job()
            assert len(self.timers) <= 1
        self.now = end


def test_it_leaves_30_s_after_the_last_call() -> None:
    time = Time()
    for second in range(0, 100, 20):
        time.pass_until(second)
        with time.idle.busy():
            pass
    time.pass_until(109)
    assert time.left is None
    time.pass_until(112)
    assert time.left is not None


def test_it_stays_during_a_call_or_a_trial() -> None:
    time = Time()
    with time.idle.busy():
        time.pass_until(500)
    assert time.left is None
    time.occupied = True
    time.pass_until(1000)
    assert time.left is None
    time.occupied = False
    time.pass_until(1062)
    assert time.left is not None
