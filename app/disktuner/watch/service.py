# SPDX-License-Identifier: GPL-3.0-or-later
"""The recorder as the window has it: a service of this user's systemd where that is on, else a thread of its own."""

from __future__ import annotations

from contextlib import suppress
from threading import Event, Thread
from time import monotonic, sleep

from disktuner.vocabulary.errors import MeasurementImpossible
from disktuner.watch import control, unit
from disktuner.watch.incidents import Incident, Incidents

_AGAIN_S, _SETTLE_S = 2.0, 5.0


class Service:
    """The recorder of this user: a service of systemd's where it is on, else a thread of this window.

    All but ``begin`` and ``end`` are called in threads.
    """

    def __init__(self) -> None:
        self._incidents = Incidents.of_user()
        self._running = control.Running(self._incidents)
        self._over = Event()

    def begin(self) -> None:
        """Record here, as soon as no other one records."""
        self.end()
        self._running, self._over = control.Running(self._incidents), Event()
        Thread(target=_record, args=(self._running, self._over), name="recorder", daemon=True).start()

    def end(self) -> None:
        """Do not record here any more; what is to be kept is still saved."""
        self._over.set()
        self._running.stop()

    def state(self) -> tuple[bool, bool]:
        """Whether one records, and whether it stays when this window is closed."""
        on = control.is_on()
        return on, on and not self._running.is_recording

    def switch(self, on: bool) -> None:
        """Let systemd run it, or this window. Raises ``MeasurementImpossible``."""
        if not unit.is_there():
            raise MeasurementImpossible("recorder-needs-systemd")
        self.end()
        try:
            if on:
                _settle(False)
            unit.switch(on)
            _settle(on)
        finally:
            self.begin()

    def keep_now(self) -> Incident:
        """Keep the last minutes. Raises ``MeasurementImpossible``."""
        return self._incidents.load(control.keep_now())

    def incidents(self) -> list[Incident]:
        """All that was kept, the newest first."""
        return self._incidents.all()

    def remove(self, id_: str) -> None:
        """Delete one."""
        self._incidents.remove(id_)


def _record(running: control.Running, over: Event) -> None:
    while not over.is_set():
        with suppress(MeasurementImpossible):  # another one records, or the kernel does not count
            running.run()
        over.wait(_AGAIN_S)


def _settle(on: bool) -> None:
    """Wait until one records, or none does; a few seconds at most."""
    end_s = monotonic() + _SETTLE_S
    while control.is_on() != on and monotonic() < end_s:
        sleep(0.05)
