# SPDX-License-Identifier: GPL-3.0-or-later
"""Many calls at once over several connections of one user, when told to; prints each one's error and time."""

from __future__ import annotations

import json
import sys
import time

import gi

gi.require_version("Gio", "2.0")
from gi.repository import Gio, GLib  # noqa: E402

NAME = "org.disktuner.Helper1"
FLAGS = Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION


def main() -> None:
    connections, each = map(int, sys.argv[1:])
    address = Gio.dbus_address_get_for_bus_sync(Gio.BusType.SYSTEM, None)
    loop, answers = GLib.MainLoop(), []

    def answered(bus: Gio.DBusConnection, result: Gio.AsyncResult) -> None:
        try:
            bus.call_finish(result)
            name = ""
        except GLib.Error as error:
            name = str(Gio.DBusError.get_remote_error(error)).rpartition(".")[2]
        answers.append((name, time.monotonic() - began))
        if len(answers) == connections * each:
            loop.quit()

    buses = [Gio.DBusConnection.new_for_address_sync(address, FLAGS, None, None) for _ in range(connections)]
    print("ready", flush=True)
    if not sys.stdin.readline():
        return
    began = time.monotonic()
    for bus in buses:
        for _ in range(each):
            bus.call(NAME, "/org/disktuner/Helper1", NAME, "RevertAll", None, None, 0, 60_000, None, answered)
    loop.run()
    print(json.dumps(answers))


if __name__ == "__main__":
    main()
