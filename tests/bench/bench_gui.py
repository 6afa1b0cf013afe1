# SPDX-License-Identifier: GPL-3.0-or-later
"""How soon the window shows its disks, and the memory it takes then, compared with other programs for disks, in turns
(Xvfb).

Pictures are read from the server's frame buffer, so that looking costs the programs nothing.
"""

from __future__ import annotations

import mmap
import os
import shutil
import statistics
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from tests.bench.disks import COMMAND

RUNS = int(os.environ.get("DISKTUNER_TIMES", "10"))
OTHERS = {"gnome-disks": "gnome-disk-utility", "tuned-gui": "tuned-gtk"}
"""Programs to compare with, and the distribution's package of each."""
SIZE = (1366, 768)
COMPLETE = 0.98
"""The share of the pixels that a program changes which must have their final value: a cursor may blink."""
LEAST = 0.004
"""A share of the screen: what changes less is a cursor or a small live graph; what paints less has no window."""
STILL_S, MOST_S, LOOK_S = 1.5, 20.0, 0.008

Look = Callable[[], np.ndarray]


@contextmanager
def screen() -> Iterator[Look]:
    """Start the server and a session bus for what is started meanwhile, and end them."""
    with TemporaryDirectory() as folder:
        readable, writable = os.pipe()
        argv = ["Xvfb", "-displayfd", str(writable), "-screen", "0", f"{SIZE[0]}x{SIZE[1]}x24", "-fbdir", folder]
        quiet = subprocess.DEVNULL
        server = subprocess.Popen([*argv, "-nolisten", "tcp"], pass_fds=(writable,), stdout=quiet, stderr=quiet)
        os.close(writable)
        bus_argv = ["dbus-daemon", "--session", "--nofork", "--print-address"]
        bus = subprocess.Popen(bus_argv, stdout=subprocess.PIPE, stderr=quiet, text=True)
        try:
            with os.fdopen(readable) as answers:
                os.environ["DISPLAY"] = f":{answers.readline().strip()}"
            os.environ["DBUS_SESSION_BUS_ADDRESS"] = bus.stdout.readline().strip()
            os.environ |= {"QT_QPA_PLATFORM": "xcb", "GDK_BACKEND": "x11", "NO_AT_BRIDGE": "1"}
            with (Path(folder) / "Xvfb_screen0").open("rb") as file:
                buffer = mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ)
            pixels = np.frombuffer(buffer, np.uint32)[-SIZE[0] * SIZE[1] :].reshape(SIZE[::-1])[::3, ::3]
            yield pixels.copy
        finally:
            for process in (bus, server):
                process.terminate()
                process.wait(10)


def painted(look: Look, argv: Sequence[str]) -> tuple[float, float]:
    """Start a program, wait until its picture is stable, and end it.

    Return the seconds until the picture was final, and the MB of its private memory then.
    """
    blank, began = look(), time.monotonic()
    frames = [(0.0, blank)]
    program = subprocess.Popen(argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        while (now := time.monotonic() - began) < MOST_S and (len(frames) < 2 or now - frames[-1][0] <= STILL_S):
            if ((seen := look()) != frames[-1][1]).mean() > LEAST:
                frames.append((now, seen))
            time.sleep(LOOK_S)
        own_mb = memory_mb(program.pid)
    finally:
        program.terminate()
        program.wait(10)
    while (look() != blank).mean() >= LEAST:  # the window goes
        time.sleep(LOOK_S)
    final = frames[-1][1]
    changed = final != blank
    if changed.mean() < LEAST:
        raise RuntimeError(f"{argv[0]} showed no window in {MOST_S:.0f} s")
    unlike = [number for number, (_, frame) in enumerate(frames) if (frame == final)[changed].mean() < COMPLETE]
    return frames[unlike[-1] + 1][0], own_mb


def memory_mb(pid: int) -> float:
    """Return the memory that a process shares with no file and no other process, in MB."""
    rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
    return int(rollup.partition("Private_Dirty:")[2].split()[0]) / 1000


def main() -> None:
    """Print medians of the time to the painted list of disks and of the memory, in turn with the others."""
    programs = {"disktuner": [COMMAND]}
    for name, package in OTHERS.items():
        if path := shutil.which(name):
            programs[name] = [path]
        else:
            print(f"not compared with {name}: this distribution has no package {package}, or it is not installed")
    path: dict[str, list[tuple[float, float]]] = {name: [] for name in programs}
    with screen() as look:
        for number in range(RUNS + 1):
            for name, argv in programs.items():
                start = painted(look, argv)
                if number:  # the first starts fill the page cache and start services
                    path[name].append(start)
    ours = statistics.median(seconds for seconds, _ in path["disktuner"])
    for name, figures in path.items():
        times, memory = zip(*figures, strict=True)
        median = statistics.median(times)
        span = f"median of {RUNS}, {min(times):.2f} to {max(times):.2f} s"
        print(f"{name}: painted after {median * 1000:.0f} ms ({span}); ours takes {ours / median:.2f} of that")
        print(f"{name}: {statistics.median(memory):.0f} MB of memory of its own")


if __name__ == "__main__":
    main()
