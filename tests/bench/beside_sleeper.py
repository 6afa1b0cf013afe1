# SPDX-License-Identifier: GPL-3.0-or-later
"""The recorder for half an hour with a program that sleeps in io_uring: ``./dev bench beside_sleeper``.

It runs as a user's service does, beside 150 programs that sleep otherwise and somebody who reads from a simulated disk
now and then: half of the time quiet, half beside a backup on that disk. Pressure is that of these programs, in a
control group such as systemd makes for a user, and no other programs are seen; disks are all that the machine has.
Fails where an incident is kept in which that reader, by its own clock, did not wait, and where the recorder takes more
than 0.5 % of a processor. ``DISKTUNER_TIMES`` is how many minutes it lasts (30).
"""

from __future__ import annotations

import os
import re
import signal
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

from disktuner_watch import control
from disktuner_watch.detector import HOLDS_S
from disktuner_watch.incidents import Incident, Incidents
from tests.bench.disks import COMMAND, root, say, stoppable, whole
from tests.bench.incidents import DISK, DISK_MB, SLEEPER, in_groups, loop, make_big, program
from tests.simdisk.simulated import simulated_disk
from tests.waiting import until

MINUTES = float(os.environ.get("DISKTUNER_TIMES", "30"))
OTHERS, MOST_COST = 150, 0.005
WAITED = 0.5
"""Who stood still waited for this share of what an incident takes at least."""
GROUPS = Path("/sys/fs/cgroup")
READS_NOW_AND_THEN = """
import mmap, os, random, sys, time
open("/proc/self/comm", "w").write("program")
file, room = os.open(sys.argv[1], os.O_RDONLY | os.O_DIRECT), mmap.mmap(-1, 4096)
size = os.fstat(file).st_size
while True:
    began = time.time()
    os.preadv(file, [room], random.randrange(size // 4096) * 4096)
    print(began, time.time(), flush=True)
    time.sleep(random.uniform(0.2, 3))
"""
"""Prints when each read began and ended."""


@contextmanager
def slice_of_this_user() -> Iterator[Path]:
    """Return a control group whose pressure counts as that of this user's programs, in this namespace alone."""
    root()("mount", "-t", "cgroup2", "none", GROUPS)
    group = GROUPS / f"user.slice/user-{os.getuid()}.slice"
    root()("mkdir", "-p", group.parent)
    root()("mkdir", group)
    try:
        yield group
    finally:
        until(lambda: not (group / "cgroup.procs").read_text())
        root()("rmdir", group)
        with suppress(AssertionError):  # another bench has a group there
            root()("rmdir", group.parent)
        root()("umount", GROUPS)


def used_s(pid: int) -> float:
    """Return the processor time that a process has used so far."""
    words = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


def waited_s(incident: Incident, reads: Path) -> float:
    """Return for how long the reader waited during an incident, by its own clock."""
    begun = datetime.fromisoformat(incident.started).astimezone(UTC).timestamp()
    ended = begun + incident.ended_s - incident.begun_s + 1  # the time of day is kept in whole seconds
    spans = (tuple(map(float, line.split())) for line in reads.read_text().splitlines())
    return sum(max(min(ended, span[1]) - max(begun, span[0]), 0.0) for span in spans)


def recorded(folder: Path) -> tuple[list[Incident], Path, float]:
    """Record; return what was stored, what the reader reports, and the recorder's share of a processor."""
    reads = folder / "reads"
    with ExitStack() as stack:
        disk = stack.enter_context(whole(simulated_disk(root(), folder, DISK_MB, *DISK)))
        group = stack.enter_context(slice_of_this_user())
        big = make_big(disk)
        for argv in (SLEEPER, *[("sleep", "infinity")] * OTHERS):
            stack.enter_context(in_groups(argv, [group]))
        output = os.open(reads, os.O_CREAT | os.O_WRONLY)
        stack.enter_context(in_groups(program(READS_NOW_AND_THEN, big), [group], output))
        pid = stack.enter_context(in_groups((COMMAND, "watch", "--record"), [group], end=signal.SIGTERM))
        until(control.is_on)
        began_s, began_used_s = time.monotonic(), used_s(pid)
        time.sleep(MINUTES * 30)
        say(f"quiet: {(used_s(pid) - began_used_s) / (time.monotonic() - began_s):.2%} of a processor, "
            f"{len(Incidents.of_user().ids())} incidents")  # fmt: skip
        copy = f"dd if={big} of={disk.folder}/written bs=1M iflag=direct oflag=direct"
        with in_groups(loop(copy), [group]):
            time.sleep(MINUTES * 30)
        cost = (used_s(pid) - began_used_s) / (time.monotonic() - began_s)
        peak = re.findall(r"VmHWM:\s*(\d+ kB)", Path(f"/proc/{pid}/status").read_text())
        pressure = (group / "io.pressure").read_text().splitlines()[1]
        say(f"{MINUTES:g} minutes: {cost:.2%} of a processor, {peak[0]} at most; the kernel's pressure: {pressure}")
    return Incidents.of_user().all(), reads, cost


def main() -> int:
    """Record and judge; 1 if an incident was false, or the recorder cost too much."""
    stoppable()
    with tempfile.TemporaryDirectory(prefix="disktuner-", dir="/var/tmp") as name:
        folder = Path(name)
        for kind in ("RUNTIME_DIR", "STATE_HOME", "CONFIG_HOME"):
            (folder / kind).mkdir()
            os.environ[f"XDG_{kind}"] = str(folder / kind)
        incidents, reads, cost = recorded(folder)
        waits = [waited_s(incident, reads) for incident in incidents]
    for incident, wait_s in zip(incidents, waits, strict=True):
        say(f"{incident.started}: {incident.stalled_s:.1f} s, {incident.cause}; the reader waited {wait_s:.1f} s")
    none = sum(wait_s < WAITED * HOLDS_S for wait_s in waits)
    print(f"{len(incidents)} incidents, {none} of them none; {cost:.2%} of a processor")
    return int(none > 0 or cost > MOST_COST)


if __name__ == "__main__":
    sys.exit(main())
