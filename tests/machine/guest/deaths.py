# SPDX-License-Identifier: GPL-3.0-or-later
"""Inside the machine, as root: lets the helper die during somebody's trial and watches until the disk is restored,
without calling it: ``deaths.py DISK KILLS``, the last of them in quick succession. Prints a JSON document.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

TESTS = Path(__file__).parents[2]
GROUP = Path("/sys/fs/cgroup/system.slice/disktuner-helper.service")
PATIENCE_S = 600


def shown(name: str) -> str:
    """Return a property of the helper's unit."""
    command = ["systemctl", "show", "--value", "-p", name, "disktuner-helper.service"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def scheduler(disk: str) -> str:
    return Path(f"/sys/block/{disk}/queue/scheduler").read_text().partition("[")[2].partition("]")[0]


def until(condition: Callable[[], bool]) -> float:
    """Wait until something holds; return the monotonic time."""
    end = time.monotonic() + PATIENCE_S
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError
        time.sleep(0.005)
    return time.monotonic()


def become(user: str) -> list[str]:
    """Become the command without a process in between, so that a kill reaches it."""
    return ["setpriv", "--reuid", user, "--regid", user, "--init-groups", "--"]


def hold(disk: str) -> subprocess.Popen[str]:
    """Hold a trial of carl's with the disk on bfq."""
    command = [*become("carl"), sys.executable, str(TESTS / "packages/trial.py"), disk]
    holding = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
    assert holding.stdin and holding.stdout
    holding.stdin.write("bfq\n")
    assert holding.stdout.readline() == "bfq\n"
    assert scheduler(disk) == "bfq"
    return holding


def flooded() -> None:
    """Flood the helper as ben, who has no rights, with messages that are too big, until it is dead; see
    tests/bench/flood.py.
    """
    command = [*become("ben"), sys.executable, str(TESTS / "bench/flood.py"), "more-disks", "4", "1000"]
    pid = shown("MainPID")
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as flooding:
        assert flooding.stdin and flooding.stdout
        flooding.stdout.readline()
        flooding.stdin.write("begin\n")
        flooding.stdin.flush()
        until(lambda: not Path(f"/proc/{pid}").exists())
        flooding.terminate()


def stopped() -> None:
    """Freeze it: systemd's watchdog ends it."""
    os.kill(int(shown("MainPID")), signal.SIGSTOP)


def no_memory() -> None:
    """Limit its control group to a part of its memory, so that the kernel kills it."""
    (GROUP / "memory.max").write_text("1M")


def killed_again_and_again(times: int) -> None:
    """Kill it immediately after each restart."""
    for _ in range(times):
        pid = int(shown("MainPID"))
        os.kill(pid, signal.SIGKILL)
        until(lambda: shown("MainPID") not in {"0", str(pid)})  # noqa: B023 asked at once


def death(disk: str, before: str, die: Callable[[], None]) -> dict[str, object]:
    """Let it die in one way, and wait until the disk is restored."""
    holding, pid = hold(disk), shown("MainPID")
    die()
    dead = until(lambda: not Path(f"/proc/{pid}").exists())
    back = until(lambda: scheduler(disk) == before)
    holding.kill()
    holding.wait()
    return {"died": pid, "put_back_s": back - dead, "restarts": int(shown("NRestarts")), "state": shown("ActiveState")}


def main() -> None:
    """Try each way to die, and record the recovery."""
    disk, kills = sys.argv[1], int(sys.argv[2])
    before = scheduler(disk)
    document: dict[str, object] = {"limit": shown("MemoryMax"), "start_limit": shown("StartLimitIntervalUSec")}
    document["flood"] = death(disk, before, flooded)
    document["stopped"] = death(disk, before, stopped)
    document["memory"] = death(disk, before, no_memory)
    document["kills"] = death(disk, before, lambda: killed_again_and_again(kills))
    until(lambda: shown("ActiveState") == "active" or shown("SubState") == "dead")
    print(json.dumps(document))


if __name__ == "__main__":
    main()
