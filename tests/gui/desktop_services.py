# ruff: noqa: E501 - the interfaces read best in one line each
# SPDX-License-Identifier: GPL-3.0-or-later
"""Stands in for logind, screen saver, session manager and notifications: answers as they do, prints what it is asked.

Signatures and answers are those of logind's manager, KDE's and GNOME's services and the notification specification.
"""

from __future__ import annotations

import itertools
import os
import sys

from gi.repository import Gio, GLib

XML = """<node>
 <interface name="org.freedesktop.login1.Manager"><method name="Inhibit">
  <arg type="s" direction="in"/><arg type="s" direction="in"/><arg type="s" direction="in"/><arg type="s" direction="in"/>
  <arg type="h" direction="out"/></method></interface>
 <interface name="org.freedesktop.ScreenSaver">
  <method name="Inhibit"><arg type="s" direction="in"/><arg type="s" direction="in"/><arg type="u" direction="out"/></method>
  <method name="UnInhibit"><arg type="u" direction="in"/></method></interface>
 <interface name="org.gnome.SessionManager">
  <method name="Inhibit"><arg type="s" direction="in"/><arg type="u" direction="in"/><arg type="s" direction="in"/>
   <arg type="u" direction="in"/><arg type="u" direction="out"/></method>
  <method name="Uninhibit"><arg type="u" direction="in"/></method></interface>
 <interface name="org.freedesktop.Notifications"><method name="Notify">
  <arg type="s" direction="in"/><arg type="u" direction="in"/><arg type="s" direction="in"/><arg type="s" direction="in"/>
  <arg type="s" direction="in"/><arg type="as" direction="in"/><arg type="a{sv}" direction="in"/><arg type="i" direction="in"/>
  <arg type="u" direction="out"/></method>
  <signal name="ActivationToken"><arg type="u"/><arg type="s"/></signal>
  <signal name="ActionInvoked"><arg type="u"/><arg type="s"/></signal></interface>
</node>"""
NAMES = {
    "org.freedesktop.login1": "/org/freedesktop/login1",
    "org.freedesktop.ScreenSaver": "/org/freedesktop/ScreenSaver",
    "org.gnome.SessionManager": "/org/gnome/SessionManager",
    "org.freedesktop.Notifications": "/org/freedesktop/Notifications",
}


numbers = itertools.count(1)


def say(text: str) -> None:
    print(text, flush=True)


def hold(invocation: Gio.DBusMethodInvocation) -> None:
    """As logind does: one end of a pipe goes out, and when that is closed the hold is over."""
    ours, theirs = os.pipe()
    files = Gio.UnixFDList()
    files.append(theirs)
    os.close(theirs)
    invocation.return_value_with_unix_fd_list(GLib.Variant("(h)", (0,)), files)

    def closed(*_: object) -> bool:
        os.close(ours)
        say("logind free")
        return False

    GLib.io_add_watch(ours, GLib.PRIORITY_DEFAULT, GLib.IOCondition.HUP, closed)


def called(_bus, _sender, _path, interface, method, arguments, invocation) -> None:  # type: ignore[no-untyped-def]
    given = arguments.unpack()
    answer = None
    if interface.endswith("Manager") and method == "Inhibit" and "login1" in interface:
        say(f"logind holds {given[0]} {given[3]}: {given[1]}, {given[2]}")
        hold(invocation)
        return
    if "ScreenSaver" in interface:
        say(f"screen saver off: {given[0]}, {given[1]}" if method == "Inhibit" else f"screen saver on {given[0]}")
        answer = GLib.Variant("(u)", (7,)) if method == "Inhibit" else None
    elif "SessionManager" in interface:
        told = (
            f"session inhibits {given[-1]}: {given[0]}, {given[2]}"
            if method == "Inhibit"
            else f"session free {given[0]}"
        )
        say(told)
        answer = GLib.Variant("(u)", (9,)) if method == "Inhibit" else None
    else:
        say(f"notice from {given[0]}: {given[3]} / {given[4]} ({' '.join(given[5])})")
        answer = GLib.Variant("(u)", (next(numbers),))
    invocation.return_value(answer)


def click(_bus, _sender, _path, _interface, _signal, values) -> None:  # type: ignore[no-untyped-def]
    """What a test lets a person do: a click on the notification of this number."""
    number = values.unpack()[0]
    path = NAMES["org.freedesktop.Notifications"]
    for signal, said in (("ActivationToken", f"token-{number}"), ("ActionInvoked", "default")):
        _bus.emit_signal(None, path, "org.freedesktop.Notifications", signal, GLib.Variant("(us)", (number, said)))


def progress(_bus, _sender, _path, _interface, _signal, values) -> None:  # type: ignore[no-untyped-def]
    name, state = values.unpack()
    say(f"progress {name} {state['progress']:.2f} {state['progress-visible']}")


def main() -> None:
    flags = Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION
    bus = Gio.DBusConnection.new_for_address_sync(sys.argv[1], flags, None, None)
    node = Gio.DBusNodeInfo.new_for_xml(XML)
    for interface, (name, path) in zip(node.interfaces, NAMES.items(), strict=True):
        bus.register_object(path, interface, called, None, None)
        Gio.bus_own_name_on_connection(bus, name, Gio.BusNameOwnerFlags.NONE, None, None)
    none = Gio.DBusSignalFlags.NONE
    bus.signal_subscribe(None, "com.canonical.Unity.LauncherEntry", "Update", None, None, none, progress)
    bus.signal_subscribe(None, "org.disktuner.Test", "Click", None, None, none, click)
    bus.call_sync("org.freedesktop.DBus", "/", "org.freedesktop.DBus", "GetId", None, None, 0, -1, None)
    say("ready")  # what was asked of the bus before that is done
    GLib.MainLoop().run()


if __name__ == "__main__":
    main()
