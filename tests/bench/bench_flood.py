# SPDX-License-Identifier: GPL-3.0-or-later
"""What others get while one user floods the helper, beside what they get while the bus itself is flooded.

For each flood of tests/bench/flood.py: how many messages the bus took in 3 s and how many were answered; how long a
question of somebody else's (GetState) and a change by somebody who is allowed it (Revert: two questions to polkit and
the bus on the way) took in the middle and at most; and the helper's memory. The figures in SECURITY.md are these.
There is no MemoryMax here: where it took more, the unit's helper would have died and been started again.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from statistics import median
from typing import Any

from tests.bench.disks import root
from tests.bus.conftest import Caller, Refusal, helper_pid
from tests.waiting import until

SECONDS = 3.0
FLOODS = [
    *((kind, count) for kind in ("bus", "silent", "asking", "ending") for count in (1, 40)),
    *(("asking", 250), ("many-small", 40), ("disks", 4), ("more-disks", 4), ("long", 4)),
]
MEMORY_MAX_MB = 128
FLOOD = str(Path(__file__).with_name("flood.py"))


def peak_mb(pid: int) -> float:
    text = Path(f"/proc/{pid}/status").read_text()
    return int(text.partition("VmHWM:")[2].split()[0]) / 1024


def took(caller: Caller, method: str, *arguments: Any) -> float:
    """Milliseconds; infinite where it was refused."""
    began = time.perf_counter()
    try:
        caller.call(method, *arguments)
    except Refusal:
        return float("inf")
    return (time.perf_counter() - began) * 1000


def flooded(kind: str, connections: int) -> tuple[dict[str, Any], list[float], list[float]]:
    """What was sent, and what the others waited."""
    bystander, allowed = Caller("dt-ask"), Caller("")
    words = f"sudo -n -u dt-other -- /usr/bin/python3 {FLOOD} {kind} {connections} {sys.maxsize}"
    flood = subprocess.Popen(words.split(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
    assert flood.stdin and flood.stdout and flood.stdout.readline()
    flood.stdin.write("begin\n")
    questions, changes = [], []
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        questions.append(took(bystander, "GetState"))
        changes.append(took(allowed, "Revert", []))
    report = dict(json.loads(flood.communicate("end\n")[0]))
    for one in (bystander, allowed):
        one.leave()
    return report, questions, changes


def main() -> None:
    """Print the figures."""
    starter = Caller("")
    for kind, connections in FLOODS:
        if old := helper_pid(root()):
            root()("kill", str(old))
            until(lambda: helper_pid(root()) == 0)
        starter.state()
        pid = helper_pid(root())
        report, questions, changes = flooded(kind, connections)
        died = helper_pid(root()) != pid
        peak = float("inf") if died else peak_mb(pid)
        dies = ", more than MemoryMax" if peak > MEMORY_MAX_MB else ""
        waits = "  ".join(
            f"{what} {median(times):7.1f} (at most {max(times):6.0f}) ms"
            for what, times in (("question", questions), ("change", changes))
        )
        said = f"{report['sent']:6} sent, {report['answered']:6} answered"
        print(f"{kind:10} x{connections:<3} {said}: {waits}  {peak:4.0f} MB{dies}", flush=True)
    starter.leave()


if __name__ == "__main__":
    main()
