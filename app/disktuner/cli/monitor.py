# SPDX-License-Identifier: GPL-3.0-or-later
"""``disktuner monitor``: what disks do right now, in the figures of ``iostat -x``."""

from __future__ import annotations

import argparse
import json
import sys
import threading
from collections.abc import Callable, Sequence
from dataclasses import asdict

from disktuner.block.counters import Counters, Figures
from disktuner.block.system import System
from disktuner.cli.progress import run_cancellable
from disktuner.cli.terminal import CLEAR_SCREEN, control
from disktuner.experiment.conditions import Surroundings
from disktuner.experiment.sampler import cpu_per_gib
from disktuner.vocabulary.errors import NoSuchThing

HEADINGS = (
    "disk", "read MB/s", "write MB/s", "reads/s", "writes/s", "r_await ms", "w_await ms", "rrqm/s", "wrqm/s",
    "aqu-sz", "util %", "CPU s/GiB",
)  # fmt: skip


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Describe the command."""
    parser = subparsers.add_parser("monitor", help="what disks do right now, in the figures of iostat -x")
    parser.add_argument("disks", metavar="DISK", nargs="*", help="only these (default: all)")
    parser.add_argument("--interval", type=float, default=1.0, metavar="SECONDS", help="default: 1")
    parser.add_argument("--count", type=int, metavar="N", help="stop after N intervals (default: on Ctrl+C)")
    parser.add_argument("--json", action="store_true", help="print one JSON document per interval")


def run(args: argparse.Namespace) -> int:
    """Print the figures of each interval until told to stop; Ctrl+C is the usual end and no error."""
    system, stop = System(), threading.Event()
    names = [system.disk(name).name for name in args.disks] or [disk.name for disk in system.disks()]
    if not names:
        raise NoSuchThing("There is no disk here that could be watched.")
    show = _show_json if args.json else _show_table
    interval_s = max(0.1, args.interval)
    run_cancellable(lambda: _watch(system, names, interval_s, args.count, stop, show), stop.set)
    return 0


def _watch(  # noqa: PLR0917 - the settings of one command
    system: System,
    names: Sequence[str],
    interval_s: float,
    count: int | None,
    stop: threading.Event,
    show: Callable[[dict[str, Figures], float], None],
) -> None:
    surroundings = Surroundings()
    last, busy_s = _read(system, names), surroundings.busy_s()
    done = 0
    while (count is None or done < count) and not stop.wait(interval_s):
        now = _read(system, names)
        if not now:
            raise NoSuchThing(f"{', '.join(names)} vanished. `disktuner list` shows the disks there are.")
        busy_before_s, busy_s = busy_s, surroundings.busy_s()
        figures = {name: reading.since(last[name]) for name, reading in now.items() if name in last}
        show(figures, busy_s - busy_before_s)
        last, done = now, done + 1


def _read(system: System, names: Sequence[str]) -> dict[str, Counters]:
    readings = {name: system.counters(name) for name in names}
    return {name: reading for name, reading in readings.items() if reading is not None}


def _show_json(figures: dict[str, Figures], cpu_s: float) -> None:
    """``cpu_s_per_gib`` is the busy time of all CPUs, with whatever, per GiB that this disk moved."""
    document = {name: {**asdict(each), "cpu_s_per_gib": cpu_per_gib(each, cpu_s)} for name, each in figures.items()}
    print(json.dumps(document), flush=True)


def _show_table(figures: dict[str, Figures], cpu_s: float) -> None:
    if sys.stdout.isatty():
        control(sys.stdout, CLEAR_SCREEN)
    print("  ".join(f"{heading:>10}" for heading in HEADINGS))
    for name, each in figures.items():
        cells = [
            f"{each.read_bytes_per_s / 1e6:.1f}",
            f"{each.write_bytes_per_s / 1e6:.1f}",
            f"{each.reads_per_s:.0f}",
            f"{each.writes_per_s:.0f}",
            _milliseconds(each.read_latency_s),
            _milliseconds(each.write_latency_s),
            f"{each.read_merges_per_s:.0f}",
            f"{each.write_merges_per_s:.0f}",
            f"{each.in_flight:.2f}",
            f"{each.utilisation * 100:.1f}",
            _two_places(cpu_per_gib(each, cpu_s)),
        ]
        print("  ".join(f"{cell:>10}" for cell in (name, *cells)))
    print(flush=True)


def _milliseconds(seconds: float | None) -> str:
    return _two_places(None if seconds is None else seconds * 1000)


def _two_places(figure: float | None) -> str:
    return "-" if figure is None else f"{figure:.2f}"
