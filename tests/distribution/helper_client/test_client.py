# SPDX-License-Identifier: GPL-3.0-or-later
"""The calls match the interface, and both ways to send them bring the same answers, over a real bus."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from threading import Event, Thread
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from gi.repository import Gio, GLib
from tests.distribution.helper_client.conftest import Open
from tests.waiting import until

from disktuner.helper_client import calls
from disktuner.helper_client.calls import Call
from disktuner.helper_client.client import NAME, HelperClient
from disktuner.helper_client.errors import Busy
from disktuner.vocabulary.errors import Cancelled, DisktunerError, HelperNotThere
from disktuner_helper import contract

CALLS: tuple[Call[Any], ...] = (
    calls.set_disks([("sda", 7), ("sdb", 0)], "bfq", {"queue/nomerges": 1}, persist=True),
    calls.insist([("sda", 7)], "bfq", {"queue/nomerges": 1}),
    calls.revert([("sda", 7)]),
    calls.forget(),
    calls.undo([("sda", 7)]),
    calls.begin_trial([("sda", 7), ("sdb", 0)]),
    calls.set_trial("t1", "sda", "bfq", {"iosched/slice_idle": 0}),
    calls.keep_trial("t1", persist=True),
    calls.keep_alive("t1"),
    calls.end_trial("t1"),
    calls.begin_field_trial(("sda", 7), [("bfq", {"iosched/slice_idle": 0}), ("kyber", {})], 2_000_000_000),
    calls.set_field_trial("t1", 1),
    calls.end_field_trial("t1"),
    calls.get_state(),
)
STATE = '{"version": "1", "snapshots": [], "trials": [], "persistent": [], "problem": null}'


ALLOW_INTERACTION = Gio.DBusMessageFlags.ALLOW_INTERACTIVE_AUTHORIZATION


class Stub:
    """Owns the helper's name and answers by method: with a text, nothing, or an error's name and text."""

    def __init__(self, bus: Gio.DBusConnection) -> None:
        self.bus, self.loop = bus, GLib.MainLoop()
        self.heard: list[tuple[str, tuple[Any, ...]]] = []
        self.asking: list[bool] = []
        self.answers: dict[str, Any] = {
            "BeginTrial": "t1",
            "BeginFieldTrial": "t1",
            "Set": {"sda": "rule"},
            "KeepTrial": {"sda": "rule"},
            "GetState": STATE,
        }
        self.silent: set[str] = set()
        interface = Gio.DBusNodeInfo.new_for_xml(contract.INTERFACE_XML.read_text()).interfaces[0]
        has_newer = hasattr(bus, "register_object_with_closures2")  # since GLib 2.84
        register = bus.register_object_with_closures2 if has_newer else bus.register_object
        register(contract.OBJECT_PATH, interface, self._called, None, None)
        dbus = ("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "RequestName")
        bus.call_sync(*dbus, GLib.Variant("(su)", (NAME, 4)), None, Gio.DBusCallFlags.NONE, -1, None)

    def _called(self, *message: Any) -> None:
        *_, method, arguments, invocation = message
        self.heard.append((method, arguments.unpack()))
        self.asking.append(bool(invocation.get_message().get_flags() & ALLOW_INTERACTION))
        answer = self.answers.get(method)
        if method in self.silent:
            return
        if isinstance(answer, tuple):
            invocation.return_dbus_error(*answer)
        else:
            types = "(a{ss})" if method in ("Set", "KeepTrial") else "(s)"
            invocation.return_value(None if answer is None else GLib.Variant(types, (answer,)))

    def emit(self, signal: str, *values: str) -> None:
        self.bus.emit_signal(None, contract.OBJECT_PATH, NAME, signal, GLib.Variant(f"({'s' * len(values)})", values))

    def answers_to(self, work: Callable[[], Any]) -> Any:
        """Return what ``work`` returns or raises in another thread, while this one answers."""
        outcomes: list[Any] = []

        def in_thread() -> None:
            try:
                outcomes.append(work())
            except DisktunerError as error:
                outcomes.append(error)
            GLib.idle_add(self.loop.quit)

        thread = Thread(target=in_thread)
        thread.start()
        self.loop.run()
        thread.join()
        return outcomes[0]

    def serve(self, is_over: Callable[[], object]) -> None:
        """Answer until ``is_over``."""
        context = GLib.MainContext.default()
        until(lambda: is_over() or (context.iteration(False) and is_over()))


@pytest.fixture
def stub(opened: Open) -> Stub:
    return Stub(opened())


@pytest.fixture
def client(opened: Open) -> HelperClient:
    return HelperClient(opened)


def test_the_calls_are_the_methods_of_the_interface() -> None:
    declared = {}
    for method in ET.parse(contract.INTERFACE_XML).iter("method"):
        types = [arg.attrib["type"] for arg in method.iter("arg") if arg.attrib["direction"] == "in"]
        declared[method.attrib["name"]] = f"({''.join(types)})"
    assert {call.method: call.types for call in CALLS} == declared
    assert len(CALLS) == len(declared)


def test_both_ways_to_call_bring_the_same_answer(stub: Stub, client: HelperClient) -> None:
    for call in CALLS:
        waited = stub.answers_to(lambda call=call: client.wait(call))
        sent: list[Any] = []
        client.send(call, sent.append, sent.append)
        stub.serve(lambda sent=sent: sent)
        assert sent == [waited] == [call.read((stub.answers.get(call.method),))]
        assert stub.heard[-1] == stub.heard[-2] and stub.heard[-1][0] == call.method


BUSY = ("org.disktuner.Error.Busy", "disk-in-trial disk=sda")


@pytest.mark.parametrize(
    ("answer", "kind", "id_"),
    [(BUSY, Busy, "refused-disk-in-trial"), ("{}", HelperNotThere, "helper-of-another-version")],
)
def test_both_ways_to_call_bring_the_same_error(
    stub: Stub, client: HelperClient, answer: Any, kind: type[DisktunerError], id_: str
) -> None:
    stub.answers["GetState"] = answer
    failed: list[DisktunerError] = []
    client.send(calls.get_state(), lambda _: None, failed.append)
    stub.serve(lambda: failed)
    for error in (*failed, stub.answers_to(lambda: client.wait(calls.get_state()))):
        assert isinstance(error, kind) and error.message.id == id_


class SlowStart:
    """A connection to a bus that fails so many starts of the helper before it answers."""

    def __init__(self, failures: int) -> None:
        self.left, self.calls = failures, 0

    def call_sync(self, *_: Any) -> GLib.Variant:
        self.calls += 1
        self.left -= 1
        if self.left >= 0:
            raise Gio.DBusError.new_for_dbus_error("org.freedesktop.DBus.Error.TimedOut", "Failed to activate")
        return GLib.Variant("(s)", (STATE,))

    call_finish = call_sync

    def is_closed(self) -> bool:
        return False

    def call(self, *words: Any) -> None:
        words[-1](self, None)


def test_a_helper_that_starts_slowly_is_called_once_more() -> None:
    for failures, outcome in ((0, "HelperState"), (1, "HelperState"), (2, "HelperNotThere")):
        bus = SlowStart(failures)
        heard: list[Any] = []
        HelperClient(lambda bus=bus: bus).send(calls.get_state(), heard.append, heard.append)
        assert type(heard[0]).__name__ == outcome and bus.calls == min(failures + 1, 2)
        bus = SlowStart(failures)
        try:
            heard.append(HelperClient(lambda bus=bus: bus).wait(calls.get_state()))
        except HelperNotThere as error:
            heard.append(error)
            assert error.message.id == "helper-not-started"
        assert type(heard[1]).__name__ == outcome and bus.calls == min(failures + 1, 2)


def test_nothing_is_called_back_after_the_end(stub: Stub, client: HelperClient, opened: Open) -> None:
    heard: list[Any] = []
    client.subscribe(heard.append, lambda *trial: heard.append(trial))
    client.send(calls.revert([("sda", 7)]), heard.append, heard.append)
    stub.serve(lambda: heard)
    stub.emit("Changed", "sda")
    stub.emit("TrialEnded", "t1", "time limit")
    stub.serve(lambda: len(heard) == 3)
    assert heard == [None, "sda", ("t1", "time limit")]
    client.send(calls.revert([("sda", 7)]), heard.append, heard.append)
    client.close()
    stub.emit("Changed", "sda")
    later, answers = HelperClient(opened), list[Any]()
    later.send(calls.get_state(), answers.append, answers.append)
    stub.serve(lambda: answers)
    assert len(heard) == 3
    later.close()


def test_a_call_can_be_cancelled(stub: Stub, client: HelperClient) -> None:
    cancelled = Gio.Cancellable()
    cancelled.cancel()
    failed: list[DisktunerError] = []
    client.send(calls.revert([("sda", 7)]), lambda _: None, failed.append, cancelled)
    stub.serve(lambda: failed)
    for error in (*failed, stub.answers_to(lambda: client.wait(calls.revert([("sda", 7)]), cancelled))):
        assert isinstance(error, Cancelled)
    assert len(failed) == 1


def test_a_trial_ends_whatever_happens_in_it(stub: Stub, client: HelperClient) -> None:
    def measure() -> None:
        with client.trial([("sda", 7)]) as trial:
            trial.set("sda", "kyber", {"queue/nr_requests": 64})
            raise HelperNotThere("helper-ended")

    assert isinstance(stub.answers_to(measure), HelperNotThere)
    assert stub.heard == [
        ("BeginTrial", ([("sda", 7)],)),
        ("SetTrial", ("t1", "sda", "kyber", {"queue/nr_requests": "64"})),
        ("EndTrial", ("t1",)),
    ]


def test_a_trial_can_begin_again_without_asking_anybody(stub: Stub, client: HelperClient) -> None:
    def measure() -> None:
        with client.trial([("sda", 7)]) as trial:
            stub.answers["BeginTrial"] = "t2"
            trial.begin_again()
            trial.set("sda", "bfq")

    stub.answers_to(measure)
    assert [method for method, _ in stub.heard] == ["BeginTrial", "BeginTrial", "SetTrial", "EndTrial"]
    assert [values[0] for _, values in stub.heard[2:]] == ["t2", "t2"]
    assert stub.asking == [True, False, True, True]


def test_a_trial_is_kept_alive_as_long_as_it_lasts(stub: Stub, opened: Open) -> None:
    """Its owner sends a call now and then, as a pause may exceed the helper's half hour."""
    over = Event()

    def pause() -> None:
        with HelperClient(opened, keep_alive_s=0.001).trial([("sda", 7)]):
            over.wait()

    pausing = Thread(target=pause)
    pausing.start()
    stub.serve(lambda: stub.heard.count(("KeepAlive", ("t1",))) > 3)
    over.set()
    stub.serve(lambda: stub.heard[-1] == ("EndTrial", ("t1",)))
    pausing.join()


def test_a_helper_that_hangs_is_given_up_and_left(stub: Stub, opened: Open) -> None:
    """Calls that may need a person are not given up. Leaving the bus makes the helper end what was begun once it goes
    on.
    """
    connections: list[Gio.DBusConnection] = []

    def connecting() -> Gio.DBusConnection:
        connections.append(opened())
        return connections[-1]

    client = HelperClient(connecting)
    stub.silent = {"GetState", "SetTrial"}
    hasty = [replace(call, limit_s=0.01) for call in (calls.get_state(), calls.set_trial("t1", "sda", "bfq"))]
    failed: list[DisktunerError] = []
    client.send(hasty[0], lambda _: None, failed.append)
    stub.serve(lambda: failed)
    refused = [*failed, *(stub.answers_to(lambda call=call: client.wait(call)) for call in hasty)]
    assert all(isinstance(error, HelperNotThere) for error in refused)
    assert [error.message.id for error in refused] == ["helper-silent", "helper-silent", "switch-waits"]
    assert [connection.is_closed() for connection in connections] == [True] * 3
    assert stub.answers_to(lambda: client.wait(calls.revert())) is None, "the next call comes back"
    refused = [stub.answers_to(lambda: client.wait(hasty[1], gives_up=False))]
    assert refused[0].message.id == "switch-waits" and not connections[-1].is_closed(), "somebody else's trial goes on"
    client.close()
    needs_nobody = {call.method for call in CALLS if call.limit_s}
    assert needs_nobody == {"GetState", "SetTrial", "KeepAlive", "EndTrial", "SetFieldTrial", "EndFieldTrial"}


def test_a_bus_that_was_restarted_is_joined_again(stub: Stub, opened: Open) -> None:
    """A trial in daily use calls for weeks, and a window may be open for as long."""
    first = opened()
    connections = iter([first, opened()])
    answers: list[object] = []
    with HelperClient(lambda: next(connections)) as client:
        assert stub.answers_to(lambda: client.wait(calls.get_state()))
        first.close_sync(None)
        assert stub.answers_to(lambda: client.wait(calls.get_state()))
        client.send(calls.get_state(), answers.append, answers.append)
        stub.serve(lambda: answers)
    assert not isinstance(answers[0], DisktunerError)


def test_cancelling_a_call_that_hangs_leaves_the_bus(stub: Stub, opened: Open) -> None:
    connection, cancelled = opened(), Gio.Cancellable()
    client = HelperClient(lambda: connection)
    stub.silent = {"SetTrial"}

    def measure() -> None:
        with client.trial([("sda", 7)], cancelled) as trial:
            trial.set("sda", "bfq")

    def cancel() -> bool:
        if is_hanging := "SetTrial" in dict(stub.heard):
            cancelled.cancel()
        return not is_hanging

    GLib.timeout_add(1, cancel)
    assert isinstance(stub.answers_to(measure), Cancelled) and connection.is_closed()


def test_where_a_trial_cannot_be_ended_its_owner_leaves_the_bus(stub: Stub, opened: Open) -> None:
    connection = opened()
    client = HelperClient(lambda: connection)
    stub.answers["EndTrial"] = ("org.disktuner.Error.NoSuchTrial", "no-such-trial")

    def measure() -> None:
        with client.trial([("sda", 7)]):
            pass

    assert stub.answers_to(measure) is None
    assert connection.is_closed()


def test_without_a_bus_a_call_fails_at_once() -> None:
    def connecting() -> Gio.DBusConnection:
        raise HelperNotThere("no-system-bus", why="no such file")

    failed: list[DisktunerError] = []
    client = HelperClient(connecting)
    client.send(calls.get_state(), lambda _: None, failed.append)
    assert [error.message.id for error in failed] == ["no-system-bus"]
    with pytest.raises(HelperNotThere, match=r"no system bus \(no such file\)"):
        client.wait(calls.get_state())
    client.close()
