# SPDX-License-Identifier: GPL-3.0-or-later
"""Calls to the helper: one at a time for a terminal or a worker thread, or with callbacks for a main loop."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from gi.repository import Gio, GLib

from disktuner.errors import DisktunerError
from disktuner.helper_client.errors import HelperRefused, HelperUnreachable, from_glib
from disktuner.helper_client.state import State

NAME = "org.disktuner.Helper1"
_OBJECT = "/org/disktuner/Helper1"
# People type passwords slowly, so no time limit: a call ends by its answer, its cancellable, or the helper's end.
_NO_LIMIT = GLib.MAXINT
# How long putting back and reading may take.
_SOON_MS = 30_000
_SIGNATURES = {
    "SetScheduler": "(sts)",
    "SetTunables": "(sta{ss})",
    "Revert": "(s)",
    "RevertAll": "()",
    "BeginTrial": "(a(st))",
    "SetTrialScheduler": "(sss)",
    "EndTrial": "(s)",
    "Persist": "(stsa{ss})",
    "Forget": "(s)",
    "ForgetAll": "()",
    "GetState": "()",
}
Stop = Callable[[], None]


def system_bus() -> Gio.DBusConnection:
    """This process's connection to the system bus. Raises HelperUnreachable where there is none."""
    try:
        return Gio.bus_get_sync(Gio.BusType.SYSTEM, None)
    except GLib.Error as error:
        raise HelperUnreachable("There is no system bus on this machine; `./dev run` starts one.", "") from error


class Trial:
    """A running trial of the caller: switch its disks as often as you like, they get back what they had."""

    def __init__(self, client: HelperClient, id_: str) -> None:
        self._client = client
        self.id = id_

    def set_scheduler(self, disk: str, scheduler: str) -> None:
        """Switch a disk of the trial; nobody is asked again. Raises HelperRefused when the trial has ended."""
        self._client.call("SetTrialScheduler", self.id, disk, scheduler)


class HelperClient:
    """The helper on the system bus. All errors are of ``disktuner.errors``; a cancelled call raises Cancelled."""

    def __init__(
        self, connection: Gio.DBusConnection | None = None, cancellable: Gio.Cancellable | None = None
    ) -> None:
        """``cancellable`` ends a waiting call, its password prompt too. Raises HelperUnreachable."""
        self._connection = connection or system_bus()
        self._cancellable = cancellable

    def set_scheduler(self, disk: str, diskseq: int, scheduler: str) -> None:
        """Switch until the next restart; ``diskseq`` as in /sys (0 where the kernel has none)."""
        self.call("SetScheduler", disk, diskseq, scheduler)

    def set_tunables(self, disk: str, diskseq: int, tunables: Mapping[str, int | str]) -> None:
        """Set tunables until the next restart; all or none."""
        self.call("SetTunables", disk, diskseq, _texts(tunables))

    def revert(self, disk: str) -> None:
        """Back to what the disk had before Disktuner first touched it since boot."""
        self.call("Revert", disk)

    def revert_all(self) -> None:
        """The same for every disk."""
        self.call("RevertAll")

    def persist(self, disk: str, diskseq: int, scheduler: str, tunables: Mapping[str, int | str]) -> str:
        """Set now and at every start; returns the block that stands in the rule file."""
        return str(self.call("Persist", disk, diskseq, scheduler, _texts(tunables))[0])

    def forget(self, disk: str) -> None:
        """Remove the persistent choice; what the disk has now stays."""
        self.call("Forget", disk)

    def forget_all(self) -> None:
        """Remove all persistent choices."""
        self.call("ForgetAll")

    def state(self) -> State:
        """What is changed, measured and chosen; needs no rights."""
        return State.parse(self.call("GetState")[0])

    @contextmanager
    def trial(self, disks: Iterable[tuple[str, int]]) -> Iterator[Trial]:
        """A trial of disks (name, diskseq): on leaving everything is restored, after a cancel too."""
        trial = Trial(self, str(self.call("BeginTrial", list(disks))[0]))
        try:
            yield trial
        finally:
            self.end_trial(trial.id)

    def end_trial(self, id_: str) -> None:
        """End a trial; fine where it has ended. A helper that died restores as soon as this starts the next."""
        for _ in range(3):
            try:
                self._call_sync("EndTrial", (id_,), None, _SOON_MS)
            except HelperUnreachable:
                continue  # it died with this call: the next call starts one that restores
            except HelperRefused:
                return
            return
        self._call_sync("GetState", (), None, _SOON_MS)

    def call(self, method: str, *arguments: object) -> tuple[Any, ...]:
        """Call a method and wait for its answer, without a time limit."""
        return self._call_sync(method, arguments, self._cancellable, _NO_LIMIT)

    def call_async(
        self,
        method: str,
        *arguments: object,
        done: Callable[[tuple[Any, ...]], None],
        failed: Callable[[DisktunerError], None],
        cancellable: Gio.Cancellable | None = None,
    ) -> None:
        """Call a method from a thread with a main loop; one of the callbacks comes in that thread."""

        def finished(connection: Gio.DBusConnection, result: Gio.AsyncResult) -> None:
            try:
                answer = connection.call_finish(result).unpack()
            except GLib.Error as error:
                failed(from_glib(error))
            else:
                done(answer)

        self._connection.call(*self._target(method, arguments), _NO_LIMIT, cancellable, finished)

    def on_changed(self, heard: Callable[[str], None]) -> Stop:
        """Be told the disk whenever the helper changed one; returns how to stop."""
        return self._on("Changed", heard)

    def on_trial_ended(self, heard: Callable[[str, str], None]) -> Stop:
        """Be told trial and reason whenever a trial has ended; returns how to stop."""
        return self._on("TrialEnded", heard)

    def on_vanished(self, heard: Callable[[], None]) -> Stop:
        """Be told when the helper leaves the bus: idle, or dead and its trials with it; returns how to stop."""

        def changed(*what: Any) -> None:
            if not what[5].unpack()[2]:
                heard()

        bus = "org.freedesktop.DBus"
        return self._subscribe(bus, bus, "NameOwnerChanged", "/org/freedesktop/DBus", NAME, changed)

    def _on(self, signal: str, heard: Callable[..., None]) -> Stop:
        return self._subscribe(NAME, NAME, signal, _OBJECT, None, lambda *what: heard(*what[5].unpack()))

    def _subscribe(self, *what: Any) -> Stop:
        *match, heard = what
        number = self._connection.signal_subscribe(*match, Gio.DBusSignalFlags.NONE, heard)
        return lambda: self._connection.signal_unsubscribe(number)

    def _call_sync(
        self, method: str, arguments: tuple[object, ...], cancellable: Gio.Cancellable | None, limit_ms: int
    ) -> tuple[Any, ...]:
        try:
            answer = self._connection.call_sync(*self._target(method, arguments), limit_ms, cancellable)
        except GLib.Error as error:
            raise from_glib(error) from error
        return tuple(answer.unpack())

    def _target(self, method: str, arguments: tuple[object, ...]) -> tuple[Any, ...]:
        packed = GLib.Variant(_SIGNATURES[method], arguments)
        flags = Gio.DBusCallFlags.ALLOW_INTERACTIVE_AUTHORIZATION
        return (NAME, _OBJECT, NAME, method, packed, None, flags)


def _texts(tunables: Mapping[str, int | str]) -> dict[str, str]:
    return {name: str(value) for name, value in tunables.items()}
