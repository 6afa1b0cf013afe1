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
    """The session's side. Any failure raises AssertionError with what the command printed."""

    def __init__(self) -> None:
        argv = ["sudo", "-n", "--", sys.executable, "-I", str(Path(__file__))]
        self._process = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self._turn = Lock()

    def __call__(self, *command: str | Path, user: str | None = None, stdin: str | None = None) -> str:
        """Run a command as root, or as another user, in the current folder; return its output."""
        words = [str(word) for word in command]
        code, out, err = self._ask("run", argv=words, user=user, stdin=stdin, folder=os.getcwd())  # noqa: PTH109
        if code:
            raise AssertionError(f"{command} ended with {code}: {err or out}")
        return str(out)

    def attach(self, image: Path, *options: str) -> str:
        """Attach an image to a fresh loop device; return the device's path."""
        return str(self._ask("attach", image=str(image), options=options))

    def detach(self, device: str) -> None:
        """Detach the image, and remove the device from the kernel with all its settings."""
        self._ask("detach", device=device)

    def close(self) -> None:
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
    """Run a command and return its exit code and output."""
    completed = subprocess.run(
        argv, input=stdin, capture_output=True, text=True, check=False, timeout=HANG_S, cwd=folder, **_identity(user)
    )
    return completed.returncode, completed.stdout, completed.stderr


def _identity(user: str | None) -> Mapping[str, Any]:
    """Return the arguments that make a process another user's, as sudo would."""
    if user is None:
        return {}
    account = pwd.getpwnam(user)
    names = {"HOME": account.pw_dir, "USER": user, "LOGNAME": user, "SHELL": account.pw_shell}
    groups = os.getgrouplist(user, account.pw_gid)
    return {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": groups, "env": {**os.environ, **names}}


def attach(image: str, options: list[str]) -> str:
    """Attach an image to a new loop device, which is this run's alone until ``detach`` removes it from the kernel.

    Other test runs share this computer, and a used device keeps its queue settings, throttles and limits of dirty
    memory.
    """
    start = random.randrange(*NUMBERS)
    number = next(candidate for candidate in count(start) if not Path(f"/sys/block/loop{candidate}").exists())
    with Path("/dev/loop-control").open() as control:
        fcntl.ioctl(control, LOOP_ADD, number)
    subprocess.run(["losetup", *options, f"/dev/loop{number}", image], check=True, timeout=HANG_S)
    return f"/dev/loop{number}"


def detach(device: str) -> None:
    """Remove the device from the kernel; a device still in use goes with its last user."""
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
