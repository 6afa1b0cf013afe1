# SPDX-License-Identifier: GPL-3.0-or-later
"""Whom polkit lets pass, and how many may wait; with a polkit and a bus of the test's own."""

from __future__ import annotations

from typing import Any

import pytest
from gi.repository import Gio, GLib

from disktuner_helper import contract
from disktuner_helper.authority import Authority, Call
from disktuner_helper.contract import Action
from disktuner_helper.errors import AccessDenied, Busy


class Bus:
    """Answers questions: ``polkit`` in their order (an exception is raised), and uids by sender."""

    def __init__(self, *polkit: tuple[bool, bool] | GLib.Error, uid: int | GLib.Error = 1000) -> None:
        self.polkit = list(polkit)
        self.uid = uid
        self.asked: list[tuple[int, int]] = []
        self.withdrawn = self.uid_questions = 0

    def call_sync(self, *words: Any) -> GLib.Variant:
        _name, _path, _interface, method, question, _kind, _flags, limit_ms, cancellable = words
        if method == "GetConnectionUnixUser":
            self.uid_questions += 1
            if isinstance(self.uid, GLib.Error):
                raise self.uid
            return GLib.Variant("(u)", (self.uid,))
        assert method == "CheckAuthorization" and isinstance(cancellable, Gio.Cancellable)
        (kind, subject), action, details, flags, ticket = question.unpack()
        assert (kind, subject["name"], action) == ("system-bus-name", ":1.1", "org.disktuner.persist")
        assert details["disk.title"] == "sda" and ticket
        self.asked.append((flags, limit_ms))
        answer = self.polkit.pop(0)
        if isinstance(answer, GLib.Error):
            raise answer
        return GLib.Variant("((bba{ss}))", ((*answer, {}),))

    def call(self, *words: Any) -> None:
        assert words[3] == "CancelCheckAuthorization"
        self.withdrawn += 1


YES, NO, ASK = (True, False), (False, False), (False, True)
GONE = GLib.Error("gone")


def ask(bus: Bus, *, interactive: bool, gone: bool = False) -> None:
    call = Call(":1.1", "Persist", interactive)
    if gone:
        call.gone.cancel()
    Authority(bus).require(call, Action.PERSIST, {"disk.title": "sda"})


@pytest.mark.parametrize(("answers", "interactive"), [([YES], False), ([YES], True), ([ASK, YES], True)])
def test_who_is_allowed(answers: list[tuple[bool, bool]], interactive: bool) -> None:
    bus = Bus(*answers)
    ask(bus, interactive=interactive)
    assert bus.asked == [(0, 25_000), (1, 300_000)][: len(answers)]


@pytest.mark.parametrize(
    ("answers", "interactive"),
    [([NO], True), ([ASK], False), ([ASK, NO], True), ([ASK, ASK], True), ([GONE], True), ([ASK, GONE], True)],
)
def test_who_is_not(answers: list[Any], interactive: bool) -> None:
    bus = Bus(*answers)
    with pytest.raises(AccessDenied):
        ask(bus, interactive=interactive)
    assert bus.polkit == []
    assert bus.withdrawn == (answers[-1] is GONE)


@pytest.mark.parametrize(
    ("answers", "interactive", "reason"),
    [
        ([NO], True, "not-agreed"),
        ([ASK, NO], True, "not-agreed"),
        ([ASK, ASK], True, "nobody-to-ask"),
        ([ASK], False, "nobody-to-ask"),
    ],
)
def test_whether_somebody_was_asked_is_said(answers: list[Any], interactive: bool, reason: str) -> None:
    """polkit leaves the question open where no agent took it, and says no where one did."""
    with pytest.raises(AccessDenied, match=f"^{reason}$"):
        ask(Bus(*answers), interactive=interactive)


def test_who_has_left_meanwhile_is_not() -> None:
    with pytest.raises(AccessDenied):
        ask(Bus(YES), interactive=True, gone=True)


def test_a_caller_is_known_by_the_bus() -> None:
    call = Call(":1.1", "Persist")
    Authority(Bus(uid=7)).identify(call)
    assert call.uid == 7
    with pytest.raises(AccessDenied):
        Authority(Bus(uid=GONE)).identify(call)


def test_the_bus_is_asked_once_per_name_and_again_where_it_gave_no_answer() -> None:
    bus = Bus(uid=GONE)
    authority = Authority(bus)
    with pytest.raises(AccessDenied):
        authority.identify(Call(":1.1", "Persist"))
    bus.uid = 7
    for sender in (":1.1", ":1.2", ":1.1"):
        authority.identify(Call(sender, "Persist"))
    assert bus.uid_questions == 3


def test_it_says_why_there_is_no_authorisation() -> None:
    late = GLib.Error.new_literal(Gio.io_error_quark(), "late", Gio.IOErrorEnum.TIMED_OUT)
    for error, why in ((late, "no-answer"), (GONE, "not-asked")):
        with pytest.raises(AccessDenied, match=f"^{why} seconds={contract.ANSWER_LIMIT_S}$"):
            ask(Bus(error), interactive=False)


def test_only_so_many_calls_at_once() -> None:
    authority = Authority(Bus())
    calls = [Call(f":1.{n // contract.MAX_CALLS_PER_CALLER}", "Persist") for n in range(contract.MAX_CALLS)]
    for number, call in enumerate(calls):
        authority.admit(call)
        if (number + 1) % contract.MAX_CALLS_PER_CALLER == 0:
            with pytest.raises(Busy):
                authority.admit(Call(call.sender, "Persist"))
    with pytest.raises(Busy):
        authority.admit(Call(":1.99", "Persist"))
    for call in calls[: contract.MAX_CALLS_PER_UID]:
        authority.identify(call)
    with pytest.raises(Busy):
        authority.identify(calls[contract.MAX_CALLS_PER_UID])
    authority.leave(calls[0])
    authority.leave(calls[0])
    authority.admit(Call(":1.99", "Persist"))


def test_the_questions_of_who_left_are_withdrawn() -> None:
    authority = Authority(Bus())
    mine, others = Call(":1.1", "Persist"), Call(":1.2", "Persist")
    for call in (mine, others):
        authority.admit(call)
    authority.left(":1.1")
    assert (mine.gone.is_cancelled(), others.gone.is_cancelled()) == (True, False)
