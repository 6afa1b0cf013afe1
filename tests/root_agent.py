# SPDX-License-Identifier: GPL-3.0-or-later
"""One process of root's for a whole test session: it runs commands and sets up loop disks, without a sudo for each.

Started as root with this file as its program, it answers each line of JSON (a method and its arguments) with another.
"""

from __future__ import annotations

import fcntl
import json
import os
import pwd
import random
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from itertools import count
from pathlib import Path
from threading import Lock
from typing import Any

HANG_S = 120
"""When a command is taken for one that never ends."""
LOOP_ADD, LOOP_REMOVE = 0x4C80, 0x4C81
NUMBERS = 1000, 32_000
"""Of loop devices: above those that are handed out one after the other."""


class RootAgent:
    """The session's side of it. Whatever fails raises AssertionError with what the command printed."""

    def __init__(self) -> None:
        argv = ["sudo", "-n", "--", sys.executable, "-I", str(Path(__file__))]
        self._process = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self._turn = Lock()

    def __call__(self, *command: str | Path, user: str | None = None, stdin: str | None = None) -> str:
        """Run a command as root, or as another user, in the current folder; returns its output."""
        words = [str(word) for word in command]
        code, out, err = self._ask("run", argv=words, user=user, stdin=stdin, folder=os.getcwd())  # noqa: PTH109
        if code:
            raise AssertionError(f"{command} ended with {code}: {err or out}")
        return str(out)

    def attach(self, image: Path, *options: str) -> str:
        """Attach an image to a loop device that nobody has used before; returns the device's path."""
        return str(self._ask("attach", image=str(image), options=options))

    def detach(self, device: str) -> None:
        """Detach the image, and take the device out of the kernel with all that was set there."""
        self._ask("detach", device=device)

    def close(self) -> None:
        """End it."""
        assert self._process.stdin and self._process.stdout
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait(HANG_S)

    def _ask(self, method: str, **arguments: Any) -> Any:
        assert self._process.stdin and self._process.stdout
        with self._turn:
            self._process.stdin.write(json.dumps([method, arguments]) + "\n")
            self._process.stdin.flush()
            answer = json.loads(self._process.stdout.readline())
        if "failed" in answer:
            raise AssertionError(answer["failed"])
        return answer["done"]


def run(argv: list[str], user: str | None, stdin: str | None, folder: str) -> tuple[int, str, str]:
    """What a command ended with and what it printed."""
    done = subprocess.run(
        argv, input=stdin, capture_output=True, text=True, check=False, timeout=HANG_S, cwd=folder, **_identity(user)
    )
    return done.returncode, done.stdout, done.stderr


def _identity(user: str | None) -> Mapping[str, Any]:
    """What makes a process another user's, as sudo would."""
    if user is None:
        return {}
    one = pwd.getpwnam(user)
    names = {"HOME": one.pw_dir, "USER": user, "LOGNAME": user, "SHELL": one.pw_shell}
    groups = os.getgrouplist(user, one.pw_gid)
    return {"user": one.pw_uid, "group": one.pw_gid, "extra_groups": groups, "env": {**os.environ, **names}}


def attach(image: str, options: list[str]) -> str:
    """Attach to a loop device that is made for it, and is nobody else's until ``detach`` takes it out of the kernel.

    Other test runs are on this computer, and a device that was used keeps its queue's settings, throttles and limits of
    dirty memory.
    """
    start = random.randrange(*NUMBERS)
    number = next(each for each in count(start) if not Path(f"/sys/block/loop{each}").exists())
    with Path("/dev/loop-control").open() as control:
        fcntl.ioctl(control, LOOP_ADD, number)
    subprocess.run(["losetup", *options, f"/dev/loop{number}", image], check=True, timeout=HANG_S)
    return f"/dev/loop{number}"


def detach(device: str) -> None:
    """Take the device out of the kernel; one that somebody still uses goes with its last user."""
    if Path(f"/sys/block/{Path(device).name}/loop/backing_file").exists():
        subprocess.run(["losetup", "--detach", device], check=True, timeout=HANG_S)
    with Path("/dev/loop-control").open() as control, suppress(OSError):
        fcntl.ioctl(control, LOOP_REMOVE, int(device.removeprefix("/dev/loop")))


def main() -> None:
    """Answer until the session closes its end."""
    methods = {"run": run, "attach": attach, "detach": detach}
    for line in sys.stdin:
        method, arguments = json.loads(line)
        try:
            answer = {"done": methods[method](**arguments)}
        except (OSError, LookupError, subprocess.SubprocessError) as error:
            answer = {"failed": f"{method} {arguments}: {error}"}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
