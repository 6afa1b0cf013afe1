# SPDX-License-Identifier: GPL-3.0-or-later
"""What the helper adds to what it cannot do without: the kernel's own switch and polkit's answer.

Interleaved on the same disk and bus: Set by a user who is allowed it, and a bare CheckAuthorization by root;
each begins at a random moment on a machine that is awake. A switch waits some 25 ms for all processors to take notice,
and how long depends on what each of them has just done. So what is taken off is what the kernel took within that very
call, as the helper's process tells (its own code, with a clock around the write). What the helper adds is the median of
the differences; neighbours are paired, so that both switch there and back. Exits with 1 above the bound.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from math import ceil
from pathlib import Path
from random import Random
from statistics import median, quantiles
from tempfile import TemporaryDirectory

from tests.bench.disks import root
from tests.bus.conftest import Caller, helper_pid
from tests.waiting import until

ROUNDS, WARM_TURNS = int(os.environ.get("DISKTUNER_TIMES", "300")), 20
PAUSE_S = 0.04  # some ticks
BOUND_MS = 3.0
BARE = r"""
import sys, time
from gi.repository import Gio, GLib
name, = sys.argv[1:]
bus = Gio.bus_get_sync(Gio.BusType.SYSTEM, None)
polkit = ("org.freedesktop.PolicyKit1", "/org/freedesktop/PolicyKit1/Authority", "org.freedesktop.PolicyKit1.Authority")
for _ in sys.stdin:
    began = time.perf_counter()
    subject = ("system-bus-name", {"name": GLib.Variant("s", name)})
    question = GLib.Variant("((sa{sv})sa{ss}us)", (subject, "org.disktuner.set-runtime", {}, 0, ""))
    bus.call_sync(*polkit, "CheckAuthorization", question, None, 0, -1, None)
    print(time.perf_counter() - began, flush=True)
"""
TIMED = r"""
import sys, time
sys.path.insert(0, sys.argv[1])
from disktuner_helper.__main__ import main
from disktuner_helper.queue import Queue
write = Queue._write
def timed(*given):
    began = time.perf_counter()
    write(*given)
    print(time.perf_counter() - began, flush=True)
Queue._write = timed
sys.exit(main())
"""


class Told:
    """A Python program of root's that tells of each turn how many seconds it took."""

    def __init__(self, program: str, argument: str) -> None:
        command = ["sudo", "-n", "/usr/bin/python3", "-I", "-c", program, argument]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
        self.process = subprocess.Popen(command, text=True, bufsize=1, **pipes)  # type: ignore[call-overload]

    def seconds(self, ask: str = "") -> float:
        """What its last turn took, which a line may ask for."""
        self.process.stdin.write(ask)
        return float(self.process.stdout.readline())


def chat(caller: Caller, seconds: float) -> None:
    """Ask the helper for something harmless until the time is over."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        caller.call("GetState")


def round_trips(caller: Caller, helper: Told, name: str) -> dict[str, list[float]]:
    """Milliseconds of all three, turn by turn; schedulers are switched there and back."""
    diskseq = int((Path("/sys/block") / name / "diskseq").read_text())
    bare, pause = Told(BARE, caller.name), Random(1)
    found: dict[str, list[float]] = {"polkit": [], "Set": [], "its switch": []}
    for turn in range(2 * ROUNDS):
        chat(caller, pause.uniform(0, PAUSE_S))
        asked = bare.seconds("\n")
        chat(caller, pause.uniform(0, PAUSE_S))
        began = time.perf_counter()
        caller.call("Set", name, diskseq, ("kyber", "none")[turn % 2])
        called = time.perf_counter() - began
        for what, seconds in zip(found, (asked, called, helper.seconds()), strict=True):
            if turn >= WARM_TURNS:
                found[what].append(seconds * 1000)
    bare.process.communicate()
    return found


def added(found: dict[str, list[float]]) -> tuple[float, float, float]:
    """Median of what the helper adds, and its interval of 95 % (of the order statistics, no normal distribution)."""
    turns = zip(*(found[what] for what in ("Set", "its switch", "polkit")), strict=True)
    more = [helper - switch - polkit for helper, switch, polkit in turns]
    pairs = sorted((one + other) / 2 for one, other in zip(more[::2], more[1::2], strict=True))
    half, reach = len(pairs) / 2, 0.98 * len(pairs) ** 0.5
    return median(pairs), pairs[int(half - reach)], pairs[min(len(pairs) - 1, ceil(half + reach))]


def main() -> int:
    """Print the figures; whether they are within the bound."""
    with TemporaryDirectory() as folder:
        image = Path(folder) / "disk.img"
        image.touch()
        os.truncate(image, 64 << 20)
        device = root().attach(image)
        # Started by hand before the bus would, with a clock around what it writes to the kernel.
        helper = Told(TIMED, str(Path(__file__).parents[2] / "helper"))
        until(lambda: helper_pid(root()))
        caller = Caller("")
        try:
            found = round_trips(caller, helper, Path(device).name)
            caller.call("Revert", [])
        finally:
            caller.leave()
            root()("kill", str(helper_pid(root())))
            helper.process.communicate()
            root().detach(device)
    for what, values in found.items():
        print(f"{what:13} median {median(values):6.2f} ms   95 % below {quantiles(values, n=20)[-1]:6.2f} ms")
    more, low, high = added(found)
    range_ = f"95 % interval {low:.2f} to {high:.2f}"
    print(f"the helper adds {more:.2f} ms ({range_}) to the kernel's switch and polkit's answer (bound: {BOUND_MS} ms)")
    return int(more > BOUND_MS)


if __name__ == "__main__":
    sys.exit(main())
