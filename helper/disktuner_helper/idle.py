# SPDX-License-Identifier: GPL-3.0-or-later
"""The helper goes when nobody has needed it for a while, never in the middle of something."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from disktuner_helper.contract import IDLE_LIMIT_S
from disktuner_helper.trial import After, Stop


class Idle:
    """Calls ``leave`` after 30 s without a call, unless ``occupied`` says that something goes on."""

    def __init__(self, after: After, occupied: Callable[[], bool], leave: Callable[[], None]) -> None:
        self._after = after
        self._occupied = occupied
        self._leave = leave
        self._calls = 0
        self._stop: Stop = after(IDLE_LIMIT_S, self._check)

    @contextmanager
    def busy(self) -> Iterator[None]:
        """Somebody is being served."""
        self._calls += 1
        try:
            yield
        finally:
            self._calls -= 1
            self._stop()
            self._stop = self._after(IDLE_LIMIT_S, self._check)

    def _check(self) -> None:
        if self._calls or self._occupied():
            self._stop = self._after(IDLE_LIMIT_S, self._check)
        else:
            self._leave()
