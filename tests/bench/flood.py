# SPDX-License-Identifier: GPL-3.0-or-later
"""A hostile caller that sends as fast as the bus takes it, over connections of its own: no library slows it down.

    flood.py KIND CONNECTIONS MESSAGES

Says "ready", begins at a line of input, and ends when each connection has sent so many messages and has their answers,
or at a further line. Prints as JSON how many messages the bus took, how many were answered, and how many of its
connections the bus closed. What wants an answer is sent 100 times per connection, and then again for each answer: the
bus itself refuses the 129th that is open.
"""

from __future__ import annotations

import json
import os
import select
import socket
import struct
import sys
from collections.abc import Callable
from contextlib import suppress

import gi

gi.require_version("Gio", "2.0")
from gi.repository import Gio, GLib  # noqa: E402

NAME, PATH, BUS = "org.disktuner.Helper1", "/org/disktuner/Helper1", "org.freedesktop.DBus"
OPEN = 100
DESCRIPTORS = 16
"""As many as a message may carry."""
CHUNK = 1 << 16
MANY = 300_000
DISK = struct.pack("<I4sQ", 1, b"x", 0)


def call(
    member: str,
    types: str = "",
    *values: object,
    path: str = PATH,
    interface: str = NAME,
    to: str = NAME,
    silent: bool = False,
    descriptors: int = 0,
) -> bytes:
    """Return a call as sent over the wire."""
    message = Gio.DBusMessage.new_method_call(to, path, interface, member)
    if descriptors:
        message.set_unix_fd_list(Gio.UnixFDList.new_from_array([os.dup(0) for _ in range(descriptors)]))
    message.set_flags(Gio.DBusMessageFlags.NO_REPLY_EXPECTED if silent else Gio.DBusMessageFlags.NONE)
    if types:
        message.set_body(GLib.Variant(types, values))
    message.set_serial(1)
    return bytes(message.to_blob(Gio.DBusCapabilityFlags.UNIX_FD_PASSING))


def repeated(empty: bytes, entry: bytes, count: int) -> bytes:
    """Return a call whose last argument is an empty array, with so many entries instead. (GLib would take half a
    minute.)
    """
    (body,) = struct.unpack_from("<I", empty, 4)
    length = len(entry) * count
    return empty[:4] + struct.pack("<I", body + length) + empty[8:-8] + struct.pack("<I4x", length) + entry * count


KINDS: dict[str, Callable[[], bytes]] = {
    # Small ones, of which many can be sent.
    "silent": lambda: call("Revert", "(a(st))", [], silent=True),
    "asking": lambda: call("Revert", "(a(st))", []),
    "ending": lambda: call("EndTrial", "(s)", "x"),
    # What the bus answers itself.
    "bus": lambda: call("GetId", interface=BUS, to=BUS),
    # As big as they may be: 250 disks that GDBus takes apart to 100 KB.
    "many-small": lambda: repeated(call("BeginTrial", "(a(st))", []), DISK, 250),
    # Big ones: 4.8 MB, 16 MB and 20 MB.
    "disks": lambda: repeated(call("BeginTrial", "(a(st))", []), DISK, MANY),
    "more-disks": lambda: repeated(call("BeginTrial", "(a(st))", [], silent=True), DISK, 1_000_000),
    "long": lambda: call("EndTrial", "(s)", "x" * 20_000_000),
    # With files that nobody reads.
    "descriptors": lambda: call("GetState", descriptors=DESCRIPTORS),
    # To objects that are not there.
    "paths": lambda: call("EndTrial", "(s)", "x", path="/x" * 100_000),
}


def connect() -> socket.socket:
    """Return a new connection that the bus knows."""
    connection = socket.socket(socket.AF_UNIX)
    connection.connect("/run/dbus/system_bus_socket")
    connection.sendall(f"\0AUTH EXTERNAL {str(os.getuid()).encode().hex()}\r\nNEGOTIATE_UNIX_FD\r\nBEGIN\r\n".encode())
    connection.sendall(call("Hello", interface=BUS, to=BUS))
    heard = b""
    while b"NameAcquired" not in heard:
        heard += connection.recv(CHUNK)
    connection.setblocking(False)
    return connection


class Sender:
    """A connection: what it still has to send, has received, and waits for."""

    def __init__(self, message: bytes, count: int, descriptors: int = 0) -> None:
        self.socket = connect()
        self._descriptors = struct.pack(f"{descriptors}i", *[0] * descriptors)
        self._wants_answer = not message[2] & Gio.DBusMessageFlags.NO_REPLY_EXPECTED and message[1] == 1
        self._message, self._left = message, count
        self._most = min(OPEN, CHUNK * 100 // len(message) + 1) if self._wants_answer else sys.maxsize
        self._most = 4 if descriptors else self._most  # more than 1,024 in all the kernel lets nobody have under way
        self.sent, self._open = 0, 0
        self._out, self._in = memoryview(b""), b""
        self._carried: list[tuple[int, int, bytes]] = []
        self.answered = 0

    def fileno(self) -> int:
        return self.socket.fileno()

    @property
    def may_send(self) -> bool:
        return bool(self._out) or (self._left > 0 and self._open < self._most)

    @property
    def is_done(self) -> bool:
        return not self._left and not self._out and not (self._wants_answer and self._open)

    def receive(self) -> None:
        """Take and count answers. Raises OSError if the bus has closed the connection."""
        with suppress(BlockingIOError):
            if not (fresh := self.socket.recv(CHUNK)):
                raise ConnectionResetError
            self._in += fresh
        while len(self._in) >= 16:
            body, fields = struct.unpack_from("<4xI4xI", self._in)
            size = 16 + fields + -fields % 8 + body
            if len(self._in) < size:
                break
            self._in = self._in[size:]
            self._open -= 1
            self.answered += 1

    def send(self) -> None:
        """Send as much as the bus takes. Raises OSError if the bus has closed the connection."""
        if not self._out:
            count = min(self._most - self._open, CHUNK // len(self._message) + 1, self._left)
            count = 1 if self._descriptors else count
            self._out = memoryview(self._numbered(count))
            self._open += count
            self._left -= count
            self._carried = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, self._descriptors)] if self._descriptors else []
        with suppress(BlockingIOError):
            self._out = self._out[self.socket.sendmsg([self._out], self._carried) :]
            self._carried = []

    def _numbered(self, count: int) -> bytearray:
        fresh = bytearray(self._message * count)
        for place in range(0, len(fresh), len(self._message)):
            self.sent = self.sent % 0x7FFFFFFF + 1
            struct.pack_into("<I", fresh, place + 8, self.sent)
        return fresh


def flood(senders: list[Sender]) -> int:
    """Send from all at once; return how many were closed."""
    open_senders, readers, lost = senders.copy(), [sys.stdin], 0
    while open_senders:
        readable, writable, _ = select.select(
            [*readers, *open_senders], [sender for sender in open_senders if sender.may_send], []
        )
        if sys.stdin in readable:
            if sys.stdin.readline():
                break
            readers.clear()
            continue
        for sender in {*readable, *writable}:
            try:
                sender.receive()
                if sender.may_send:
                    sender.send()
            except OSError:
                open_senders.remove(sender)
                lost += 1
        open_senders = [sender for sender in open_senders if not sender.is_done]
    return lost


def main() -> None:
    kind, connections, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    message = KINDS[kind]()
    descriptors = DESCRIPTORS if kind == "descriptors" else 0
    senders = [Sender(message, count, descriptors) for _ in range(connections)]
    print("ready", flush=True)
    sys.stdin.readline()
    lost = flood(senders)
    sent, answered = (
        sum(counts) for counts in zip(*((sender.sent, sender.answered) for sender in senders), strict=True)
    )
    print(json.dumps({"sent": sent, "answered": answered, "lost": lost}))


if __name__ == "__main__":
    main()
