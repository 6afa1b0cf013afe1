# SPDX-License-Identifier: GPL-3.0-or-later
"""``monitor``: what disks are doing, one row per disk; all figures of ``iostat -x`` if asked for."""

from __future__ import annotations

import argparse
import json
import threading
import time
from collections import defaultdict, deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict
from typing import TypeAlias

from rich.console import Group
from rich.live import Live
from rich.table import Table

from disktuner.block.counters import Counters, Figures
from disktuner.block.disk import Disk
from disktuner.block.machine import Surroundings
from disktuner.block.pending import Estimator, Pending
from disktuner.block.sysfs import Tree
from disktuner.block.system import System
from disktuner.block.waiting import Shares
from disktuner.cli.arguments import Parser
from disktuner.cli.progress import run_cancellable
from disktuner.cli.screen import Column, Screen, cell, table
from disktuner.cli.usage import within
from disktuner.experiment.sampler import GIB
from disktuner.vocabulary import units
from disktuner.vocabulary.errors import NoSuchThing
from disktuner.vocabulary.messages import language, say, text

Waiting: TypeAlias = Callable[[str], Pending | None]
"""What waits to be written to a disk after an interval."""
Show = Callable[[Mapping[str, Figures], float, Waiting], None]
"""Shows an interval's figures by disk, its busy seconds of all CPUs, and what still waits."""

DRAWN = 16
"""How many intervals are drawn: what was read and written, relative to the busiest."""
LEAST_BYTES = 64 << 10
"""No CPU cost is shown for less than a few requests of 4 KiB."""
_HEIGHTS = "▁▂▃▄▅▆▇█"


def add_monitor(parser: Parser) -> None:
    """Declare ``monitor``."""
    parser.add_argument("disks", metavar="DISK", nargs="*", help=text("help-only-disks"))
    parser.add_argument(
        "--interval", type=within(float, 0.1, 86_400), default=1.0, metavar="SECONDS", help=text("help-interval")
    )
    parser.add_argument("--count", type=within(int, 1, 1_000_000_000), metavar="N", help=text("help-count"))
    with parser.only_one():
        parser.add_argument("--json", action="store_true", help=text("help-json-interval"))
        parser.add_argument("--all", action="store_true", help=text("help-monitor-all"))
    parser.set_defaults(run=run_monitor)


def run_monitor(args: argparse.Namespace) -> int:
    """Print each interval's figures until stopped; Ctrl+C is the normal end, not an error."""
    system, stop = System(), threading.Event()
    disks = [system.disk(name) for name in args.disks] or system.disks()
    if not disks:
        raise NoSuchThing("nothing-to-watch")
    shown: AbstractContextManager[Show] = (
        nullcontext(_Documents(system.tree)) if args.json else _Tables(system, disks, args.all)
    )
    names = [disk.name for disk in disks]
    with shown as show:
        run_cancellable(lambda: _watch(system, names, args.interval, args.count, stop, show), stop.set)
    return 0


def _watch(  # noqa: PLR0917 - the settings of one command
    system: System, names: Sequence[str], interval_s: float, count: int | None, stop: threading.Event, show: Show
) -> None:
    surroundings, waiting = Surroundings(), Estimator()
    last, busy_s = _read(system, names), surroundings.busy_s()
    _add(waiting, system, last)
    done = 0
    while (count is None or done < count) and not stop.wait(interval_s):
        now = _read(system, names)
        if not now:
            raise NoSuchThing("disks-vanished", disks=tuple(names))
        busy_before_s, busy_s = busy_s, surroundings.busy_s()
        figures = {name: reading.since(last[name]) for name, reading in now.items() if name in last}
        _add(waiting, system, now)
        show(figures, busy_s - busy_before_s, waiting.of)
        last, done = now, done + 1


def _read(system: System, names: Sequence[str]) -> dict[str, Counters]:
    readings = {name: system.counters(name) for name in names}
    return {name: reading for name, reading in readings.items() if reading is not None}


def _add(waiting: Estimator, system: System, readings: Mapping[str, Counters]) -> None:
    if cache := system.page_cache():
        waiting.add(time.monotonic(), cache, readings)


def _cpu_per_gib(figures: Figures, cpu_s: float) -> float | None:
    """Return the busy time of all CPUs, with whatever, per GiB moved; None if hardly anything was."""
    moved = (figures.read_bytes_per_s + figures.write_bytes_per_s) * figures.elapsed_s
    return cpu_s * GIB / moved if moved >= LEAST_BYTES else None


class _Documents:
    """A JSON document per interval. ``programs_waiting`` is the share of the time in which any program waited."""

    def __init__(self, tree: Tree) -> None:
        self._shares = Shares(tree)

    def __call__(self, figures: Mapping[str, Figures], cpu_s: float, waiting: Waiting) -> None:
        shares = self._shares.look(figures)
        document = {
            name: {
                **asdict(rates),
                "cpu_s_per_gib": _cpu_per_gib(rates, cpu_s),
                "pending": _pending(waiting(name)),
                "programs_waiting": shares[name],
            }
            for name, rates in figures.items()
        }
        print(json.dumps(document), flush=True)


def _pending(pending: Pending | None) -> dict[str, object] | None:
    return None if pending is None else asdict(pending)


class _Tables:
    """A table and a line per removable disk, redrawn in place or printed one after the other."""

    def __init__(self, system: System, disks: Iterable[Disk], whole: bool) -> None:
        self._system, self._whole, self._screen = system, whole, Screen()
        self._pulled = [disk.name for disk in disks if disk.can_be_unplugged]
        self._live = Live(console=self._screen, auto_refresh=False, redirect_stdout=False, redirect_stderr=False)
        self._moved: defaultdict[str, deque[float]] = defaultdict(lambda: deque(maxlen=DRAWN))

    def __enter__(self) -> Show:
        if self._screen.moves:
            self._live.start()
        return self._show

    def __exit__(self, *_: object) -> None:
        if self._screen.moves:
            self._live.stop()

    def _show(self, figures: Mapping[str, Figures], cpu_s: float, waiting: Waiting) -> None:
        for name, rates in figures.items():
            self._moved[name].append(rates.read_bytes_per_s + rates.write_bytes_per_s)
        drawn = self._all(figures, cpu_s) if self._whole else self._short(figures, cpu_s)
        lines = [
            f"{name}: {say(pending.sentence(self._system.is_mounted(name)))}"
            for name in self._pulled
            if name in figures and (pending := waiting(name))
        ]
        if self._screen.moves:
            self._live.update(Group(drawn, *map(cell, lines)), refresh=True)
        else:
            self._screen.show(drawn, *lines, "")

    def _all(self, figures: Mapping[str, Figures], cpu_s: float) -> Table:
        columns = [Column(text("head-disk"), "bold"), *(Column(text(id_), right=True) for id_ in _CELLS)]
        return table(columns, ((name, *_values(rates, cpu_s, _CELLS)) for name, rates in figures.items()))

    def _short(self, figures: Mapping[str, Figures], cpu_s: float) -> Table:
        columns = [
            Column(text("head-disk"), "bold"),
            Column(text("head-lately"), "cyan", least=DRAWN),
            *(Column(text(id_), right=True) for id_ in _SHORT),
            Column(text("head-scheduler")),
        ]
        rows = [
            (
                name,
                _course(self._moved[name]),
                *_values(rates, cpu_s, _SHORT.values()),
                self._system.scheduler(name) or units.NOTHING,
            )
            for name, rates in figures.items()
        ]
        return table(columns, rows)


def _course(values: Collection[float]) -> str:
    """Return values as heights, the largest at full height."""
    most = max(values) or 1.0
    return "".join(_HEIGHTS[round(value / most * (len(_HEIGHTS) - 1))] for value in values)


def _values(figures: Figures, cpu_s: float, ids: Iterable[str]) -> Iterator[str]:
    for id_ in ids:
        way, value = _CELLS[id_]
        yield units.WAYS[way](value(figures, cpu_s), language().numbers)


_SHORT = {
    "head-read": "head-read",
    "head-write": "head-write",
    "head-util": "head-util",
    "head-wait": "head-r-await",
}
"""The default columns: their headings, and the figures below them."""

_CELLS: Mapping[str, tuple[str, Callable[[Figures, float], float | None]]] = {
    "head-util": ("percent", lambda rates, _: rates.utilisation),
    "head-read": ("rate", lambda rates, _: rates.read_bytes_per_s),
    "head-write": ("rate", lambda rates, _: rates.write_bytes_per_s),
    "head-reads": ("per_s", lambda rates, _: rates.reads_per_s),
    "head-writes": ("per_s", lambda rates, _: rates.writes_per_s),
    "head-r-await": ("time", lambda rates, _: rates.read_latency_s),
    "head-w-await": ("time", lambda rates, _: rates.write_latency_s),
    "head-aqu-sz": ("digits", lambda rates, _: rates.in_flight),
    "head-rrqm": ("per_s", lambda rates, _: rates.read_merges_per_s),
    "head-wrqm": ("per_s", lambda rates, _: rates.write_merges_per_s),
    "head-cpu-per-gib": ("time", _cpu_per_gib),
}
"""A column per figure, by the id of its heading: how its values are written (``units.WAYS``), and its value in an
interval in which all CPUs were busy for so many seconds."""
