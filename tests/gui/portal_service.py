# ruff: noqa: E501 - the interfaces read best in one line each
# SPDX-License-Identifier: GPL-3.0-or-later
"""Stands in for xdg-desktop-portal: ``portal_service.py BUS [FILE]``.

It has an accent colour and no animations. Each line on its standard input (key, type and value as GLib writes them)
changes a setting of the appearance. With FILE it has file dialogs in which always that one is chosen. It prints what
it is asked.
"""

from __future__ import annotations

import sys
from pathlib import Path

from gi.repository import Gio, GLib

NAME, PATH = "org.freedesktop.portal.Desktop", "/org/freedesktop/portal/desktop"
SETTINGS = """<node><interface name="org.freedesktop.portal.Settings">
 <method name="Read"><arg type="s" direction="in"/><arg type="s" direction="in"/><arg type="v" direction="out"/></method>
 <method name="ReadOne"><arg type="s" direction="in"/><arg type="s" direction="in"/><arg type="v" direction="out"/></method>
 <method name="ReadAll"><arg type="as" direction="in"/><arg type="a{sa{sv}}" direction="out"/></method>
 <signal name="SettingChanged"><arg type="s"/><arg type="s"/><arg type="v"/></signal>
 <property name="version" type="u" access="read"/></interface></node>"""
CHOOSER = """<node><interface name="org.freedesktop.portal.FileChooser">
 <method name="OpenFile"><arg type="s" direction="in"/><arg type="s" direction="in"/><arg type="a{sv}" direction="in"/><arg type="o" direction="out"/></method>
 <method name="SaveFile"><arg type="s" direction="in"/><arg type="s" direction="in"/><arg type="a{sv}" direction="in"/><arg type="o" direction="out"/></method>
 <property name="version" type="u" access="read"/></interface></node>"""
APPEARANCE = "org.freedesktop.appearance"
STILL = GLib.Variant("b", False)


class Portal:
    def __init__(self, bus: Gio.DBusConnection, chosen: Path | None) -> None:
        self._bus, self._chosen = bus, chosen
        accent, contrast = GLib.Variant("(ddd)", (0.1, 0.5, 0.2)), GLib.Variant("u", 0)
        self._appearance = {"accent-color": accent, "contrast": contrast, "color-scheme": contrast}
        for xml in (SETTINGS, *([CHOOSER] if chosen else [])):
            bus.register_object(
                PATH, Gio.DBusNodeInfo.new_for_xml(xml).interfaces[0], self._called, self._version, None
            )
        GLib.io_add_watch(sys.stdin.fileno(), GLib.PRIORITY_DEFAULT, GLib.IOCondition.IN, self._told)

    def _version(self, *_: object) -> GLib.Variant:
        return GLib.Variant("u", 2)

    def _told(self, *_: object) -> bool:
        key, type_, value = sys.stdin.readline().split(maxsplit=2)
        self._appearance[key] = GLib.Variant.parse(GLib.VariantType(type_), value, None, None)
        values = GLib.Variant("(ssv)", (APPEARANCE, key, self._appearance[key]))
        self._bus.emit_signal(None, PATH, "org.freedesktop.portal.Settings", "SettingChanged", values)
        return True

    def _called(self, _bus, sender, _path, _interface, method, arguments, invocation) -> None:  # type: ignore[no-untyped-def]
        given = arguments.unpack()
        if method in ("OpenFile", "SaveFile"):
            self._choose(method, given, sender, invocation)
        elif method == "ReadAll":
            settings = {APPEARANCE: self._appearance, "org.gnome.desktop.interface": {"enable-animations": STILL}}
            invocation.return_value(GLib.Variant("(a{sa{sv}})", (settings,)))
        else:
            invocation.return_dbus_error("org.freedesktop.portal.Error.NotFound", "Requested setting not found")

    def _choose(
        self, method: str, given: tuple[object, ...], sender: str, invocation: Gio.DBusMethodInvocation
    ) -> None:
        options = given[2]
        assert isinstance(options, dict)
        told = {
            key: bytes(value[:-1]).decode() if isinstance(value, list) and key == "current_folder" else value
            for key, value in options.items()
        }
        print(
            method,
            given[1],
            {key: told[key] for key in sorted(told) if key in ("directory", "current_name", "filters")},
            flush=True,
        )
        request = f"{PATH}/request/{sender[1:].replace('.', '_')}/{options['handle_token']}"
        invocation.return_value(GLib.Variant("(o)", (request,)))
        assert self._chosen is not None
        chosen = {"uris": GLib.Variant("as", [self._chosen.as_uri()])}

        def answer() -> bool:
            """Again and again: who asks listens for it only once it has the request, and nobody tells when that is."""
            values = GLib.Variant("(ua{sv})", (0, chosen))
            self._bus.emit_signal(sender, request, "org.freedesktop.portal.Request", "Response", values)
            return True

        GLib.timeout_add(20, answer)


def main() -> None:
    flags = Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION
    bus = Gio.DBusConnection.new_for_address_sync(sys.argv[1], flags, None, None)
    bus.set_exit_on_close(True)  # a test that was broken off ends its bus, not this
    portal = Portal(bus, Path(sys.argv[2]) if len(sys.argv) > 2 else None)
    Gio.bus_own_name_on_connection(bus, NAME, Gio.BusNameOwnerFlags.NONE, lambda *_: print("ready", flush=True), None)
    GLib.MainLoop().run()
    del portal


if __name__ == "__main__":
    main()
