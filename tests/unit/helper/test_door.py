# SPDX-License-Identifier: GPL-3.0-or-later
"""What the door lets in: nothing too big, no call that wants no answer, one call of each caller in turn."""

from __future__ import annotations

import socket
import struct
from collections.abc import Callable, Iterator
from threading import Thread
from types import SimpleNamespace

import pytest
from gi.repository import Gio, GLib

from disktuner_helper import door
from disktuner_helper.contract import MAX_MESSAGE_BYTES

NAME, PATH = "org.disktuner.Helper1", "/org/disktuner/Helper1"


def call(
    serial: int, sender: str = ":1.1", types: str = "", *values: object, silent: bool = False, member: str = "Revert"
) -> Gio.DBusMessage:
    """As the bus delivers it."""
    made = Gio.DBusMessage.new_method_call(NAME, PATH, NAME, member)
    if silent:
        made.set_flags(Gio.DBusMessageFlags.NO_REPLY_EXPECTED)
    if types:
        made.set_body(GLib.Variant(types, values))
    made.set_sender(sender)
    made.set_serial(serial)
    return made


def blob(message: Gio.DBusMessage) -> bytes:
    return bytes(message.to_blob(Gio.DBusCapabilityFlags.NONE))


class Passage:
    """A door between two sockets."""

    def __init__(self) -> None:
        self.bus, outside = socket.socketpair()
        inside, self._gdbus = socket.socketpair()
        self._outside, self._heard = outside, b""
        self._thread = Thread(target=door._pass_on, args=(outside, inside))

    def through(self, *messages: bytes, passing: int) -> list[Gio.DBusMessage]:
        """The first that come out of the door when all of it is there before the door opens."""
        writer = Thread(target=self._write, args=(b"".join(messages),))
        writer.start()
        if sum(map(len, messages)) < 100_000:
            writer.join()
        self._thread.start()
        while len(heard := list(self._taken_apart())) < passing:
            self._heard += self._gdbus.recv(1 << 16)
        writer.join()
        self.bus.close()
        self._thread.join()
        return heard

    def _write(self, text: bytes) -> None:
        self.bus.sendall(text)

    def _taken_apart(self) -> Iterator[Gio.DBusMessage]:
        text = self._heard
        while len(text) >= 16:
            body, fields = struct.unpack_from("<4xI4xI", text)
            size = 16 + fields + -fields % 8 + body
            if len(text) < size:
                return
            yield Gio.DBusMessage.new_from_blob(text[:size], Gio.DBusCapabilityFlags.NONE)
            text = text[size:]

    def close(self) -> None:
        for one in (self.bus, self._outside, self._gdbus):
            one.close()


@pytest.fixture
def through(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., list[Gio.DBusMessage]]]:
    """Sends messages through a door; GDBus handles each at once."""
    monkeypatch.setattr(door, "GLib", SimpleNamespace(idle_add=lambda done: done()))
    passage = Passage()
    yield lambda *messages, passing: passage.through(*map(blob, messages), passing=passing)
    passage.close()


def test_a_call_passes_as_it_is(through: Callable[..., list[Gio.DBusMessage]]) -> None:
    (heard,) = through(call(7, ":1.9", "(sts)", "sda", 1, "bfq"), passing=1)
    assert (heard.get_serial(), heard.get_sender(), heard.get_member()) == (7, ":1.9", "Revert")
    assert heard.get_body().unpack() == ("sda", 1, "bfq")


def test_who_wants_no_answer_is_not_heard(through: Callable[..., list[Gio.DBusMessage]]) -> None:
    heard = through(call(1, silent=True), call(2), call(3, ":1.2", "(s)", "x" * 9999, silent=True), passing=1)
    assert [one.get_serial() for one in heard] == [2]


def test_what_is_too_big_loses_its_arguments_and_so_is_refused(through: Callable[..., list[Gio.DBusMessage]]) -> None:
    heard = through(call(1, ":1.1", "(s)", "x" * MAX_MESSAGE_BYTES), call(2, ":1.1", "(s)", "sda"), passing=2)
    assert [(one.get_serial(), one.get_sender(), one.get_member()) for one in heard] == [
        (1, ":1.1", "Revert"),
        (2, ":1.1", "Revert"),
    ]
    assert [heard[0].get_body(), heard[0].get_signature(), heard[1].get_body().unpack()] == [None, "", ("sda",)]


def test_callers_take_turns(through: Callable[..., list[Gio.DBusMessage]]) -> None:
    flood = [call(number, ":1.1") for number in range(1, 6)]
    heard = through(*flood, call(6, ":1.2"), call(7, ":1.3"), passing=7)
    assert [one.get_serial() for one in heard] == [1, 6, 7, 2, 3, 4, 5]


def test_answers_and_signals_pass_before_calls(through: Callable[..., list[Gio.DBusMessage]]) -> None:
    answer = Gio.DBusMessage.new_method_reply(call(5))
    answer.set_serial(11)
    signal = Gio.DBusMessage.new_signal(PATH, "org.freedesktop.DBus", "NameOwnerChanged")
    signal.set_serial(12)
    huge = Gio.DBusMessage.new_signal(PATH, NAME, "Changed")
    huge.set_serial(13)
    huge.set_body(GLib.Variant("(s)", ("x" * 100_000,)))
    heard = through(call(1), answer, huge, signal, passing=3)
    assert [one.get_serial() for one in heard] == [11, 12, 1]
