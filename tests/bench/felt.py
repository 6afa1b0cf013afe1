# SPDX-License-Identifier: GPL-3.0-or-later
"""When one disk is felt while files are copied to another: memory, limits of what waits, and what is felt.

``./dev bench felt`` boots the test machine with ``DISKTUNER_MEMORY`` (256 to 4096) MB, a fast disk A and a stick B of
8 MB/s, measures each cell of the table ``DISKTUNER_TIMES`` (1) times, and adds a line for each to ``DISKTUNER_KEPT``;
without that, it prints them. The table in docs/freezes-while-copying.md is made of tests/data/felt.jsonl.
"""

from __future__ import annotations

import json
import os
import statistics
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import asdict, dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any

from tests.bench.disks import chosen, kept_file, lines_of, say, stoppable
from tests.machine.devices import CONTROLLERS
from tests.machine.machine import Emulator, Machine

FOUND = Path(__file__).parents[1] / "data/felt.jsonl"
SCRIPT = Path(__file__).parents[1] / "machine/guest/felt.py"
OPEN_PAGES = 24 * 256
LEAD_S, LONG_S = 10, 60
STICK_MB, DISK_MB, SWAP_MB = 2048, 2048, 512
STICK_BYTES_PER_S, FAST_BYTES_PER_S = 8_000_000, 60_000_000
DISK_BYTES_PER_S = 300_000_000
DEFAULT, LITTLE_MB, LARGE_MB = "default", 256, 2048
FREE_MB = 256
"""What open programs leave of a full memory."""
COPY, BOTH = "copy", "both"
GROUPS = {
    COPY: ("/sys/fs/cgroup/copying", f"memory.high={32 << 20}"),
    BOTH: ("/sys/fs/cgroup/container", f"memory.max={FREE_MB << 20}"),
}
"""Control groups by what is in them, with their memory."""
LIMIT_BYTES = 16 << 20
MEMORY_MB = ("256", "512", "1024", "2048", "4096")


@dataclass(frozen=True, slots=True)
class Cell:
    """What is tried: the machine's limit of what waits, in MB or the kernel's own, whether the stick has its own limit,
    which disk is felt, whether A has swap, whether anything is copied, whether the stick is fast and more is copied
    than fits into memory, whether open programs left little of that, and what has a control group.
    """

    dirty: str
    limited: bool
    felt: str = "A"
    swaps: bool = False
    copies: bool = True
    much: bool = False
    full: bool = False
    group: str = ""


def cells(memory_mb: int) -> Iterator[Cell]:
    """Return all cells for a machine of that size, the most important first.

    A little memory is soon copied more than once.
    """
    yield from copied(Cell(DEFAULT, limited=False), COPY)
    if memory_mb >= LARGE_MB:
        yield from copied(Cell(DEFAULT, limited=False, much=True, full=True), COPY)
        yield from copied(Cell(DEFAULT, limited=False, much=True, full=True, swaps=True))
        yield from copied(Cell(DEFAULT, limited=False, much=True, group=BOTH))
        yield Cell("64", limited=False, much=True, full=True)
        return
    if memory_mb > LITTLE_MB:
        yield from copied(Cell(DEFAULT, limited=False, much=True), COPY)
    yield from copied(Cell(DEFAULT, limited=False, felt="B"))
    yield from copied(Cell(DEFAULT, limited=False, swaps=True), COPY)
    for dirty in ("64", "256"):
        yield Cell(dirty, limited=False)


def copied(cell: Cell, *groups: str) -> Iterator[Cell]:
    """Without a copy, with one, with a limit for it, and in control groups."""
    yield replace(cell, copies=False)
    yield cell
    yield replace(cell, limited=True)
    for group in groups:
        yield replace(cell, group=group)


class Tried:
    """A machine with both disks, and what is measured in it."""

    def __init__(self, machine: Machine, memory_mb: int) -> None:
        self._machine, self._memory_mb = machine, memory_mb
        self._disk = self._add("a", "virtio-blk-pci,bus=slot0,serial=FELTA", DISK_MB, f"bps-total={DISK_BYTES_PER_S}")
        self._stick = self._add(
            "b", "usb-storage,bus=usb0.0,port=1,removable=on,serial=FELTB", STICK_MB, f"bps-write={STICK_BYTES_PER_S}"
        )
        machine.agent.write("/root/felt.py", SCRIPT.read_bytes())
        for folder, memory in GROUPS.values():
            file, _, most = memory.partition("=")
            machine.run(f"mkdir {folder} && echo {most} >{folder}/{file}")
        machine.run(f"dd if=/dev/zero of=/mnt/a/swap bs=1M count={SWAP_MB} status=none")
        machine.run("chmod 600 /mnt/a/swap && mkswap -q /mnt/a/swap && sync")

    def _add(self, name: str, device: str, size_mb: int, throttled: str) -> str:
        machine, file = self._machine, self._machine.folder / f"{name}.raw"
        with file.open("wb") as target:
            target.truncate(size_mb << 20)
        known = set(machine.out("ls /sys/block").split())
        drive = f"if=none,id={name},file={file},format=raw,cache=unsafe,throttling.{throttled}"
        machine.monitor.human(f"drive_add 0 {drive}")
        machine.monitor.human(f"device_add {device},drive={name},id=device-{name}")
        machine.until(f"test $(ls /sys/block | wc -l) -gt {len(known)} && udevadm settle")
        (disk,) = set(machine.out("ls /sys/block").split()) - known
        lazily = "lazy_itable_init=0,lazy_journal_init=0,nodiscard"
        machine.until(f"test $(cat /sys/block/{disk}/size) -gt 0")
        machine.run(f"mkfs.ext4 -q -F -E {lazily} /dev/{disk} && mkdir /mnt/{name} && mount /dev/{disk} /mnt/{name}")
        return disk

    def cell(self, cell: Cell) -> dict[str, Any]:
        self._set(cell)
        folder, copied = f"/mnt/{cell.felt.lower()}", "/mnt/b" if cell.copies else "-"
        available_mb = int(self._machine.out("awk '/^MemAvailable/ {print int($2 / 1024)}' /proc/meminfo"))
        held_mb = available_mb - FREE_MB if cell.full else int(self._memory_mb * 0.4) if cell.swaps else 0
        group, joins = GROUPS[cell.group][0] if cell.group else "-", cell.group or "-"
        rate, lead_s = (FAST_BYTES_PER_S, LONG_S) if cell.much else (STICK_BYTES_PER_S, LEAD_S)
        lead_s = lead_s // 2 if cell.full or cell.group == BOTH else lead_s
        self._machine.monitor.human(f"block_set_io_throttle b 0 0 {rate} 0 0 0")
        document = self._machine.json(f"python3 -I /root/felt.py {folder} {copied} {lead_s} {held_mb} {group} {joins}")
        return {"memory_mb": self._memory_mb, **asdict(cell), **document}

    def _set(self, cell: Cell) -> None:
        if cell.dirty == DEFAULT:
            vm = "vm.dirty_background_ratio=10 vm.dirty_ratio=20"
        else:
            most = int(cell.dirty) << 20
            vm = f"vm.dirty_background_bytes={most // 2} vm.dirty_bytes={most}"
        bdi = f"/sys/block/{self._stick}/bdi"
        limit = (
            f"echo {LIMIT_BYTES} >{bdi}/max_bytes; echo 1 >{bdi}/strict_limit"
            if cell.limited
            else f"echo 0 >{bdi}/strict_limit; echo 100 >{bdi}/max_ratio"
        )
        swap = "swapoff -a; swapon /mnt/a/swap" if cell.swaps else "swapoff -a"
        self._machine.run(f"sync; sysctl -q -w {vm} vm.drop_caches=3; {limit}; {swap}")


def cell_of(line: Mapping[str, Any]) -> Cell:
    return Cell(**{name: line[name] for name in Cell.__slots__})


def keep_or_print(file: Path | None, record: Mapping[str, Any]) -> None:
    line = {name: _short(value) for name, value in record.items()}
    with file.open("a") if file else nullcontext() as lines:
        print(json.dumps(line), file=lines, flush=True)


def _short(value: Any) -> Any:
    if isinstance(value, list):
        return [round(number, 5) for number in value]
    return round(value, 4) if isinstance(value, float) else value


def measure(memory_mb: int, emulator: Emulator, image: Path, file: Path | None) -> None:
    """Boot, and measure what is missing, as often as wanted."""
    counts = Counter(cell_of(line) for line in lines_of(file) if line["memory_mb"] == memory_mb)
    times = range(int(os.environ.get("DISKTUNER_TIMES", "1")))
    wanted = [cell for number in times for cell in cells(memory_mb) if counts[cell] <= number]
    if not wanted:
        return
    with tempfile.TemporaryDirectory(prefix="disktuner-", dir="/var/tmp") as folder:
        machine = Machine(Path(folder), emulator, image, CONTROLLERS, memory_mb=memory_mb)
        try:
            machine.start()
            tried = Tried(machine, memory_mb)
            for cell in wanted:
                say(f"{memory_mb} MB: {cell}")
                keep_or_print(file, tried.cell(cell))
        finally:
            machine.discard()


def table(lines: Iterable[Mapping[str, Any]]) -> str:
    """Return the findings as rows of Markdown, the machine with the least memory first; medians of each cell."""
    head = (
        "memory", "felt on", "copied to B", "times", "waits", "open program: gone", "used again", "start",
        "durable write", "saving 30 MB", "processor",
    )  # fmt: skip
    records: dict[tuple[int, Cell], list[Mapping[str, Any]]] = {}
    for line in lines:
        records.setdefault((line["memory_mb"], cell_of(line)), []).append(line)
    order = sorted(records, key=_order)
    rows = (head, ("---",) * 3 + ("---:",) * (len(head) - 3), *(_row(*key, records[key]) for key in order))
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def _order(key: tuple[int, Cell]) -> tuple[int | str | bool, ...]:
    memory_mb, cell = key
    return memory_mb, cell.felt, cell.full, cell.swaps, cell.group == BOTH, cell.copies, cell.much


def _row(memory_mb: int, cell: Cell, lines: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    def middle(name: str) -> float:
        values = [line[name] for line in lines if name in line]
        return statistics.median(chain(*values) if values and isinstance(values[0], list) else values or (0,))

    gone = min(1.0, max(map(middle, ("wake_faults", "code_faults"))) / OPEN_PAGES)
    return (
        _memory(memory_mb, cell), cell.felt + (", swap on A" if cell.swaps else ""),
        _copy(cell, middle("taken_mb")), str(len(lines)), f"{middle('waiting_mb'):.0f} MB", f"{100 * gone:.0f} %",
        f"{max(map(middle, ('wake_s', 'code_s'))):.2f} s", f"{middle('start_s'):.2f} s",
        f"{1000 * middle('durable_s'):.0f} ms", f"{middle('buffered_s'):.1f} s",
        f"{1000 * middle('computed_s'):.0f} ms",
    )  # fmt: skip


def _memory(memory_mb: int, cell: Cell) -> str:
    if cell.group == BOTH:
        return f"{FREE_MB} MB of {memory_mb} MB"
    return f"{memory_mb} MB" + (f", {FREE_MB} MB free" if cell.full else "")


def _copy(cell: Cell, taken_mb: float) -> str:
    parts = [f"{taken_mb:.0f} MB" if cell.copies else "nothing"]
    parts += [f"`vm.dirty_bytes` {cell.dirty} MB"] if cell.dirty != DEFAULT else []
    parts += ["limit for B"] if cell.limited else []
    parts += ["`MemoryHigh`"] if cell.group == COPY else []
    return ", ".join(parts)


def main() -> int:
    stoppable()
    qemu, image = map(Path, os.environ["DISKTUNER_MACHINE"].split()[:2])
    for memory in chosen("DISKTUNER_MEMORY", MEMORY_MB):
        measure(int(memory), Emulator(qemu, image), image, kept_file())
    return 0


if __name__ == "__main__":
    sys.exit(main())
