# SPDX-License-Identifier: GPL-3.0-or-later
"""What benches on disks share: commands as root, stopping, the command run as a user would, shares."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from tests.conftest import LoopDisk
from tests.root_agent import RootAgent

CHECKOUT = Path(__file__).resolve().parents[2]
PROGRAM = "packaging/bin/disktuner"
COMMAND = str(CHECKOUT / PROGRAM)
TIMEOUT_S = 1200
STOPS = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP}
root = cache(RootAgent)


def stoppable() -> None:
    """From now on leave everything in order when told to stop; being told again changes nothing."""

    def stop(*_: object) -> None:
        for number in STOPS:
            signal.signal(number, signal.SIG_IGN)
        raise SystemExit(143)

    for number in STOPS:
        signal.signal(number, stop)


@contextmanager
def whole(making: AbstractContextManager[LoopDisk]) -> Iterator[LoopDisk]:
    """Make and remove a disk without reacting to a stop meanwhile, which would leave half of it behind."""
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


@dataclass(frozen=True, slots=True)
class Compared:
    """The outcome of a comparison: the verdict and the result as printed and stored, and its seconds.

    If it failed or never ended, the decision is "failed" and ``why`` is its message.
    """

    verdict: dict[str, Any]
    result: dict[str, Any]
    took_s: float


def compared(
    target: Path, goal: str, seed: int, checkout: str = "", command: str = "compare", also: Sequence[str] = ()
) -> Compared:
    """Compare all schedulers of the disk below a folder on the quick budget, as a user of this checkout, or of another,
    or with another ``command``, or ``also`` with more options.
    """
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "result.json"
        options = ("--goal", goal, "--budget", "quick", "--seed", seed, "--out", out, "--json")
        began = time.monotonic()
        try:
            status, text, messages = ended(command, target, *options, *also, checkout=checkout)
        except subprocess.TimeoutExpired as error:
            status, text, messages = 1, "", str(error)
        took_s = time.monotonic() - began
        if status:
            return Compared({"decision": "failed", "winner": None, "why": messages.strip()[-500:]}, {}, took_s)
        return Compared(json.loads(text)["verdict"], json.loads(out.read_text()), took_s)


def ended(*arguments: object, checkout: str = "") -> tuple[int, str, str]:
    """Run the command to its end; if we are told to stop, so is it, and it restores the disk itself."""
    process = subprocess.Popen(
        [Path(checkout or CHECKOUT, PROGRAM), *map(str, arguments)],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "TERM": "dumb", "LC_ALL": "C.UTF-8"},
    )  # fmt: skip
    try:
        text, messages = process.communicate(timeout=TIMEOUT_S)
    except BaseException:
        process.terminate()
        process.communicate(timeout=60)
        raise
    return process.returncode, text, messages


def seeds(default: str) -> Sequence[int]:
    """Return the seeds in ``DISKTUNER_SEEDS``: 7, or 0-9."""
    first, _, last = os.environ.get("DISKTUNER_SEEDS", default).partition("-")
    return range(int(first), int(last or first) + 1)


def chosen(variable: str, every: Sequence[str]) -> Sequence[str]:
    """Return the words of an environment variable, separated by commas; all if it is not set."""
    return [name for name in os.environ.get(variable, ",".join(every)).split(",") if name]


def kept_file() -> Path | None:
    """Return the file in ``DISKTUNER_KEPT``, with a line per finding; what is in it is not done again."""
    named = os.environ.get("DISKTUNER_KEPT")
    return Path(named) if named else None


def lines_of(file: Path | None) -> list[Any]:
    """Return what was found before, by line."""
    return [json.loads(line) for line in file.read_text().splitlines()] if file and file.exists() else []


def keep(file: Path | None, finding: Any) -> None:
    """Add a line, if findings are kept; the file may belong to the user who started all this."""
    if file:
        root()("tee", "-a", file, stdin=json.dumps(finding) + "\n")


def of_each(
    kinds: Iterable[str], measure: Callable[[str, int], dict[str, Any]], line: Callable[[Any], str], default: str
) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Yield the findings of each kind of disks: those kept before, and those measured of the other seeds."""
    file, wanted = kept_file(), seeds(default)
    known = {(finding["kind"], finding["seed"]): finding for finding in lines_of(file)}
    for kind in kinds:
        for seed in wanted:
            if (kind, seed) not in known:
                known[kind, seed] = measure(kind, seed)
                say(line(known[kind, seed]))
                keep(file, known[kind, seed])
        yield kind, [known[kind, seed] for seed in wanted]


def say(text: str) -> None:
    """Print a line immediately."""
    print(text, file=sys.stderr, flush=True)


def percent(part: Iterable[bool]) -> str:
    """Return a share and its total."""
    options = list(part)
    return f"{100 * sum(options) / len(options):.0f} % ({sum(options)} of {len(options)})" if options else "– (of 0)"
