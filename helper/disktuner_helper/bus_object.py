# SPDX-License-Identifier: GPL-3.0-or-later
"""The object on the bus: keeps each call until its answer is there, and turns errors into their D-Bus names."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from gi.repository import Gio, GLib
from pydbus.generic import signal

from disktuner_helper import __version__
from disktuner_helper.audit import Audit
from disktuner_helper.authority import Call
from disktuner_helper.contract import NAME
from disktuner_helper.errors import AccessDenied, HelperError, WriteFailed
from disktuner_helper.idle import Idle
from disktuner_helper.presence import Presence
from disktuner_helper.service import Service
from disktuner_helper.task import start

# GLib before 2.84 leaks each invocation of an introspected binding (4-6 kB): drop the reference it forgets.
# There it is exactly one too many; later versions, which know this function, would crash.
_LEAKS = not hasattr(Gio.DBusConnection, "register_object_with_closures2")
_ALLOW_INTERACTION = Gio.DBusMessageFlags.ALLOW_INTERACTIVE_AUTHORIZATION


class BusObject:
    """What pydbus registers. Unlike pydbus's own wrapper it may answer later, so nobody waits for another."""

    SignalEmitted = signal()

    def __init__(
        self, interface: Gio.DBusInterfaceInfo, service: Service, presence: Presence, idle: Idle, audit: Audit
    ) -> None:
        self._outputs = {one.name: "".join(arg.signature for arg in one.out_args) for one in interface.methods}
        self._inputs = {one.name: "".join(arg.signature for arg in one.args) for one in interface.signals}
        self._methods = {name: getattr(service, _snake(name)) for name in self._outputs}
        self._presence = presence
        self._idle = idle
        self._audit = audit

    def __exit__(self, *_: object) -> None:
        """pydbus unregisters its wrappers so; there is nothing to undo."""

    def emit(self, name: str, *values: object) -> None:
        """Send a signal of the interface."""
        self.SignalEmitted(NAME, name, GLib.Variant(f"({self._inputs[name]})", values))

    def call_method(
        self,
        _connection: Gio.DBusConnection,
        sender: str,
        _path: str,
        interface: str,
        method: str,
        arguments: GLib.Variant,
        invocation: Gio.DBusMethodInvocation,
    ) -> None:
        """GLib has checked the types against the interface; everything else is checked by the service."""
        if interface != NAME:
            _answer(invocation, self._property(method, arguments))
            return
        flags = invocation.get_message().get_flags()
        self._serve(Call(sender, bool(flags & _ALLOW_INTERACTION)), method, arguments.unpack(), invocation)

    def _serve(self, call: Call, method: str, arguments: tuple[Any, ...], invocation: Gio.DBusMethodInvocation) -> None:
        busy = self._idle.busy()
        busy.__enter__()
        unwatch = self._presence.watch(call.sender, call.cancel.cancel)

        def leave(outcome: str, answer: Callable[[], None]) -> None:
            unwatch()
            self._log(call, method, outcome)
            answer()
            busy.__exit__(None, None, None)

        def done(value: object) -> None:
            leave("allowed", lambda: _answer(invocation, self._packed(method, value)))

        def failed(error: Exception) -> None:
            known = self._known(error)
            outcome = "refused" if isinstance(known, AccessDenied) else f"failed: {type(known).__name__}"
            leave(outcome, lambda: _refuse(invocation, known))

        start(self._methods[method](call, *arguments), done, failed)

    def _log(self, call: Call, method: str, outcome: str) -> None:
        if method != "GetState":
            self._audit.decision(
                uid=call.uid, sender=call.sender, action=method, disk=call.disk, change=call.change, outcome=outcome
            )

    def _known(self, error: Exception) -> HelperError:
        if isinstance(error, HelperError):
            return error
        self._audit.warning(f"unexpected {type(error).__name__} at {_place(error)}")
        return WriteFailed("The helper failed unexpectedly; its log says where. Nothing more was changed.")

    def _packed(self, method: str, value: object) -> GLib.Variant | None:
        output = self._outputs[method]
        return GLib.Variant(f"({output})", (value,)) if output else None

    def _property(self, method: str, arguments: GLib.Variant) -> GLib.Variant | None:
        version = GLib.Variant("s", __version__)
        if method == "GetAll":
            return GLib.Variant("(a{sv})", ({"Version": version},))
        if method == "Get" and arguments.unpack() == (NAME, "Version"):
            return GLib.Variant("(v)", (version,))
        return None


def _answer(invocation: Gio.DBusMethodInvocation, value: GLib.Variant | None) -> None:
    invocation.return_value(value)
    _forget(invocation)


def _refuse(invocation: Gio.DBusMethodInvocation, error: HelperError) -> None:
    invocation.return_dbus_error(error.name, str(error))
    _forget(invocation)


def _forget(invocation: Gio.DBusMethodInvocation) -> None:
    if _LEAKS:
        invocation._unref()  # noqa: SLF001 PyGObject offers nothing else; see _LEAKS


def _snake(name: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


def _place(error: Exception) -> str:
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return "?" if trace is None else f"{trace.tb_frame.f_code.co_name}:{trace.tb_lineno}"
