# SPDX-License-Identifier: GPL-3.0-or-later
"""Stands in for the desktop portal's settings: answers as xdg-desktop-portal does, then changes one of them.

``portal_settings.py ADDRESS``; the interface is that of org.freedesktop.portal.Settings, version 2.
"""

from __future__ import annotations

import sys

from gi.repository import Gio, GLib

XML = """<node><interface name="org.freedesktop.portal.Settings">
 <method name="ReadAll"><arg type="as" direction="in"/><arg type="a{sa{sv}}" direction="out"/></method>
 <signal name="SettingChanged"><arg type="s"/><arg type="s"/><arg type="v"/></signal>
</interface></node>"""
NAME, PATH = "org.freedesktop.portal.Desktop", "/org/freedesktop/portal/desktop"


def main() -> None:
    flags = Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION
    bus = Gio.DBusConnection.new_for_address_sync(sys.argv[1], flags, None, None)

    def change() -> bool:
        values = ("org.freedesktop.appearance", "contrast", GLib.Variant("u", 1))
        bus.emit_signal(None, PATH, "org.freedesktop.portal.Settings", "SettingChanged", GLib.Variant("(ssv)", values))
        return False

    def called(_bus, _sender, _path, _interface, _method, _given, invocation) -> None:  # type: ignore[no-untyped-def]
        settings = {
            "org.freedesktop.appearance": {"contrast": GLib.Variant("u", 0), "color-scheme": GLib.Variant("u", 0)},
            "org.gnome.desktop.interface": {"enable-animations": GLib.Variant("b", False)},
        }
        invocation.return_value(GLib.Variant("(a{sa{sv}})", (settings,)))
        GLib.timeout_add(200, change)

    bus.register_object(PATH, Gio.DBusNodeInfo.new_for_xml(XML).interfaces[0], called, None, None)
    Gio.bus_own_name_on_connection(bus, NAME, Gio.BusNameOwnerFlags.NONE, lambda *_: print("ready", flush=True), None)
    GLib.MainLoop().run()


if __name__ == "__main__":
    main()
