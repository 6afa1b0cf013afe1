# SPDX-License-Identifier: GPL-3.0-or-later
"""Two JSON conversations with a virtual machine: QEMU's monitor (QMP) and the agent inside the guest (QGA)."""

from __future__ import annotations

import base64
import json
import socket
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_MOST_BYTES = 40 << 20
_ANSWER_S = 300.0


class Refused(Exception):
    """QEMU or the agent answered with an error."""


class Gone(Exception):
    """The other side hung up, or did not answer in time."""


class Conversation:
    """Questions and answers, a line of JSON each; events in between are skipped."""

    def __init__(self, path: Path) -> None:
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.settimeout(_ANSWER_S)
        self._rest = b""
        try:
            self._socket.connect(str(path))
        except BaseException:
            self._socket.close()
            raise

    def ask(self, execute: str, /, timeout_s: float = _ANSWER_S, **arguments: Any) -> Any:
        """Return the answer's ``return``. Raises Refused and Gone."""
        question: dict[str, Any] = {"execute": execute}
        if arguments:
            question["arguments"] = {name.replace("_", "-"): value for name, value in arguments.items()}
        self._socket.settimeout(timeout_s)
        try:
            self._socket.sendall(json.dumps(question).encode() + b"\n")
            while True:
                answer = self.receive()
                if "error" in answer:
                    raise Refused(f"{execute}: {answer['error'].get('desc')}")
                if "return" in answer:
                    return answer["return"]
        except OSError as error:
            raise Gone(f"{execute}: {error}") from error

    def receive(self) -> dict[str, Any]:
        """Return the next line."""
        while b"\n" not in self._rest:
            received = self._socket.recv(1 << 16)
            if not received:
                raise Gone("the other side hung up")
            self._rest += received
        line, _, self._rest = self._rest.partition(b"\n")
        return dict(json.loads(line))

    def close(self) -> None:
        """Hang up."""
        self._socket.close()


class Monitor(Conversation):
    """QEMU's monitor."""

    def greet(self) -> None:
        """Exchange greetings."""
        self.receive()
        self.ask("qmp_capabilities")

    def wait_for(self, event: str, timeout_s: float, **data: Any) -> None:
        """Wait for an event with these data. Raises Gone if none comes for so long."""
        self._socket.settimeout(timeout_s)
        try:
            while (line := self.receive()).get("event") != event or not data.items() <= line["data"].items():
                pass
        except TimeoutError as error:
            raise Gone(f"no {event} after {timeout_s} s") from error

    def human(self, command: str) -> str:
        """Run a command of the human monitor. Raises Refused with its complaint."""
        output = str(self.ask("human-monitor-command", command_line=command))
        if output.strip().startswith("Error"):
            raise Refused(f"{command}: {output.strip()}")
        return output


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command in the guest ended."""

    code: int
    out: str
    err: str

    @property
    def text(self) -> str:
        """All output."""
        return self.out + self.err


class Agent(Conversation):
    """The guest agent: files and commands inside, as root."""

    def begin(self, command: str, typed: str = "") -> int:
        """Start a shell command and leave it running; return its process id."""
        password, words = base64.b64encode(typed.encode()).decode(), ["-c", command]
        return int(self.ask("guest-exec", path="/bin/bash", arg=words, input_data=password, capture_output=True)["pid"])

    def wait(self, pid: int, timeout_s: float) -> Ended:
        """Wait for its end. Raises Gone. Long commands are polled less often, as answering costs them time."""
        began = time.monotonic()
        while not (status := self.ask("guest-exec-status", pid=pid))["exited"]:
            if (spent_s := time.monotonic() - began) > timeout_s:
                raise Gone(f"process {pid} still runs in the guest after {timeout_s} s")
            time.sleep(min(0.1 + spent_s / 30, 2.0))
        out, err = (
            base64.b64decode(status.get(name, "")).decode(errors="replace") for name in ("out-data", "err-data")
        )
        return Ended(status.get("exitcode", -status.get("signal", 1)), out, err)

    def write(self, path: str, content: bytes) -> None:
        """Write a file in the guest."""
        handle = self.ask("guest-file-open", path=path, mode="w")
        self.ask("guest-file-write", handle=handle, buf_b64=base64.b64encode(content).decode())
        self.ask("guest-file-close", handle=handle)

    def read(self, path: str) -> bytes:
        """Read a file in the guest, no larger than the agent returns at once."""
        handle = self.ask("guest-file-open", path=path, mode="r")
        part = self.ask("guest-file-read", handle=handle, count=_MOST_BYTES)
        self.ask("guest-file-close", handle=handle)
        return base64.b64decode(part["buf-b64"])
