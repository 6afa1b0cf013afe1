# SPDX-License-Identifier: GPL-3.0-or-later
"""Asks polkit, each time anew and without keeping anybody else waiting. No answer means no."""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from gi.repository import Gio, GLib

from disktuner_helper.contract import (
    ANSWER_LIMIT_S,
    MAX_WAITING,
    MAX_WAITING_PER_CALLER,
    MAX_WAITING_PER_UID,
    PROMPT_LIMIT_S,
    Action,
)
from disktuner_helper.errors import AccessDenied, Busy
from disktuner_helper.task import bus_call

_BUS = "org.freedesktop.DBus"
_POLKIT = "org.freedesktop.PolicyKit1"
_POLKIT_OBJECT = ("/org/freedesktop/PolicyKit1/Authority", "org.freedesktop.PolicyKit1.Authority")
_ALLOW_INTERACTION = 1


@dataclass(slots=True)
class Call:
    """One call over the bus. ``cancel`` is triggered when the caller leaves; uid and change fill up for the audit."""

    sender: str
    interactive: bool
    cancel: Gio.Cancellable = field(default_factory=Gio.Cancellable)
    uid: int | None = None
    disk: str = ""
    change: str = ""


class Authority:
    """Decides by polkit's word whether a call may go on."""

    def __init__(self, connection: Gio.DBusConnection) -> None:
        self._connection = connection
        self._waiting: Counter[str | int] = Counter()

    async def ask(self, call: Call, action: Action, details: Callable[[], Mapping[str, str]]) -> None:
        """Return if polkit allows the action, else raise AccessDenied; Busy when too many questions are open.

        A person is asked only where the call allows it and polkit wants it; the quick question comes first, so
        that a polkitd that hangs is noticed in seconds.
        """
        with self._place(call.sender, MAX_WAITING_PER_CALLER), self._place("", MAX_WAITING):
            await self.identify(call)
            assert call.uid is not None
            with self._place(call.uid, MAX_WAITING_PER_UID):
                words = {"polkit.message": action.message, "polkit.gettext_domain": "disktuner", **details()}
                allowed, challenge = await self._check(call, action, words, 0)
                if challenge and call.interactive:
                    allowed, _ = await self._check(call, action, words, _ALLOW_INTERACTION)
        if not allowed or call.cancel.is_cancelled():
            raise AccessDenied("You are not authorised to do that; ask an administrator of this computer.")

    async def identify(self, call: Call) -> None:
        """Fill in the caller's uid from the bus, which cannot be fooled. Raises AccessDenied when it has gone."""
        target = (_BUS, "/org/freedesktop/DBus", _BUS, "GetConnectionUnixUser")
        question = GLib.Variant("(s)", (call.sender,))
        try:
            (call.uid,) = await bus_call(
                self._connection, target, question, "(u)", limit_s=ANSWER_LIMIT_S, cancel=call.cancel
            )
        except GLib.Error as error:
            raise AccessDenied("The caller has left.") from error

    async def _check(self, call: Call, action: Action, words: Mapping[str, str], flags: int) -> tuple[bool, bool]:
        """polkit's (allowed, somebody would have to be asked). The subject is the bus name: a PID can be reused."""
        ticket = secrets.token_hex(16)
        subject = ("system-bus-name", {"name": GLib.Variant("s", call.sender)})
        question = GLib.Variant("((sa{sv})sa{ss}us)", (subject, action.id, words, flags, ticket))
        limit = PROMPT_LIMIT_S if flags else ANSWER_LIMIT_S
        target = (_POLKIT, *_POLKIT_OBJECT, "CheckAuthorization")
        try:
            ((allowed, challenge, _),) = await bus_call(
                self._connection, target, question, "((bba{ss}))", limit_s=limit, cancel=call.cancel
            )
        except GLib.Error as error:
            self._withdraw(ticket)
            raise AccessDenied("Nobody could be asked for authorisation: polkit does not answer.") from error
        return allowed, challenge

    def _withdraw(self, ticket: str) -> None:
        """Close the password prompt of a caller that has left or waited too long."""
        target = (_POLKIT, *_POLKIT_OBJECT, "CancelCheckAuthorization")
        question = GLib.Variant("(s)", (ticket,))
        self._connection.call(*target, question, None, Gio.DBusCallFlags.NO_AUTO_START, -1, None, None)

    @contextmanager
    def _place(self, who: str | int, limit: int) -> Iterator[None]:
        if self._waiting[who] >= limit:
            raise Busy("Too many questions are waiting for an answer; answer or close those first.")
        self._waiting[who] += 1
        try:
            yield
        finally:
            self._waiting[who] -= 1
            if not self._waiting[who]:
                del self._waiting[who]
