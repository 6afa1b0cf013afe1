# SPDX-License-Identifier: GPL-3.0-or-later
"""The recorder for the window: a service of the user's systemd if that is on, else a thread of the window."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from threading import Event, Lock, Thread
from time import monotonic, sleep

from disktuner.vocabulary.errors import MeasurementImpossible
from disktuner_watch import control, unit
from disktuner_watch.incidents import Incident, Incidents

_AGAIN_S, _SETTLE_S = 2.0, 5.0


class Service:
    """The user's recorder. All methods but ``begin`` and ``end`` are called in threads."""

    def __init__(self) -> None:
        self._incidents = Incidents.of_user()
        self._running = control.Running(self._incidents)
        self._over = Event()
        self._threads: list[Thread] = []
        self._changing, self._is_wanted = Lock(), False

    def begin(self) -> None:
        """Record here as soon as no other recorder does."""
        with self._changing:
            self._is_wanted = True
            self._start()

    def end(self) -> None:
        """Stop recording here, saving what is unfinished."""
        with self._changing:
            self._is_wanted = False
            self._stop()

    def wait(self) -> None:
        """Return once all is saved. May wait for long."""
        for thread in self._threads:
            thread.join()

    def _start(self) -> None:
        self._stop()
        self._running, self._over = control.Running(self._incidents), Event()
        thread = Thread(target=_record, args=(self._running, self._over), name="recorder", daemon=True)
        self._threads = [*filter(Thread.is_alive, self._threads), thread]
        thread.start()

    def _stop(self) -> None:
        self._over.set()
        self._running.stop()

    def state(self) -> tuple[bool, bool]:
        """Whether a recorder runs, and whether it will outlive this window."""
        on = control.is_on()
        return on, on and not self._running.is_recording

    def switch(self, on: bool) -> None:
        """Let systemd run the recorder, or this window, unless that has ended meanwhile.

        Raises ``MeasurementImpossible``.
        """
        if not unit.is_there():
            raise MeasurementImpossible("recorder-needs-systemd")
        self._stop()
        try:
            if on:
                _settle(False)
            unit.switch(on)
            _settle(on)
        finally:
            with self._changing:
                if self._is_wanted:
                    self._start()

    def keep_now(self) -> Incident:
        """Save the last minutes. Raises ``MeasurementImpossible``."""
        return self._incidents.load(control.keep_now())

    def incidents(self) -> list[Incident]:
        """All saved incidents, the newest first."""
        return self._incidents.all()

    def silent(self) -> list[Path]:
        """The folders that could not be listed, since their disk did not answer."""
        return self._incidents.silent

    def remove(self, id_: str) -> None:
        """Delete an incident. Raises ``NotSaved`` if its disk does not answer."""
        self._incidents.remove(id_)


def _record(running: control.Running, over: Event) -> None:
    while not over.is_set():
        with suppress(MeasurementImpossible):  # another one records, or the kernel does not count
            running.run()
        over.wait(_AGAIN_S)


def _settle(on: bool) -> None:
    """Wait until a recorder runs, or none does; ``_SETTLE_S`` at most."""
    end_s = monotonic() + _SETTLE_S
    while control.is_on() != on and monotonic() < end_s:
        sleep(0.05)
