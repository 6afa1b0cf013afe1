# SPDX-License-Identifier: GPL-3.0-or-later
"""What benches on disks share: commands as root, being told to stop, the command run as a user would, shares."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import cache
from pathlib import Path

from tests.conftest import LoopDisk
from tests.root_agent import RootAgent

COMMAND = str(Path(__file__).resolve().parents[2] / "packaging/bin/disktuner")
LATE = 1.2
"""By what factor the time may differ from what was announced."""
TIMEOUT_S = 1200
STOPS = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP}
ANNOUNCED = re.compile(r"takes\s+(\d+):(\d\d) as a rule and\s+(\d+):(\d\d) at most")
root = cache(RootAgent)


def stoppable() -> None:
    """From now on leave everything in order where we are told to stop; being told again changes nothing."""

    def stop(*_: object) -> None:
        for number in STOPS:
            signal.signal(number, signal.SIG_IGN)
        raise SystemExit(143)

    for number in STOPS:
        signal.signal(number, stop)


@contextmanager
def whole(making: AbstractContextManager[LoopDisk]) -> Iterator[LoopDisk]:
    """A disk that is made and taken away without being told to stop meanwhile: half of it would be left behind."""
    root()
    signal.pthread_sigmask(signal.SIG_BLOCK, STOPS)
    try:
        with making as disk:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, STOPS)
            try:
                yield disk
            finally:
                signal.pthread_sigmask(signal.SIG_BLOCK, STOPS)
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, STOPS)


def ended(*arguments: object) -> tuple[int, str, str]:
    """Run the command to its end; where we are told to stop, it is, and gives the disk back itself."""
    process = subprocess.Popen(
        [COMMAND, *map(str, arguments)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True, env={**os.environ, "TERM": "dumb", "LC_ALL": "C.UTF-8"},
    )  # fmt: skip
    try:
        text, said = process.communicate(timeout=TIMEOUT_S)
    except BaseException:
        process.terminate()
        process.communicate(timeout=60)
        raise
    return process.returncode, text, said


def announced(said: str) -> tuple[float, float]:
    """The least and the most time that was announced, in seconds; 0 where nothing was."""
    found = ANNOUNCED.search(said)
    least_m, least_s, most_m, most_s = (float(part or 0) for part in found.groups()) if found else (0.0,) * 4
    return 60 * least_m + least_s, 60 * most_m + most_s


def seeds(default: str) -> Sequence[int]:
    """Those that ``DISKTUNER_SEEDS`` names: 7, or 0-9."""
    first, _, last = os.environ.get("DISKTUNER_SEEDS", default).partition("-")
    return range(int(first), int(last or first) + 1)


def kept_file() -> Path | None:
    """Where ``DISKTUNER_KEPT`` says that what is found is kept, a line each; what is there is not done again."""
    named = os.environ.get("DISKTUNER_KEPT")
    return Path(named) if named else None


def say(text: str) -> None:
    """Print a line for whoever waits."""
    print(text, file=sys.stderr, flush=True)


def percent(part: Iterable[bool]) -> str:
    """A share with what it is of."""
    each = list(part)
    return f"{100 * sum(each) / len(each):.0f} % ({sum(each)} of {len(each)})" if each else "– (of 0)"
