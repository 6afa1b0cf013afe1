# SPDX-License-Identifier: GPL-3.0-or-later
"""The helper goes when nobody has needed it for a while, never in the middle of something."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from disktuner_helper.contract import IDLE_LIMIT_S
from disktuner_helper.trial import After


class Idle:
    """Calls ``leave`` after 30 s without a call, unless ``occupied`` says that something goes on."""

    def __init__(
        self,
        after: After,
        occupied: Callable[[], bool],
        leave: Callable[[], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._after = after
        self._occupied = occupied
        self._leave = leave
        self._clock = clock
        self._calls = 0
        self._last = clock()
        after(IDLE_LIMIT_S, self._check)

    @contextmanager
    def busy(self) -> Iterator[None]:
        """Somebody is being served."""
        self._calls += 1
        try:
            yield
        finally:
            self._calls -= 1
            self._last = self._clock()

    def _check(self) -> None:
        """One timer at a time: PyGObject loses some memory with every timer, so none is made per call."""
        if self._calls or self._occupied():
            self._last = self._clock()
        rest = IDLE_LIMIT_S - int(self._clock() - self._last)
        if rest > 0:
            self._after(rest, self._check)
        else:
            self._leave()
