# SPDX-License-Identifier: GPL-3.0-or-later
"""Wires the helper together and runs it until nobody needs it any more."""

import os
import signal
import socket
import sys
from contextlib import suppress
from pathlib import Path

from gi.repository import GLib
from pydbus import SystemBus

from disktuner_helper import errors, files
from disktuner_helper.bus_object import BusObject
from disktuner_helper.contract import NAME, USUAL, Limits


def main(limits: Limits = USUAL) -> int:
    """Serve the system bus; returns when idle or told to go, or at once where another helper is at work."""
    os.umask(0o022)
    root, bus, loop = Path("/"), SystemBus(), GLib.MainLoop()
    for folder in ("run/disktuner", "run/disktuner/hold"):
        (root / folder).mkdir(exist_ok=True)
    try:
        files.lock(root / "run/disktuner/lock")
    except errors.WriteFailed as error:
        print(f"disktuner-helper: another one is at work on this computer; this one ends ({error}).", file=sys.stderr)
        return 1
    answering = BusObject(bus.con, root, limits)
    answering.service.end_trials(lambda _: True, "helper died")  # what the last one left behind
    GLib.unix_signal_add(GLib.PRIORITY_HIGH, signal.SIGTERM, loop.quit)
    bus.request_name(NAME, allow_replacement=False)
    GLib.timeout_add_seconds(1, answering.tick, loop.quit)
    GLib.timeout_add_seconds(5, tell_systemd, "WATCHDOG=1")
    loop.run()
    answering.service.end_trials(lambda _: True, "helper stopped")
    # Threads may still wait for a person or the kernel. All that must last is on the disk.
    os._exit(0)


def tell_systemd(text: str) -> bool:
    """sd_notify(3), where systemd listens: as long as this is said, the helper is not taken for one that hangs."""
    if place := os.environ.get("NOTIFY_SOCKET"):
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK) as line, suppress(OSError):
            line.sendto(text.encode(), place.replace("@", "\0", 1))
    return True
