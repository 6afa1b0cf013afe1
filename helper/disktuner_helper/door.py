# SPDX-License-Identifier: GPL-3.0-or-later
"""The way in from the system bus, in front of GDBus.

GDBus takes a whole message apart before anybody may refuse it (5 MB become 125 MB), and calls wait in it without a
bound. So the bus's socket is read here: nothing too big is kept, and whoever calls a lot waits only for himself.
D-Bus specification, "Message Format"; the bus has checked what it delivers.
"""

import select
import socket
import struct
from collections import OrderedDict
from threading import Event, Thread

from gi.repository import Gio, GLib
from pydbus.bus import Bus

from disktuner_helper.contract import MAX_CALLS_PER_UID, MAX_MESSAGE_BYTES, NAME

_LOG_IN = b"\0AUTH EXTERNAL 30\r\nBEGIN\r\n"  # as root: its number, the text "0", in hexadecimal
_CALL, _NO_ANSWER = 1, 1
# How fields of a header begin: who sends it, the types of its arguments, and one that means nothing.
_SENDER, _TYPES, _NOTHING = b"\x07\x01s\0", b"\x08\x01g\0", b"\x7f\x01g\0"
_AT_ONCE = 1 << 16


def connect() -> Gio.DBusConnection:
    """GDBus's connection to the system bus, behind the door. It raises SIGTERM here when the bus ends."""
    bus, (inner, outer) = socket.socket(socket.AF_UNIX), socket.socketpair()
    bus.connect("/run/dbus/system_bus_socket")
    bus.sendall(_LOG_IN)
    bus.recv(_AT_ONCE)  # OK; where it is not, the bus closes the connection
    Thread(target=_pass_on, args=(bus, outer), daemon=True).start()
    source, sink = Gio.UnixInputStream.new(inner.detach(), True), Gio.UnixOutputStream.new(bus.fileno(), False)
    stream, flags = Gio.SimpleIOStream.new(source, sink), Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION
    connection = Gio.DBusConnection.new_sync(stream, None, flags, None, None)
    connection.set_exit_on_close(True)
    return connection


def take_name(connection: Gio.DBusConnection) -> None:
    """Own the helper's name: from now on calls come. Nobody may take it away."""
    Bus(connection).request_name(NAME, allow_replacement=False)


def _pass_on(bus: socket.socket, to_gdbus: socket.socket) -> None:
    """All that has come is taken in before the next call goes on, one of each caller in turn."""
    waiting: OrderedDict[bytes, list[bytes]] = OrderedDict()
    with to_gdbus:
        while start := bus.recv(16, socket.MSG_WAITALL):
            kind, flags, body, fields = struct.unpack(("<" if start[:1] == b"l" else ">") + "xBBxI4xI", start)
            header, content = _take(bus, fields + -fields % 8, kind), _take(bus, body, kind)
            if kind != _CALL and (content or not body):
                to_gdbus.sendall(start + header + content)
            elif kind == _CALL and header and not flags & _NO_ANSWER:
                calls = waiting.setdefault(header.rpartition(_SENDER)[2][4:].partition(b"\0")[0], [])
                if len(calls) >= MAX_CALLS_PER_UID or (body and not content):  # without arguments GDBus refuses it
                    start, header, content = start[:4] + bytes(4) + start[8:], header.replace(_TYPES, _NOTHING), b""
                calls.append(start + header + content)
            while waiting and not select.select([bus], [], [], 0)[0]:
                select.select([], [bus], [])  # the bus takes the answers to those before
                sender, calls = waiting.popitem(last=False)
                to_gdbus.sendall(calls.pop(0))
                if calls:
                    waiting[sender] = calls
                GLib.idle_add((handled := Event()).set)  # comes after the calls that GDBus has
                handled.wait(1)


def _take(bus: socket.socket, size: int, kind: int) -> bytes:
    """The next bytes; nothing where they are more than anybody needs to send. The bus answers us at greater length."""
    if size <= (MAX_MESSAGE_BYTES if kind == _CALL else _AT_ONCE):
        return bus.recv(size, socket.MSG_WAITALL)
    while size > 0 and (some := bus.recv(min(size, _AT_ONCE))):
        size -= len(some)
    return b""
