# SPDX-License-Identifier: GPL-3.0-or-later
"""A screen of its own (Xvfb) with a session bus, and how soon a program has painted its window on it."""

from __future__ import annotations

import mmap
import os
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

SIZE = (1366, 768)
COMPLETE = 0.98
"""The share of the pixels that a program changes which must have their final value: a cursor may blink."""
STIRS, LEAST = 0.004, 0.004
"""Shares of the screen: what changes less is a cursor or a small live graph; what paints less has no window."""

STILL_S, MOST_S, LOOK_S = 1.5, 20.0, 0.008


class Screen:
    """Reads the pictures from the server's frame buffer, so that looking costs the programs nothing."""

    def __init__(self, buffer: mmap.mmap, env: dict[str, str]) -> None:
        self._buffer, self.env = buffer, env

    def _look(self) -> np.ndarray:
        width, height = SIZE
        return np.frombuffer(self._buffer, np.uint32)[-width * height :].reshape(height, width)[::3, ::3].copy()

    def painted_s(self, argv: Sequence[str]) -> float:
        """Start a program, wait until its picture stays, end it; the seconds until that picture was there."""
        blank, began = self._look(), time.monotonic()
        program = subprocess.Popen(argv, env=self.env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            frames = self._frames(blank, began)
        finally:
            program.terminate()
            program.wait(10)
            self._wait_for(blank)
        return _complete_s(blank, frames)

    def _frames(self, blank: np.ndarray, began: float) -> list[tuple[float, np.ndarray]]:
        frames = [(0.0, blank)]
        while (now := time.monotonic() - began) < MOST_S:
            seen = self._look()
            if (seen != frames[-1][1]).mean() > STIRS:
                frames.append((now, seen))
            if len(frames) > 1 and now - frames[-1][0] > STILL_S:
                return frames
            time.sleep(LOOK_S)
        return frames

    def _wait_for(self, blank: np.ndarray) -> None:
        for _ in range(200):
            if (self._look() != blank).mean() < LEAST:
                return
            time.sleep(0.02)
        raise RuntimeError("a window stayed on the screen after its program had ended")


def _complete_s(blank: np.ndarray, frames: list[tuple[float, np.ndarray]]) -> float:
    """When the last picture was there for good."""
    final = frames[-1][1]
    changed = final != blank
    if changed.mean() < LEAST:
        raise RuntimeError(f"the program showed no window in {MOST_S:.0f} s")
    done = frames[-1][0]
    for at, frame in reversed(frames):
        if (frame == final)[changed].mean() < COMPLETE:
            return done
        done = at
    return done


@contextmanager
def screen() -> Iterator[Screen]:
    """Start the server and a session bus, and end them."""
    with TemporaryDirectory() as folder:
        read, write = os.pipe()
        argv = ["Xvfb", "-displayfd", str(write), "-screen", "0", f"{SIZE[0]}x{SIZE[1]}x24", "-fbdir", folder]
        quiet = subprocess.DEVNULL
        server = subprocess.Popen([*argv, "-nolisten", "tcp"], pass_fds=(write,), stdout=quiet, stderr=quiet)
        os.close(write)
        bus_argv = ["dbus-daemon", "--session", "--nofork", "--print-address"]
        bus = subprocess.Popen(bus_argv, stdout=subprocess.PIPE, stderr=quiet, text=True)
        try:
            with os.fdopen(read) as told:
                display = f":{told.readline().strip()}"
            assert bus.stdout is not None
            env = {**os.environ, "DISPLAY": display, "DBUS_SESSION_BUS_ADDRESS": bus.stdout.readline().strip()}
            env |= {"QT_QPA_PLATFORM": "xcb", "GDK_BACKEND": "x11", "NO_AT_BRIDGE": "1"}
            with (Path(folder) / "Xvfb_screen0").open("rb") as file:
                yield Screen(mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ), env)
        finally:
            for process in (bus, server):
                process.terminate()
                process.wait(10)
