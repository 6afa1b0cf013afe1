# SPDX-License-Identifier: GPL-3.0-or-later
"""What others experience while one user floods the helper, compared with a flood of the bus itself.

For each flood of tests/bench/flood.py: how many messages the bus took in 3 s and how many were answered; how long a
question of somebody else's (GetState) and a change by somebody who is allowed it (Revert: two questions to polkit and
the bus on the way) took in the middle and at most; the helper's memory, or how often it died of its unit's MemoryMax.
Here the next call starts it again, under systemd that is done at once. The figures in SECURITY.md are these.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from statistics import median
from threading import Timer
from typing import Any

from tests.bench.disks import root
from tests.bus.conftest import Caller, Refusal, confining, helper_pid, stop_helper
from tests.waiting import until

SECONDS = 3.0
FLOODS = [
    *((kind, count) for kind in ("bus", "silent", "asking", "ending") for count in (1, 40)),
    *(("asking", 250), ("many-small", 40), ("disks", 4), ("more-disks", 4), ("long", 4)),
]
FLOOD = str(Path(__file__).with_name("flood.py"))


def peak_mb(pid: int) -> float:
    text = Path(f"/proc/{pid}/status").read_text()
    return int(text.partition("VmHWM:")[2].split()[0]) / 1024


def took(caller: Caller, method: str, *arguments: Any) -> float:
    """Return milliseconds; infinite if refused or not answered."""
    began = time.perf_counter()
    try:
        caller.call(method, *arguments)
    except Refusal:
        return float("inf")
    return (time.perf_counter() - began) * 1000


def flooded(kind: str, connections: int) -> tuple[dict[str, Any], list[float], list[float], set[int]]:
    """Return what was sent, how long others waited, and which helpers there were."""
    bystander, allowed = Caller("dt-ask"), Caller("")
    words = f"sudo -n -u dt-other -- /usr/bin/python3 {FLOOD} {kind} {connections} {sys.maxsize}"
    questions: list[float] = []
    changes: list[float] = []
    pids: set[int] = set()
    with subprocess.Popen(words.split(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1) as flood:
        assert flood.stdin and flood.stdout and flood.stdout.readline()
        flood.stdin.write("begin\n")
        ending = Timer(SECONDS, flood.stdin.write, ["end\n"])
        ending.start()
        while flood.poll() is None:
            questions.append(took(bystander, "GetState"))
            changes.append(took(allowed, "Revert", []))
            pids.add(helper_pid(root()))
        report = dict(json.load(flood.stdout))
    for connection in (bystander, allowed):
        connection.leave()
    return report, questions, changes, pids - {0}


def main() -> None:
    with confining(root()):
        for kind, connections in FLOODS:
            stop_helper(root())
            starter = Caller("")
            until(lambda starter=starter: took(starter, "GetState") < float("inf"))  # the last flood may fill the bus
            pid = helper_pid(root())
            report, questions, changes, pids = flooded(kind, connections)
            deaths = max(len(pids - {pid}), int(not Path(f"/proc/{pid}").exists()))
            waits = "  ".join(
                f"{kind} {median(times):7.1f} (at most {max(times):6.0f}) ms, {times.count(float('inf'))} refused"
                for kind, times in (("question", questions), ("change", changes))
            )
            counts = f"{report['sent']:6} sent, {report['answered']:6} answered"
            became = f"died {deaths} times" if deaths else f"{peak_mb(pid):.0f} MB"
            print(f"{kind:10} x{connections:<3} {counts}: {waits}  {became}", flush=True)
            starter.leave()


if __name__ == "__main__":
    main()
