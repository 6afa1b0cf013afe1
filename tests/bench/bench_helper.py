# SPDX-License-Identifier: GPL-3.0-or-later
"""What the helper adds to what it cannot do without: the kernel's own switch and polkit's answer.

Interleaved on the same disk and bus: SetScheduler by a user who is allowed it; a bare CheckAuthorization and then the
bare write of the scheduler, both by root; each begins at a random moment on a machine that is awake. A switch waits
some 25 ms for all processors to take notice, and how long depends on what each of them has just done, by up to 12 ms
either way. So what is taken off is what the kernel took within that very call, as the helper's process tells (its own
code, with a clock around the write). What the helper adds is the median of the differences; neighbours are paired, so
that both sides switch there and back. The difference to the bare switch beside it is printed, too. Then 10,000 calls,
and how much memory they leave. Exits with 1 above the bounds.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from contextlib import suppress
from math import ceil
from pathlib import Path
from random import Random
from statistics import median, quantiles
from tempfile import TemporaryDirectory
from typing import Any

from tests.bus.conftest import Caller, Refusal, helper_pid
from tests.bus.test_hostile import resident_kb
from tests.waiting import until

ROUNDS, WARM_TURNS = 300, 20
PAUSE_S = 0.04  # some ticks
CALLS, WARM_UP = 10_000, 2_000
BOUND_MS, BOUND_KB = 3.0, 1024
BARE = r"""
import sys, time
from gi.repository import Gio, GLib
name, scheduler_file = sys.argv[1:]
bus = Gio.bus_get_sync(Gio.BusType.SYSTEM, None)
polkit = ("org.freedesktop.PolicyKit1", "/org/freedesktop/PolicyKit1/Authority", "org.freedesktop.PolicyKit1.Authority")
for scheduler in sys.stdin:
    began = time.perf_counter()
    subject = ("system-bus-name", {"name": GLib.Variant("s", name)})
    question = GLib.Variant("((sa{sv})sa{ss}us)", (subject, "org.disktuner.set-runtime", {}, 0, ""))
    bus.call_sync(*polkit, "CheckAuthorization", question, None, 0, -1, None)
    asked = time.perf_counter()
    with open(scheduler_file, "w") as file:
        file.write(scheduler.strip())
    print(time.perf_counter() - asked, asked - began, flush=True)
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


class Timed:
    """The helper, started by hand before the bus would, with a clock around what it writes to the kernel."""

    def __init__(self) -> None:
        command = ["sudo", "-n", "/usr/bin/python3", "-I", "-c", TIMED, str(Path(__file__).parents[2] / "helper")]
        quiet = subprocess.DEVNULL
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=quiet, text=True, bufsize=1)
        if not until(lambda: bool(helper_pid(sudo_of))):
            raise RuntimeError("The helper did not start.")

    def written(self) -> float:
        """Seconds of the write of the call that has just been answered."""
        assert self._process.stdout
        return float(self._process.stdout.readline())

    def end(self) -> None:
        sudo("kill", str(helper_pid(sudo_of)))
        self._process.communicate()


class Bare:
    """Root's own way: asks polkit once and writes a scheduler."""

    def __init__(self, caller: str, file: Path) -> None:
        command = ["sudo", "-n", "/usr/bin/python3", "-I", "-c", BARE, caller, str(file)]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)

    def turn(self, scheduler: str) -> tuple[float, float]:
        """Seconds of the write and of polkit's answer."""
        assert self._process.stdin and self._process.stdout
        self._process.stdin.write(scheduler + "\n")
        written, asked = self._process.stdout.readline().split()
        return float(written), float(asked)

    def end(self) -> None:
        self._process.communicate()


def sudo(*command: str) -> str:
    return subprocess.run(["sudo", "-n", *command], capture_output=True, text=True, check=True).stdout.strip()


def chat(caller: Caller, seconds: float) -> None:
    """Ask the helper for something harmless until the time is over."""
    end = time.monotonic() + seconds
    while True:
        caller.call("GetState")
        if time.monotonic() >= end:
            return


def round_trips(caller: Caller, helper: Timed, name: str) -> dict[str, list[float]]:
    """Milliseconds of all three, turn by turn."""
    folder = Path("/sys/block") / name
    diskseq = int((folder / "diskseq").read_text())
    bare, pause = Bare(caller.name, folder / "queue/scheduler"), Random(1)
    found: dict[str, list[float]] = {"switch": [], "polkit": [], "SetScheduler": [], "its switch": []}
    for turn in range(2 * ROUNDS):
        # Both switch there and back, in turns: bare to kyber, helper to none, helper to kyber, bare to none.
        for scheduler in ("kyber", "none"):
            chat(caller, pause.uniform(0, PAUSE_S))
            if (scheduler == "kyber") == (turn % 2 == 0):
                written, asked = bare.turn(scheduler)
            else:
                began = time.perf_counter()
                caller.call("SetScheduler", name, diskseq, scheduler)
                called, own = time.perf_counter() - began, helper.written()
        if turn >= WARM_TURNS:
            for what, seconds in zip(found, (written, asked, called, own), strict=True):
                found[what].append(seconds * 1000)
    bare.end()
    return found


def added(found: dict[str, list[float]], switch: str) -> tuple[float, float, float]:
    """Median of what the helper adds, and its interval of 95 % (of the order statistics, no normal distribution)."""
    turns = zip(*(found[what] for what in ("SetScheduler", switch, "polkit")), strict=True)
    more = [helper - switch - polkit for helper, switch, polkit in turns]
    pairs = sorted((one + other) / 2 for one, other in zip(more[::2], more[1::2], strict=True))
    half, reach = len(pairs) / 2, 0.98 * len(pairs) ** 0.5
    return median(pairs), pairs[int(half - reach)], pairs[min(len(pairs) - 1, ceil(half + reach))]


def growth_kb(caller: Caller) -> int:
    """How much the helper's memory grows over 10,000 calls after a warm-up."""
    pid = helper_pid(sudo_of)
    for turn in range(WARM_UP + CALLS):
        if turn == WARM_UP:
            before = resident_kb(pid)
        if turn % 2:
            caller.call("GetState")
        else:
            with suppress(Refusal):
                caller.call("EndTrial", "x")
    return resident_kb(pid) - before


def sudo_of(*command: Any, **_: Any) -> str:
    return sudo(*map(str, command))


def main() -> int:
    """Print the figures; whether they are within the bounds."""
    with TemporaryDirectory() as folder:
        image = Path(folder) / "disk.img"
        with image.open("wb") as file:
            file.truncate(64 << 20)
        device = sudo("losetup", "--find", "--show", str(image))
        helper, caller = Timed(), Caller("")
        try:
            found = round_trips(caller, helper, Path(device).name)
            began = time.monotonic()
            grown = growth_kb(caller)
            took = time.monotonic() - began
            caller.call("Revert", Path(device).name)
        finally:
            caller.leave()
            helper.end()
            sudo("losetup", "--detach", device)
    middle = {what: median(values) for what, values in found.items()}
    for what, values in found.items():
        print(f"{what:13} median {middle[what]:6.2f} ms   95 % below {quantiles(values, n=20)[-1]:6.2f} ms")
    beside, *ends = added(found, "switch")
    print(f"beside the bare switch: {beside:+.2f} ms (95 % interval {ends[0]:+.2f} to {ends[1]:+.2f})")
    more, low, high = added(found, "its switch")
    range_ = f"95 % interval {low:.2f} to {high:.2f}"
    print(f"the helper adds {more:.2f} ms ({range_}) to the kernel's switch and polkit's answer (bound: {BOUND_MS} ms)")
    print(f"{CALLS} calls at {took / (CALLS + WARM_UP) * 1000:.2f} ms leave {grown} KiB (bound: {BOUND_KB} KiB)")
    print(json.dumps({"adds_ms": round(more, 3), "interval_ms": [round(low, 3), round(high, 3)], "grown_kb": grown}))
    return int(more > BOUND_MS or grown > BOUND_KB)


if __name__ == "__main__":
    sys.exit(main())
