# SPDX-License-Identifier: GPL-3.0-or-later
"""Who calls, and whether polkit lets them: asked each time anew, for a bounded number of calls. No answer means no.

The questions wait in their call's own thread, so nobody waits for another's password. (PyGObject loses memory with
each asynchronous call, none with a blocking one.)
"""

import secrets
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from gi.repository import Gio, GLib

from disktuner_helper import contract, errors

BUS = ("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus")
POLKIT = "org.freedesktop.PolicyKit1", "/org/freedesktop/PolicyKit1/Authority", "org.freedesktop.PolicyKit1.Authority"
_ALLOW_INTERACTION = 1


@dataclass(slots=True, eq=False)
class Call:
    """One call over the bus. ``gone`` is cancelled when the caller leaves; the rest is for the audit."""

    sender: str
    method: str
    interactive: bool = False
    gone: Gio.Cancellable = field(default_factory=Gio.Cancellable)
    uid: int = -1
    disk: str = ""
    change: str = ""


class Authority:
    """Decides by polkit's word whether a call may go on. ``calls``: those under way; ``connection``: to the bus."""

    def __init__(self, connection: Any, limits: contract.Limits) -> None:
        self.connection = connection
        self._limits = limits
        self.calls: list[Call] = []
        # The bus never gives a unique name to anybody else: one question per caller is enough.
        self._uid_of = lru_cache(contract.MAX_CALLS)(self._ask_for_uid)

    def admit(self, call: Call) -> None:
        """Take a call in, or raise Busy. Only for the main thread."""
        mine = sum(one.sender == call.sender for one in self.calls)
        if mine >= contract.MAX_CALLS_PER_CALLER or len(self.calls) >= contract.MAX_CALLS:
            raise errors.Busy("too-many-calls")
        self.calls.append(call)

    def leave(self, call: Call) -> None:
        with suppress(ValueError):
            self.calls.remove(call)

    def left(self, sender: str) -> None:
        """The caller has left the bus: its open questions are withdrawn."""
        for call in self.calls.copy():
            if call.sender == sender:
                call.gone.cancel()

    def identify(self, call: Call) -> None:
        """Fill in the caller's uid from the bus, which cannot be fooled. Raises AccessDenied, and Busy for too many."""
        call.uid = self._uid_of(call.sender)
        if sum(one.uid == call.uid for one in self.calls.copy()) > contract.MAX_CALLS_PER_UID:
            raise errors.Busy("too-many-calls")

    def require(self, call: Call, action: contract.Action, details: Mapping[str, str]) -> None:
        """Return if polkit allows the action, else raise AccessDenied.

        A person is asked only where the call allows it and polkit wants it; the quick question comes first, so
        that a polkitd that hangs is noticed in seconds.
        """
        allowed, challenge = self._check(call, action, details, 0)
        if challenge and call.interactive:
            # Where somebody was asked, polkit's answer is a plain no; where nobody was there, it is still a question.
            allowed, challenge = self._check(call, action, details, _ALLOW_INTERACTION)
        if not allowed or call.gone.is_cancelled():
            raise errors.AccessDenied("nobody-to-ask" if challenge else "not-agreed")

    def _ask_for_uid(self, sender: str) -> int:
        limit_s = self._limits.answer_s
        return int(self._ask((*BUS, "GetConnectionUnixUser"), GLib.Variant("(s)", (sender,)), limit_s, None)[0])

    def _check(self, call: Call, action: contract.Action, details: Mapping[str, str], flags: int) -> tuple[bool, bool]:
        """polkit's (allowed, somebody would have to be asked). The subject is the bus name: a PID can be reused."""
        limit_s = self._limits.prompt_s if flags else self._limits.answer_s
        ticket = secrets.token_hex(16)
        subject = ("system-bus-name", {"name": GLib.Variant("s", call.sender)})
        question = GLib.Variant("((sa{sv})sa{ss}us)", (subject, action.value, details, flags, ticket))
        try:
            ((allowed, challenge, _),) = self._ask((*POLKIT, "CheckAuthorization"), question, limit_s, call.gone)
        except errors.AccessDenied:  # the prompt of a caller that has left or waited too long is to be closed
            withdrawn, no_start = GLib.Variant("(s)", (ticket,)), Gio.DBusCallFlags.NO_AUTO_START
            self.connection.call(*POLKIT, "CancelCheckAuthorization", withdrawn, None, no_start, -1, None, None)
            raise
        return allowed, challenge

    def _ask(self, to: tuple[str, ...], question: GLib.Variant, limit_s: float, gone: Gio.Cancellable | None) -> Any:
        limit_ms = int(limit_s * 1000)
        try:
            return self.connection.call_sync(*to, question, None, 0, limit_ms, gone).unpack()
        except GLib.Error as error:
            late = error.matches(Gio.io_error_quark(), Gio.IOErrorEnum.TIMED_OUT)
            raise errors.AccessDenied("no-answer" if late else "not-asked", seconds=f"{limit_s:.0f}") from error
