# SPDX-License-Identifier: GPL-3.0-or-later
"""Stands in for a desktop's services: ``services.py BUS [FILE]`` answers as they do, and prints the calls.

Signatures and answers are those of logind's manager, the notification specification and xdg-desktop-portal. The portal
has an accent colour and no animations; with FILE it has file dialogs that always choose that file. A line on standard
input changes a setting of the appearance (key, type and value in GLib's notation) or clicks on a notification
(``click`` and its number).
"""

from __future__ import annotations

import itertools
import os
import sys
from collections.abc import Mapping
from pathlib import Path

from gi.repository import Gio, GLib

PORTAL, NOTES = "/org/freedesktop/portal/desktop", "org.freedesktop.Notifications"
OBJECTS: Mapping[str, tuple[str, str, Mapping[str, tuple[str, str]]]] = {
    "org.freedesktop.login1.Manager": (
        "org.freedesktop.login1", "/org/freedesktop/login1", {"Inhibit": ("s s s s", "h")},
    ),
    NOTES: (NOTES, "/org/freedesktop/Notifications", {"Notify": ("s u s s s as a{sv} i", "u")}),
    "org.freedesktop.portal.Settings": (
        "org.freedesktop.portal.Desktop", PORTAL,
        {"Read": ("s s", "v"), "ReadOne": ("s s", "v"), "ReadAll": ("as", "a{sa{sv}}")},
    ),
    "org.freedesktop.portal.FileChooser": (
        "org.freedesktop.portal.Desktop", PORTAL, {"OpenFile": ("s s a{sv}", "o"), "SaveFile": ("s s a{sv}", "o")},
    ),
}  # fmt: skip
"""Interfaces: the name on the bus, the path, and the types that each method takes and returns."""
APPEARANCE = "org.freedesktop.appearance"


def described(interface: str, methods: Mapping[str, tuple[str, str]]) -> Gio.DBusInterfaceInfo:
    """Return an interface for GLib."""
    calls = []
    for method, (takes, gives) in methods.items():
        parameters = "".join(f'<arg type="{type_}" direction="in"/>' for type_ in takes.split())
        answer = "".join(f'<arg type="{type_}" direction="out"/>' for type_ in gives.split())
        calls.append(f'<method name="{method}">{parameters}{answer}</method>')
    version = '<property name="version" type="u" access="read"/>'
    xml = f'<node><interface name="{interface}">{"".join(calls)}{version}</interface></node>'
    return Gio.DBusNodeInfo.new_for_xml(xml).interfaces[0]


def say(text: str) -> None:
    print(text, flush=True)


def hold(invocation: Gio.DBusMethodInvocation) -> None:
    """Return one end of a pipe, as logind does; when that is closed the hold is over."""
    ours, sent = os.pipe()
    files = Gio.UnixFDList()
    files.append(sent)
    os.close(sent)
    invocation.return_value_with_unix_fd_list(GLib.Variant("(h)", (0,)), files)

    def closed(*_: object) -> bool:
        os.close(ours)
        say("logind free")
        return False

    GLib.io_add_watch(ours, GLib.PRIORITY_DEFAULT, GLib.IOCondition.HUP, closed)


class Services:
    """All services on one connection."""

    def __init__(self, bus: Gio.DBusConnection, chosen: Path | None) -> None:
        self._bus, self._chosen, self._numbers = bus, chosen, itertools.count(1)
        accent, contrast = GLib.Variant("(ddd)", (0.1, 0.5, 0.2)), GLib.Variant("u", 0)
        self._appearance = {"accent-color": accent, "contrast": contrast, "color-scheme": contrast}
        has_newer = hasattr(bus, "register_object_with_closures2")  # since GLib 2.84
        register = bus.register_object_with_closures2 if has_newer else bus.register_object
        for interface, (name, path, methods) in OBJECTS.items():
            if chosen or "FileChooser" not in interface:
                register(path, described(interface, methods), self._called, self._version, None)
            Gio.bus_own_name_on_connection(bus, name, Gio.BusNameOwnerFlags.NONE, None, None)
        launcher, none = "com.canonical.Unity.LauncherEntry", Gio.DBusSignalFlags.NONE
        bus.signal_subscribe(None, launcher, "Update", None, None, none, self._progress)
        GLib.io_add_watch(sys.stdin.fileno(), GLib.PRIORITY_DEFAULT, GLib.IOCondition.IN, self._obey)

    def _version(self, *_: object) -> GLib.Variant:
        return GLib.Variant("u", 2)

    def _obey(self, *_: object) -> bool:
        lines = os.read(sys.stdin.fileno(), 65536).decode().splitlines()
        for line in lines:
            if line.startswith("click "):
                self._click(int(line.split()[1]))
            else:
                self._set(*line.split(maxsplit=2))
        return bool(lines)

    def _click(self, number: int) -> None:
        for signal, value in (("ActivationToken", f"token-{number}"), ("ActionInvoked", "default")):
            self._emit(OBJECTS[NOTES][1], NOTES, signal, GLib.Variant("(us)", (number, value)))

    def _set(self, key: str, type_: str, value: str) -> None:
        self._appearance[key] = GLib.Variant.parse(GLib.VariantType(type_), value, None, None)
        values = GLib.Variant("(ssv)", (APPEARANCE, key, self._appearance[key]))
        self._emit(PORTAL, "org.freedesktop.portal.Settings", "SettingChanged", values)

    def _emit(self, path: str, interface: str, signal: str, values: GLib.Variant) -> None:
        self._bus.emit_signal(None, path, interface, signal, values)

    def _progress(self, _bus, _sender, _path, _interface, _signal, values) -> None:  # type: ignore[no-untyped-def]
        name, state = values.unpack()
        say(f"progress {name} {state['progress']:.2f} {state['progress-visible']}")

    def _called(self, _bus, sender, _path, interface, method, arguments, invocation) -> None:  # type: ignore[no-untyped-def]
        values, answer = arguments.unpack(), None
        match interface.rpartition(".")[2], method:
            case ["Manager", _]:
                say(f"logind holds {values[0]} {values[3]}: {values[1]}, {values[2]}")
                return hold(invocation)
            case ["Notifications", _]:
                say(f"notice from {values[0]}: {values[3]} / {values[4]} ({' '.join(values[5])})")
                answer = GLib.Variant("(u)", (next(self._numbers),))
            case ["Settings", "ReadAll"]:
                still = {"enable-animations": GLib.Variant("b", False)}
                settings = {APPEARANCE: self._appearance, "org.gnome.desktop.interface": still}
                answer = GLib.Variant("(a{sa{sv}})", (settings,))
            case ["Settings", _]:
                return invocation.return_dbus_error("org.freedesktop.portal.Error.NotFound", "No such setting")
            case ["FileChooser", _]:
                return self._choose(method, values, sender, invocation)
        return invocation.return_value(answer)

    def _choose(self, method, arguments, sender, invocation) -> None:  # type: ignore[no-untyped-def]
        """Send the file again and again: the caller only listens once it has the request, and nothing tells when that
        is.
        """
        options = arguments[2]
        say(f"{method} {arguments[1]} {options.get('current_name')}")
        request = f"{PORTAL}/request/{sender[1:].replace('.', '_')}/{options['handle_token']}"
        invocation.return_value(GLib.Variant("(o)", (request,)))
        assert self._chosen is not None
        chosen = {"uris": GLib.Variant("as", [self._chosen.as_uri()])}

        def answer() -> bool:
            self._emit(request, "org.freedesktop.portal.Request", "Response", GLib.Variant("(ua{sv})", (0, chosen)))
            return True

        GLib.timeout_add(20, answer)


def main() -> None:
    flags = Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION
    bus = Gio.DBusConnection.new_for_address_sync(sys.argv[1], flags, None, None)
    bus.set_exit_on_close(True)  # a test that was broken off ends its bus, not this
    services = Services(bus, Path(sys.argv[2]) if len(sys.argv) > 2 else None)
    bus.call_sync("org.freedesktop.DBus", "/", "org.freedesktop.DBus", "GetId", None, None, 0, -1, None)
    say("ready")  # what was asked of the bus before that is done
    GLib.MainLoop().run()
    del services


if __name__ == "__main__":
    main()
