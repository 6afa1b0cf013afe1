# SPDX-License-Identifier: GPL-3.0-or-later
"""Tunes a disk in two stages: first its schedulers are compared, then settings with the winner."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace

from disktuner.block.disk import Disk
from disktuner.comparison.comparison import Comparison, Listener, copied
from disktuner.comparison.request import Announcement, Environment, JudgedResult, Request
from disktuner.comparison.tasks import plain_winner, settings_left
from disktuner.experiment.run import SchedulerSwitch
from disktuner.results.store import try_place


@dataclass(frozen=True, slots=True)
class Tuned:
    """The results of both stages; ``plain`` is None if the winner was known, or the first stage left nothing to try."""

    plain: JudgedResult | None
    judged: JudgedResult


class Tuning:
    """Finds the plain winner, unless the request names a result, and tunes it.

    ``run`` blocks: call it in a worker thread. ``cancel`` may be called from any thread or signal handler.
    """

    def __init__(self, request: Request, environment: Environment) -> None:
        self._request = request
        self._environment = environment
        self._now: Comparison | None = None
        self._cancelled = False

    def cancel(self) -> None:
        """End it now; a stored result of the first stage stays."""
        self._cancelled = True
        if self._now:
            self._now.cancel()

    def run(self, listener: Listener, announced: Callable[[Announcement], None]) -> Tuned:
        """Measure and judge both stages; ``announced`` is called before each.

        Asks once for the right to switch schedulers. Raises like ``Comparison.run``.
        """
        with in_one_trial(self._environment) as environment:

            def stage(request: Request) -> JudgedResult:
                with Comparison(request, environment) as comparison:
                    self._now = comparison
                    if self._cancelled:  # between the stages
                        comparison.cancel()
                    announced(comparison.announce(listener))
                    return comparison.run(listener)

            if self._request.after:
                return Tuned(None, stage(self._request))
            if self._request.out:
                try_place(self._request.out)
            plain = stage(replace(self._request, out=None))
            left = settings_left(self._request.goal, plain.result, plain.disks, plain_winner(plain.verdict))
            if not left or plain.path is None:  # a result that was not kept cannot be tuned
                return Tuned(None, copied(plain, self._request.out))
            return Tuned(plain, stage(replace(self._request, after=plain.path)))


@contextmanager
def in_one_trial(environment: Environment) -> Iterator[Environment]:
    """Yield an environment whose only trial, with one prompt, lasts for all measurements of the same disks.

    Between measurements, each disk has its original scheduler.
    """
    with ExitStack() as stack:
        held: list[SchedulerSwitch] = []

        @contextmanager
        def trials(disks: Sequence[Disk]) -> Iterator[SchedulerSwitch]:
            if not held:
                held.append(stack.enter_context(environment.trials(disks)))
            yield held[0]
            held[0].restore()

        yield replace(environment, trials=trials, require_free=lambda disks: held or environment.require_free(disks))
