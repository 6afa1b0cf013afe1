# SPDX-License-Identifier: GPL-3.0-or-later
"""Whom polkit admits, and how many may wait, with a fake polkit and bus."""

from __future__ import annotations

from typing import Any

import pytest
from gi.repository import Gio, GLib

from disktuner_helper import contract
from disktuner_helper.authority import Authority, Call
from disktuner_helper.contract import Action
from disktuner_helper.errors import AccessDenied


class Bus:
    """Answers questions: ``polkit`` in order (exceptions are raised), and uids by sender."""

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
LATE = GLib.Error.new_literal(Gio.io_error_quark(), "late", Gio.IOErrorEnum.TIMED_OUT)
LIMITS = contract.Limits(answer_s=2, prompt_s=7)


def ask(bus: Bus, *, interactive: bool, gone: bool = False) -> None:
    call = Call(":1.1", "Persist", interactive)
    if gone:
        call.gone.cancel()
    Authority(bus, LIMITS).require(call, Action.PERSIST, {"disk.title": "sda"})


@pytest.mark.parametrize(("answers", "interactive"), [([YES], False), ([YES], True), ([ASK, YES], True)])
def test_who_is_allowed(answers: list[tuple[bool, bool]], interactive: bool) -> None:
    bus = Bus(*answers)
    ask(bus, interactive=interactive)
    assert bus.asked == [(0, 2_000), (1, 7_000)][: len(answers)]


@pytest.mark.parametrize(
    ("answers", "interactive", "reason"),
    [
        ([NO], True, "not-agreed"),
        ([ASK, NO], True, "not-agreed"),
        ([ASK, ASK], True, "nobody-to-ask"),  # polkit leaves the question open where no agent took it
        ([ASK], False, "nobody-to-ask"),
        ([GONE], True, "not-asked seconds=2"),
        ([LATE], False, "no-answer seconds=2"),
        ([ASK, LATE], True, "no-answer seconds=7"),
    ],
)
def test_who_is_not_and_why(answers: list[Any], interactive: bool, reason: str) -> None:
    bus = Bus(*answers)
    with pytest.raises(AccessDenied, match=f"^{reason}$"):
        ask(bus, interactive=interactive)
    assert bus.polkit == []
    assert bus.withdrawn == isinstance(answers[-1], GLib.Error)


def test_who_has_left_meanwhile_is_not() -> None:
    with pytest.raises(AccessDenied):
        ask(Bus(YES), interactive=True, gone=True)


def test_a_caller_is_known_by_the_bus_which_is_asked_for_each_call() -> None:
    bus = Bus(uid=GONE)
    authority = Authority(bus, LIMITS)
    with pytest.raises(AccessDenied):
        authority.identify(Call(":1.1", "Persist"))
    bus.uid = 7
    for sender in (":1.1", ":1.2", ":1.1"):
        call = Call(sender, "Persist")
        authority.identify(call)
        assert call.uid == 7
    assert bus.uid_questions == 4
