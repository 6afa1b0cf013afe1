# SPDX-License-Identifier: GPL-3.0-or-later
"""Wires the helper together and runs it until it is no longer needed."""

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
    """Serve the system bus until idle or told to stop; return an exit code. Stops at once if another helper runs."""
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
    # End what the last helper left behind before anybody can interfere, and even without a bus.
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
    finally:  # told to stop (by GDBus too, if the bus closes), or failed
        answering.service.end(lambda _: True, "helper stopped")
        with suppress(GLib.Error):  # the bus may be gone
            bus.con.flush_sync(None)  # the last answers
    # Threads may still be waiting for a person or the kernel. Everything that must last is on disk.
    os._exit(1 if answering.service.trials.all else 0)


def came_meanwhile(bus: Gio.DBusConnection, answering: BusObject) -> bool:
    """Give the name back; return whether a call that came ahead of the bus's answer still needs this helper."""
    bus.call_sync(*BUS, "ReleaseName", GLib.Variant("(s)", (NAME,)), None, 0, -1, None)
    context = GLib.MainContext.default()
    while context.pending():
        context.iteration(False)
    return answering.needed


def tell_systemd(text: str) -> bool:
    """Send sd_notify(3) to systemd, if it listens: a helper that stops doing so counts as hung."""
    if place := os.environ.get("NOTIFY_SOCKET"):
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK) as line, suppress(OSError):
            line.sendto(text.encode(), place.replace("@", "\0", 1))
    return True
