# SPDX-License-Identifier: GPL-3.0-or-later
"""Wires the helper together and runs it until nobody needs it any more."""

import os
import signal
from pathlib import Path

from gi.repository import GLib
from pydbus import SystemBus

from disktuner_helper import files
from disktuner_helper.bus_object import BusObject
from disktuner_helper.contract import NAME


def main() -> int:
    """Serve the system bus; 0 when idle or told to go, 1 when another helper owns the name."""
    os.umask(0o022)
    root, bus, loop = Path("/"), SystemBus(), GLib.MainLoop()
    for folder in ("run/disktuner", "run/disktuner/hold", "var/lib/disktuner"):
        files.make_folder(root / folder)
    answering = BusObject(bus.con, root)
    answering.service.end_trials(lambda _: True, "helper died")  # what the last one left behind
    GLib.unix_signal_add(GLib.PRIORITY_HIGH, signal.SIGTERM, loop.quit)
    try:
        bus.request_name(NAME, allow_replacement=False)
    except RuntimeError:
        return 1
    GLib.timeout_add_seconds(1, answering.tick, loop.quit)
    loop.run()
    answering.service.end_trials(lambda _: True, "helper stopped")
    # Threads may still wait for a person or the kernel. All that must last is on the disk.
    os._exit(0)
