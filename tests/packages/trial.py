# SPDX-License-Identifier: GPL-3.0-or-later
"""Holds a trial open: ``trial.py DISK``; each line of input is a scheduler to set, an empty one ends it."""

import sys
from pathlib import Path

from gi.repository import Gio, GLib

BUS = Gio.bus_get_sync(Gio.BusType.SYSTEM)
NAME = "org.disktuner.Helper1"


def call(method, signature, *values):
    """Return the helper's answer."""
    variant = GLib.Variant(signature, values)
    return BUS.call_sync(NAME, "/org/disktuner/Helper1", NAME, method, variant, None, 0, -1).unpack()


disk = sys.argv[1]
diskseq = int(Path(f"/sys/block/{disk}/diskseq").read_text())
(trial,) = call("BeginTrial", "(a(st))", [(disk, diskseq)])
for line in sys.stdin:
    if line == "\n":
        break
    call("SetTrial", "(sssa{ss})", trial, disk, line.strip(), {})
    print(line, end="", flush=True)
call("EndTrial", "(s)", trial)
