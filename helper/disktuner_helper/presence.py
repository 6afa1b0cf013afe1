# SPDX-License-Identifier: GPL-3.0-or-later
"""Who is still on the bus: callbacks for the moment when a caller's bus name goes."""

from __future__ import annotations

from collections.abc import Callable

from gi.repository import Gio, GLib

from disktuner_helper.trial import Stop

_BUS = "org.freedesktop.DBus"


class Presence:
    """Watches unique bus names.

    One subscription for all names, made at the start: no leaving can be missed between a call and the trial that
    it begins, and PyGObject loses some memory with every subscription.
    """

    def __init__(self, connection: Gio.DBusConnection) -> None:
        self._watched: dict[str, list[Callable[[], None]]] = {}
        flags = Gio.DBusSignalFlags.NONE
        where = (_BUS, _BUS, "NameOwnerChanged", "/org/freedesktop/DBus")
        connection.signal_subscribe(*where, None, flags, self._changed)

    def watch(self, sender: str, left: Callable[[], None]) -> Stop:
        """Call ``left`` once when the name goes; returns how to stop watching (harmless when done already)."""
        waiting = self._watched.setdefault(sender, [])
        waiting.append(left)

        def stop() -> None:
            if left in waiting:
                waiting.remove(left)
            if not waiting and self._watched.get(sender) is waiting:
                del self._watched[sender]

        return stop

    def _changed(
        self, _bus: Gio.DBusConnection, _from: str, _path: str, _interface: str, _signal: str, what: GLib.Variant
    ) -> None:
        name, _old, new = what.unpack()
        if new:
            return
        for left in self._watched.pop(name, []).copy():
            left()
