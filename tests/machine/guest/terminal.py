# SPDX-License-Identifier: GPL-3.0-or-later
"""Inside the machine: somebody at a terminal, who is told by a socket what to type.

``terminal.py SOCKET`` listens. A connection sends one line of JSON, {"command", "password" (typed at every prompt for
one), "timeout_s"}, and gets one back: {"code", "output", "prompts"}. What it starts belongs to the session it is in.
``terminal.py SOCKET tell`` hands it standard input's line and prints the answer.
"""

from __future__ import annotations

import json
import socket
import sys
from typing import Any

import pexpect


def typed(command: str, password: str, timeout_s: float) -> dict[str, Any]:
    """Run a command as at a terminal; type the password at every prompt for one."""
    child = pexpect.spawn("/bin/bash", ["-c", command], encoding="utf-8", codec_errors="replace", timeout=timeout_s)
    child.delaybeforesend = 0.2
    output, prompts = "", 0
    while child.expect([r"[Pp]assword: ?", pexpect.EOF]) == 0:
        output += child.before + child.after
        prompts += 1
        child.sendline(password)
    output += child.before
    child.close()
    return {"code": child.exitstatus, "output": output, "prompts": prompts}


def main() -> None:
    """Serve one connection after the other, or be one."""
    with socket.socket(socket.AF_UNIX) as this:
        if sys.argv[2:] == ["tell"]:
            this.connect(sys.argv[1])
            with this.makefile("rw") as stream:
                stream.write(sys.stdin.readline())
                stream.flush()
                print(stream.readline())
            return
        this.bind(sys.argv[1])
        this.listen()
        while True:
            connection, _ = this.accept()
            with connection, connection.makefile("rw") as stream:
                stream.write(json.dumps(typed(**json.loads(stream.readline()))) + "\n")


if __name__ == "__main__":
    main()
