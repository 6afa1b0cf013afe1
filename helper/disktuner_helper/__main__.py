# SPDX-License-Identifier: GPL-3.0-or-later
"""Wires the helper together and runs it until nobody needs it any more."""

import os
import signal
import socket
import sys
from contextlib import suppress
from pathlib import Path

from gi.repository import Gio, GLib
from pydbus import SystemBus

from disktuner_helper import errors, files
from disktuner_helper.authority import BUS
from disktuner_helper.bus_object import BusObject
from disktuner_helper.contract import NAME, USUAL, Limits


def main(limits: Limits = USUAL) -> int:
    """Serve the system bus; returns when idle or told to go, or at once where another helper is at work."""
    os.umask(0o022)
    root, loop = Path("/"), GLib.MainLoop()
    told_to_go: list[bool] = []

    def go() -> None:
        told_to_go.append(True)
        loop.quit()

    signal.signal(signal.SIGTERM, lambda *_: GLib.idle_add(go, priority=GLib.PRIORITY_HIGH))
    for folder in ("run/disktuner", "run/disktuner/hold"):
        (root / folder).mkdir(exist_ok=True)
    try:
        files.lock(root / "run/disktuner/lock", limits.leaving_s)
    except errors.WriteFailed as error:
        print(f"disktuner-helper: another one is at work on this computer; this one ends ({error}).", file=sys.stderr)
        return os.EX_TEMPFAIL  # systemd does not start it again
    answering = BusObject(root, limits)
    # What the last one left behind: before anybody can keep this one from it, and also where there is no bus.
    answering.service.end(lambda _: True, "helper died", begin_later=True)
    bus = SystemBus()
    answering.serve(bus.con)
    GLib.timeout_add_seconds(1, answering.tick, loop.quit)
    GLib.timeout_add_seconds(5, tell_systemd, "WATCHDOG=1")
    try:
        while not told_to_go:
            bus.request_name(NAME, allow_replacement=False)
            loop.run()
            if not told_to_go and not came_meanwhile(bus.con, answering):
                break
    finally:  # told to go (so does GDBus where the bus closes), or failed
        answering.service.end(lambda _: True, "helper stopped")
        with suppress(GLib.Error):  # the bus may be gone
            bus.con.flush_sync(None)  # the last answers
    # Threads may still wait for a person or the kernel. All that must last is on the disk.
    os._exit(1 if answering.service.trials.all else 0)


def came_meanwhile(bus: Gio.DBusConnection, answering: BusObject) -> bool:
    """Give the name back; whether a call came before that was done, and needs more than the answer it has got now.

    What is called from then on, the next helper is started for; what came before waits here, in front of the answer.
    """
    bus.call_sync(*BUS, "ReleaseName", GLib.Variant("(s)", (NAME,)), None, 0, -1, None)
    context = GLib.MainContext.default()
    while context.pending():
        context.iteration(False)
    return answering.needed


def tell_systemd(text: str) -> bool:
    """sd_notify(3), where systemd listens: as long as this is said, the helper is not taken for one that hangs."""
    if place := os.environ.get("NOTIFY_SOCKET"):
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK) as line, suppress(OSError):
            line.sendto(text.encode(), place.replace("@", "\0", 1))
    return True
