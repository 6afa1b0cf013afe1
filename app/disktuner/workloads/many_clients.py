# SPDX-License-Identifier: GPL-3.0-or-later
"""The workload ``many-clients``: dbench, the file operations of many clients of a file server at once."""

from __future__ import annotations

import re
import shutil

from disktuner.results.model import Goal
from disktuner.vocabulary.metrics import Better, Metric
from disktuner.workloads.errors import NotUnderstood
from disktuner.workloads.programs import missing
from disktuner.workloads.servers.server import length_s
from disktuner.workloads.workload import MIB, Measurement, Probe, Processes, Scratch, Size

MOST_CLIENTS = 50  # of the original
CLIENT_BYTES = 24 * MIB  # the files of one client of dbench's load file
MEMORY_SHARE = 8  # of the memory is what all clients' files may fill
SHORTEST_S = 2  # in one second dbench has nothing to report yet
_WARM_UP = 0.2  # dbench 4 runs a fifth of its time before it counts
MOST_MIB_PER_S = 600  # read and written by all clients: more than five gigabit lines carry, and enough wear
_WRITTEN_SHARE = 0.5  # of it
_REPORT = re.compile(r"Throughput ([0-9.]+) MB/sec.*?max_latency=([0-9.]+) ms")


class ManyClients:
    """``scale`` is the length of a run in seconds, ``extra`` the number of clients: as many as memory and disk bear.

    The load is dbench's own (``client.txt``), with its flushes; what it writes besides stays in memory until the
    system writes it, as on a file server. All clients together are held back at 600 MiB/s.
    """

    id = "many-clients"
    summary = "dbench: the file operations of many clients of a file server"
    program = "dbench"
    package: str | None = "dbench"
    metrics = (
        Metric("bytes_per_s", "bytes_per_s", Better.HIGHER, "Serving many clients"),
        Metric("worst_s", "s", Better.LOWER, "The slowest answer to one of many clients"),
    )
    deciding = "bytes_per_s"
    goals = frozenset({Goal.SERVER})
    source = "dbench -t 60 50 (E)"

    def unavailable(self) -> str | None:
        """Dbench has to be installed."""
        return missing(self.program, self.package)

    def size(self, probe: Probe, seconds: float) -> Size:
        """As many clients as an eighth of the memory and a third of the room hold, and a slow disk in two seconds."""
        bears = min(probe.memory_bytes // MEMORY_SHARE, probe.free_bytes // 3) // CLIENT_BYTES
        busy = int(probe.write_bytes_per_s / (2 * MIB))
        clients = max(2, min(MOST_CLIENTS, bears, busy))
        files = clients * CLIENT_BYTES

        def besides_s(length: int) -> float:
            return _WARM_UP * length + 1.5 + files / 4 / probe.write_bytes_per_s

        length = max(SHORTEST_S, length_s(seconds, besides_s))
        fastest = min(1.5 * probe.write_bytes_per_s, _WRITTEN_SHARE * MOST_MIB_PER_S * MIB)
        written = int(fastest * (length + _WARM_UP * length + 0.5)) + files // 2
        return Size(length, written, 0, length + besides_s(length), bytes_kept=files, extra=clients)

    def prepare(self, scratch: Scratch, size: Size, processes: Processes) -> None:
        """Nothing to prepare: dbench makes its files."""

    def run(self, scratch: Scratch, size: Size, processes: Processes) -> Measurement:
        """Run it in a new folder, remove that, and wait until nothing of it is left to write."""
        folder = scratch.folder / self.id
        folder.mkdir(0o700)
        timeout_s = 20 * size.expected_s + 60
        try:
            each = f"{MOST_MIB_PER_S / size.extra:.1f}"
            argv = ["dbench", "-t", str(size.scale), "-R", each, "-D", folder.name, str(size.extra)]
            text = processes.run(argv, scratch.folder, timeout_s).out
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        processes.run(["sync", "--file-system", "."], scratch.folder, timeout_s)
        return parse_report(text, size.scale)


def parse_report(text: str, seconds: float) -> Measurement:
    """Read the last line; dbench's MB are MiB (it divides by 1024 × 1024). Raises ``NotUnderstood``."""
    found = _REPORT.search(text)
    if not found:
        raise NotUnderstood("dbench", text)
    values = {"bytes_per_s": float(found[1]) * MIB, "worst_s": float(found[2]) / 1000}
    return Measurement(values, float(seconds))


WORKLOADS = (ManyClients(),)
