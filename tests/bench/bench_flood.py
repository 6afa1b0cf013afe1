# SPDX-License-Identifier: GPL-3.0-or-later
"""What others get while one user floods the helper: see tests/bus/flood.py for what is sent.

Prints for each kind of flood what was sent, how long a question of another user's took at most and in the middle, the
same for a change by a user who is allowed it, and the helper's memory.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from statistics import median

from tests.bus.conftest import Caller, Refusal, helper_pid

SECONDS = 3
FLOODS = [
    ("silent", 1),
    ("silent", 40),
    ("asking", 1),
    ("asking", 40),
    ("asking", 200),
    ("ending", 40),
    ("state", 1),
    ("state", 40),
    ("state", 200),
    ("introspect", 1),
    ("introspect", 40),
    ("signal", 40),
    ("big", 1),
    ("big", 4),
    ("bigger", 4),
    ("long", 4),
    ("tunables", 2),
]


def sudo(*command: str) -> str:
    return subprocess.run(["sudo", "-n", *map(str, command)], capture_output=True, text=True, check=True).stdout.strip()


def memory(pid: int) -> dict:
    try:
        t = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return {}
    return {n: int(t.partition(n + ":")[2].split()[0]) // 1024 for n in ("VmRSS", "VmHWM")}


def main() -> int:
    wanted = sys.argv[1:]
    global FLOODS
    if len(wanted) == 2 and wanted[1].isdigit():
        FLOODS = [(wanted[0], int(wanted[1]))]
    for kind, connections in FLOODS:
        if wanted and kind not in wanted:
            continue
        bystander, allowed = Caller("dt-ask"), Caller("")
        bystander.state()
        pid = helper_pid(sudo)
        command = [
            "sudo",
            "-n",
            "-u",
            "dt-other",
            "--",
            "/usr/bin/python3",
            "tests/bus/flood.py",
            kind,
            str(connections),
            str(SECONDS),
        ]
        flood = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert flood.stdout.readline() == "ready\n"
        flood.stdin.write("\n")
        flood.stdin.flush()
        began = time.monotonic()
        waits, changes, refused = [], [], []
        while time.monotonic() - began < SECONDS + 1:
            try:
                bystander.state()
                waits.append(bystander.seconds)
            except Refusal as e:
                refused.append("state " + str(e))
            try:
                allowed.call("RevertAll")
                changes.append(allowed.seconds)
            except Refusal as e:
                refused.append("change " + str(e))
        report = json.loads(flood.communicate()[0])
        m = memory(pid)
        print(
            f"{kind:10} x{connections:<3} sent {report['sent']:7} ans {report['answered']} lost {report['lost']}  state n={len(waits)} med {median(waits or [99]) * 1000:.1f} max {max(waits or [99]) * 1000:.0f} ms; change n={len(changes)} med {median(changes or [99]) * 1000:.1f} max {max(changes or [99]) * 1000:.0f} ms; refused {len(refused)} {set(refused)} mem {m} {'DIED' if helper_pid(sudo) != pid else ''}",
            flush=True,
        )
        for c in (bystander, allowed):
            c.leave()
        time.sleep(0.5)
        p = helper_pid(sudo)
        if p:
            sudo("kill", str(p))
        time.sleep(0.7)
    return 0


if __name__ == "__main__":
    sys.exit(main())
