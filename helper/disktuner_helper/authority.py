# SPDX-License-Identifier: GPL-3.0-or-later
"""Who calls, and whether polkit allows it: asked for every call, for a bounded number of calls. No answer means no.

Each question waits in its call's thread: PyGObject leaks memory with each asynchronous call, none with a blocking one.
"""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from gi.repository import Gio, GLib

from disktuner_helper import contract, errors

BUS = ("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus")
POLKIT = "org.freedesktop.PolicyKit1", "/org/freedesktop/PolicyKit1/Authority", "org.freedesktop.PolicyKit1.Authority"
_ALLOW_INTERACTION = 1


@dataclass(slots=True, eq=False)
class Call:
    """One call over the bus. ``gone`` is cancelled when the caller leaves; ``uid`` to ``change`` are for the audit."""

    sender: str
    method: str
    interactive: bool = False
    gone: Gio.Cancellable = field(default_factory=Gio.Cancellable)
    uid: int = -1
    disk: str = ""
    change: str = ""


class Authority:
    """Asks polkit whether a call may proceed. ``calls``: those under way; ``connection``: to the bus."""

    def __init__(self, connection: Any, limits: contract.Limits) -> None:
        self.connection = connection
        self._limits = limits
        self.calls: set[Call] = set()

    def admit(self, call: Call) -> None:
        """Admit a call. Raises Busy. Only for the main thread."""
        calls_of_sender = sum(other.sender == call.sender for other in self.calls.copy())
        if calls_of_sender >= contract.MAX_CALLS_PER_CALLER or len(self.calls) >= contract.MAX_CALLS:
            raise errors.Busy("too-many-calls")
        self.calls.add(call)

    def identify(self, call: Call) -> None:
        """Fill in the caller's uid from the bus, which cannot be forged. Raises AccessDenied, or Busy for too many."""
        question = GLib.Variant("(s)", (call.sender,))
        (call.uid,) = self._ask((*BUS, "GetConnectionUnixUser"), question, self._limits.answer_s, None)
        if sum(other.uid == call.uid for other in self.calls.copy()) > contract.MAX_CALLS_PER_UID:
            raise errors.Busy("too-many-calls")

    def require(self, call: Call, action: contract.Action, details: Mapping[str, str]) -> None:
        """Return if polkit allows the action, else raise AccessDenied."""
        # The question without a person comes first, so that a hung polkitd is noticed within seconds.
        allowed, challenge = self._check(call, action, details, 0)
        if challenge and call.interactive:
            # If a person was asked, polkit's refusal is a plain no; if nobody could be, it is still a challenge.
            allowed, challenge = self._check(call, action, details, _ALLOW_INTERACTION)
        if not allowed or call.gone.is_cancelled():
            raise errors.AccessDenied("nobody-to-ask" if challenge else "not-agreed")

    def _check(self, call: Call, action: contract.Action, details: Mapping[str, str], flags: int) -> tuple[bool, bool]:
        """Return polkit's (allowed, challenge). The subject is the bus name, as a PID can be reused."""
        limit_s = self._limits.prompt_s if flags else self._limits.answer_s
        ticket = secrets.token_hex(16)
        subject = ("system-bus-name", {"name": GLib.Variant("s", call.sender)})
        question = GLib.Variant("((sa{sv})sa{ss}us)", (subject, action.value, details, flags, ticket))
        try:
            ((allowed, challenge, _),) = self._ask((*POLKIT, "CheckAuthorization"), question, limit_s, call.gone)
        except errors.AccessDenied:  # close the prompt of a caller that has left or waited too long
            withdrawn, no_start = GLib.Variant("(s)", (ticket,)), Gio.DBusCallFlags.NO_AUTO_START
            self.connection.call(*POLKIT, "CancelCheckAuthorization", withdrawn, None, no_start, -1, None, None)
            raise
        return allowed, challenge

    def _ask(self, to: tuple[str, ...], question: GLib.Variant, limit_s: float, gone: Gio.Cancellable | None) -> Any:
        try:
            return self.connection.call_sync(*to, question, None, 0, int(limit_s * 1000), gone).unpack()
        except GLib.Error as error:
            late = error.matches(Gio.io_error_quark(), Gio.IOErrorEnum.TIMED_OUT)
            raise errors.AccessDenied("no-answer" if late else "not-asked", seconds=f"{limit_s:.0f}") from error
