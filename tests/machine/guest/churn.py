# SPDX-License-Identifier: GPL-3.0-or-later
"""Inside the machine, makes one kind of change until the power is cut: ``churn.py persist|trial|revert DISK…``."""

from __future__ import annotations

import itertools
import sys
from pathlib import Path
from typing import Any

import gi

gi.require_version("Gio", "2.0")
from gi.repository import Gio, GLib  # noqa: E402

NAME, PATH = "org.disktuner.Helper1", "/org/disktuner/Helper1"
DONE = Path("/run/churned")
BUS = Gio.bus_get_sync(Gio.BusType.SYSTEM, None)


def call(method: str, types: str, *arguments: Any) -> Any:
    """Call the helper, as root, who is not asked for a password."""
    return BUS.call_sync(NAME, PATH, NAME, method, GLib.Variant(types, arguments), None, 0, 60_000, None).unpack()


def diskseq(disk: str) -> int:
    return int(Path(f"/sys/block/{disk}/diskseq").read_text())


def persist(disk: str, scheduler: str) -> None:
    call("Set", "(a(st)sa{ss}b)", [(disk, diskseq(disk))], scheduler, {"queue/nomerges": "1"}, True)


def trial(disk: str, scheduler: str) -> None:
    (begun,) = call("BeginTrial", "(a(st))", [(disk, diskseq(disk))])
    for scheduler_ in ("none", scheduler, "mq-deadline"):
        call("SetTrial", "(sssa{ss})", begun, disk, scheduler_, {})
    call("EndTrial", "(s)", begun)


def revert(disk: str, scheduler: str) -> None:
    call("Set", "(a(st)sa{ss}b)", [(disk, diskseq(disk))], scheduler, {}, False)
    call("Revert", "(a(st))", [(disk, diskseq(disk))])


def main() -> None:
    change = {"persist": persist, "trial": trial, "revert": revert}[sys.argv[1]]
    steps = zip(itertools.cycle(("kyber", "bfq", "none")), itertools.cycle(sys.argv[2:]), strict=False)
    for count, (scheduler, disk) in enumerate(steps, 1):
        change(disk, scheduler)
        DONE.write_text(str(count))


if __name__ == "__main__":
    main()
