# SPDX-License-Identifier: GPL-3.0-or-later
"""The object on the bus: runs each call in its own thread, and maps errors to D-Bus names."""

import os
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from threading import Thread
from typing import Any

from gi.repository import Gio, GLib

from disktuner_helper import __version__, audit, contract, errors
from disktuner_helper.authority import BUS, Authority, Call
from disktuner_helper.service import Service

_ALLOW_INTERACTION = Gio.DBusMessageFlags.ALLOW_INTERACTIVE_AUTHORIZATION


class BusObject:
    """Answers calls, whose types GLib has checked against the interface. ``service`` carries them out."""

    def __init__(self, root: Path, limits: contract.Limits, clock: Callable[[], float] = time.monotonic) -> None:
        self._limits = limits
        self._clock = clock
        self._last_used = clock()
        self._authority = Authority(None, limits)
        self.service = Service(root, self._authority, self._emit, lambda: clock() + limits.trial_s)

    def serve(self, bus: Gio.DBusConnection) -> None:
        interface = Gio.DBusNodeInfo.new_for_xml(contract.INTERFACE_XML.read_text()).interfaces[0]
        self._authority.connection = bus
        # One subscription for all names, made at the start: no departure can be missed between a call and its trial.
        signal = (BUS[0], BUS[2], "NameOwnerChanged", BUS[1], None, Gio.DBusSignalFlags.NONE)
        bus.signal_subscribe(*signal, self._name_changed)
        self._answers = {method.name: "".join(arg.signature for arg in method.out_args) for method in interface.methods}
        version = GLib.Variant("s", __version__)
        # GLib 2.84 deprecates register_object in favour of the other name.
        register = getattr(bus, "register_object_with_closures2", None) or bus.register_object
        register(contract.OBJECT_PATH, interface, self._called, lambda *_: version, None)

    def tick(self, leave: Callable[[], None]) -> bool:
        """Called every second: end trials that are out of time, and call ``leave`` once the helper is idle."""
        now = self._clock()
        if not self.service.lock.locked():  # else the next time
            self.service.end_soon(lambda trial: trial.until <= now, "time limit")
        if self.needed:
            self._last_used = now
        if now - self._last_used >= self._limits.idle_s:
            leave()
        return True

    @property
    def needed(self) -> bool:
        return bool(self._authority.calls or self.service.trials.all)

    def _emit(self, signal: str, *values: str) -> None:
        body = GLib.Variant(f"({'s' * len(values)})", values)
        if bus := self._authority.connection:
            with suppress(GLib.Error):  # the bus has closed: nobody listens
                bus.emit_signal(None, contract.OBJECT_PATH, contract.NAME, signal, body)

    def _name_changed(self, *message: Any) -> None:
        name, _, owner = message[5].unpack()
        if not owner:
            for call in self._authority.calls.copy():
                if call.sender == name:
                    call.gone.cancel()  # it closes the call's prompt
            self.service.end_soon(lambda trial: trial.sender == name, "caller left")

    def _called(self, *message: Any) -> None:
        """Called by GLib in the main thread; calls that may have to wait get their own."""
        _bus, sender, _path, _interface, method, arguments, invocation = message
        self._last_used = self._clock()
        sent = invocation.get_message()
        for number in descriptors.steal_fds() if (descriptors := sent.get_unix_fd_list()) else ():
            os.close(number)  # no call takes any, and nothing else would close them
        call = Call(sender, method, bool(sent.get_flags() & _ALLOW_INTERACTION))
        if method == "GetState":
            return self._serve(call, arguments, invocation)
        try:
            self._authority.admit(call)
            Thread(target=self._serve, args=(call, arguments, invocation), daemon=True).start()
        except (errors.Busy, RuntimeError) as error:  # too many calls, or too many threads
            self._authority.calls.discard(call)
            _refuse(call, error, invocation)

    def _serve(self, call: Call, arguments: GLib.Variant, invocation: Gio.DBusMethodInvocation) -> None:
        try:
            value = getattr(self.service, _snake(call.method))(call, *arguments.unpack())
        except Exception as error:  # noqa: BLE001 the outermost floor: the caller always gets an answer
            _refuse(call, error, invocation)
        else:
            if call.method not in ("GetState", "KeepAlive"):  # which change nothing
                audit.decision(call, "allowed")
            types = self._answers[call.method]
            invocation.return_value(GLib.Variant(f"({types})", (value,)) if types else None)
        finally:
            self._authority.calls.discard(call)


def _refuse(call: Call, error: Exception, invocation: Gio.DBusMethodInvocation) -> None:
    if not isinstance(error, errors.HelperError):
        audit.unexpected(error)
        error = errors.WriteFailed("unexpected")
    arguments, most = invocation.get_parameters(), 4096  # huge ones would be even larger as text
    text = arguments.print_(False) if arguments.get_size() <= most else f"{arguments.get_size()} bytes"
    call.change += " asked for " + contract.harmless(text, 512)
    audit.decision(call, "refused" if isinstance(error, errors.AccessDenied) else f"failed: {type(error).__name__}")
    invocation.return_dbus_error(error.prefix + type(error).__name__, str(error))


def _snake(name: str) -> str:
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name).removeprefix("_")
