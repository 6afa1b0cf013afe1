# SPDX-License-Identifier: GPL-3.0-or-later
"""One window per session: it owns a name on the session bus, by which a second start and the desktop reach it.

It knows no Qt, so that a second start is over before Qt is loaded.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from gi.repository import Gio, GLib

from disktuner.gui.desktop import DESKTOP_FILE

if TYPE_CHECKING:
    from disktuner.gui.application import Application

_PATH = "/org/disktuner/Disktuner"
_BUS = ("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus")
_DO_NOT_QUEUE, _OWNED = 4, (1, 4)
_LIMIT_MS = 5000
MOST_ADDRESSES = 1000
"""The most addresses of a call that are examined, more than a window opens: a call may hold millions."""
# https://specifications.freedesktop.org/desktop-entry-spec/latest/dbus.html
_INTERFACE = "org.freedesktop.Application"
_XML = f"""<node><interface name="{_INTERFACE}">
<method name="Activate"><arg type="a{{sv}}" direction="in"/></method>
<method name="Open"><arg type="as" direction="in"/><arg type="a{{sv}}" direction="in"/></method>
<method name="ActivateAction"><arg type="s" direction="in"/><arg type="av" direction="in"/>
<arg type="a{{sv}}" direction="in"/></method></interface></node>"""


class Session:
    """A connection to a session bus.

    ``take_name`` says whether this is the first window, which is then served; else ``raise_first`` raises the first,
    waiting ``limit_ms`` for it.

    Attributes: ``bus``, the connection.
    """

    def __init__(self, connection: Gio.DBusConnection, limit_ms: int = _LIMIT_MS) -> None:
        self.bus, self._limit_ms = connection, limit_ms
        self._running: Application | None = None

    def take_name(self) -> bool:
        """Become the window that others reach, unless there is one already."""
        # Before it has the name: a call that finds the name finds the object, too. It is answered once Qt's loop runs.
        interface = Gio.DBusNodeInfo.new_for_xml(_XML).interfaces[0]
        # Since GLib 2.84 by the other name, and the first one's is given up.
        has_newer = hasattr(self.bus, "register_object_with_closures2")
        register = self.bus.register_object_with_closures2 if has_newer else self.bus.register_object
        register(_PATH, interface, self._called, None, None)
        arguments = GLib.Variant("(su)", (DESKTOP_FILE, _DO_NOT_QUEUE))
        with suppress(GLib.Error):
            answer = self.bus.call_sync(
                *_BUS, "RequestName", arguments, None, Gio.DBusCallFlags.NONE, self._limit_ms, None
            )
            return answer.unpack()[0] in _OWNED
        return False

    def raise_first(self, environment: Mapping[str, str] = os.environ) -> bool:
        """Raise the first window, with the activation token of this start; False if it does not answer."""
        tokens = {"activation-token": "XDG_ACTIVATION_TOKEN", "desktop-startup-id": "DESKTOP_STARTUP_ID"}
        platform_data = {
            key: GLib.Variant("s", environment[variable]) for key, variable in tokens.items() if variable in environment
        }
        message, flags = GLib.Variant("(a{sv})", (platform_data,)), Gio.DBusCallFlags.NO_AUTO_START
        with suppress(GLib.Error):
            self.bus.call_sync(DESKTOP_FILE, _PATH, _INTERFACE, "Activate", message, None, flags, self._limit_ms, None)
            return True
        return False

    def has(self, name: str) -> bool:
        """Whether the bus has such a service, or one that it would start."""
        with suppress(GLib.Error):
            for method in ("ListNames", "ListActivatableNames"):
                answer = self.bus.call_sync(*_BUS, method, None, None, Gio.DBusCallFlags.NONE, self._limit_ms, None)
                if name in answer.unpack()[0]:
                    return True
        return False

    def serve(self, running: Application) -> None:
        self._running = running

    def close(self) -> None:
        """Leave the bus, so that the next start is the first."""
        self._running = None
        with suppress(GLib.Error):
            self.bus.close_sync(None)

    def _called(self, *call: object) -> None:
        *_, method, arguments, invocation = call
        assert isinstance(arguments, GLib.Variant)
        assert isinstance(invocation, Gio.DBusMethodInvocation)
        values = arguments.unpack()
        invocation.return_value(None)
        if self._running is not None:
            if method == "Open":
                for path in _local(values[0]):
                    self._running.open_file(path)
            self._running.window.come_forward(_token(values[-1]))


def _token(platform_data: Mapping[str, object]) -> str:
    return str(platform_data.get("activation-token") or platform_data.get("desktop-startup-id") or "")


def _local(addresses: Sequence[str]) -> list[Path]:
    """Return the files among them that are on this machine."""
    paths = (Gio.File.new_for_uri(address).get_path() for address in addresses[:MOST_ADDRESSES])
    return [Path(path) for path in paths if path]


def reach_session(address: str | None, limit_ms: int = _LIMIT_MS) -> Session | None:
    """Join the session bus at an address; None if there is none, or if it belongs to another user."""
    if address is None:
        return None
    flags = Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION
    try:
        connection = Gio.DBusConnection.new_for_address_sync(address, flags, None, None)
    except GLib.Error:
        return None
    connection.set_exit_on_close(False)
    return Session(connection, limit_ms)
