# SPDX-License-Identifier: GPL-3.0-or-later
"""The real helper on the system bus, reached when it is first needed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from disktuner.gui.helper import Done, Failed
from disktuner.vocabulary.errors import DisktunerError

if TYPE_CHECKING:
    from disktuner.helper_client.calls import HelperCalls
    from disktuner.helper_client.state import State

_Answer = TypeVar("_Answer")

# ruff: noqa: PLC0415 - GLib's libraries load in a thread after the first frame


class BusHelper:
    """Sends requests; where there is no bus every call fails with the sentence that says so.

    An answer that comes after ``close`` is dropped: whoever asked is gone.
    """

    def __init__(self) -> None:
        self._calls: HelperCalls | None = None
        self._heard: tuple[Callable[[str], None], Callable[[str, str], None]] | None = None
        self._stop: list[Callable[[], None]] = []
        self._closed = False

    def get_state(self, done: Callable[[State], None], failed: Failed) -> None:
        """What it remembers of every disk."""
        self._with(lambda calls: calls.state(self._while_open(done), self._while_open(failed)), failed)

    def set_scheduler(self, disk: str, diskseq: int, scheduler: str, done: Done, failed: Failed) -> None:
        """Until the next restart."""
        self._send("set_scheduler", (disk, diskseq, scheduler), done, failed)

    def set_tunables(self, disk: str, diskseq: int, tunables: Mapping[str, str], done: Done, failed: Failed) -> None:
        """Until the next restart."""
        self._send("set_tunables", (disk, diskseq, tunables), done, failed)

    def persist(  # noqa: PLR0917 - the call has four arguments, and two answers
        self, disk: str, diskseq: int, scheduler: str, tunables: Mapping[str, str], done: Done, failed: Failed
    ) -> None:
        """Now and after every restart."""
        self._send("persist", (disk, diskseq, scheduler, tunables), done, failed)

    def revert(self, disk: str, done: Done, failed: Failed) -> None:
        """To what it had before."""
        self._send("revert", (disk,), done, failed)

    def undo(self, disk: str, done: Done, failed: Failed) -> None:
        """Remove the rule for later starts and go to what it had before."""
        self._send("undo", (disk,), done, failed)

    def begin_try(
        self, disks: Sequence[tuple[str, int]], scheduler: str, begun: Callable[[str], None], failed: Failed
    ) -> None:
        """One trial of all: the helper ends it too when this program is gone or the trial's time is over."""

        def give_up(name: str, error: DisktunerError) -> None:
            self.end_try(name, lambda: failed(error), lambda _: failed(error))

        def set_next(name: str, left: Sequence[tuple[str, int]]) -> None:
            if not left:
                begun(name)
                return
            arguments = (name, left[0][0], scheduler)
            self._send("set_trial_scheduler", arguments, partial(set_next, name, left[1:]), partial(give_up, name))

        self._ask("begin_trial", (list(disks),), lambda answer: set_next(str(answer[0]), disks), failed)

    def end_try(self, name: str, done: Done, failed: Failed) -> None:
        """Restore; fine where the trial has ended already, because then the disk is restored too."""
        from disktuner.helper_client.errors import NoSuchTrial

        def not_ended(error: DisktunerError) -> None:
            (done if isinstance(error, NoSuchTrial) else partial(failed, error))()

        self._send("end_trial", (name,), done, not_ended)

    def subscribe(self, changed: Callable[[str], None], trial_ended: Callable[[str, str], None]) -> None:
        """Call these once the bus is reached."""
        self._heard = (changed, trial_ended)

    def close(self) -> None:
        """End all subscriptions."""
        for stop in self._stop:
            with suppress(DisktunerError):
                stop()
        self._stop.clear()
        self._calls = None
        self._closed = True

    def _send(self, name: str, arguments: tuple[object, ...], done: Done, failed: Failed) -> None:
        self._ask(name, arguments, lambda _answer: done(), failed)

    def _ask(
        self, name: str, arguments: tuple[object, ...], heard: Callable[[tuple[object, ...]], None], failed: Failed
    ) -> None:
        from disktuner.helper_client import requests

        request = getattr(requests, name)(*arguments)
        answered = self._while_open(heard)
        self._with(lambda calls: calls.call(request, answered, self._while_open(failed)), failed)

    def _while_open(self, heard: Callable[[_Answer], None]) -> Callable[[_Answer], None]:
        def answered(answer: _Answer) -> None:
            if not self._closed:
                heard(answer)

        return answered

    def _with(self, use: Callable[[HelperCalls], None], failed: Failed) -> None:
        try:
            calls = self._calls or self._open()
        except DisktunerError as error:
            failed(error)
        else:
            use(calls)

    def _open(self) -> HelperCalls:
        from disktuner.helper_client.calls import HelperCalls
        from disktuner.helper_client.connection import connect

        calls = self._calls = HelperCalls(connect())
        if self._heard is not None:
            changed, trial_ended = self._heard
            self._stop = [calls.on_changed(changed), calls.on_trial_ended(trial_ended)]
        return calls
