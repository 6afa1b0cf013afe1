# SPDX-License-Identifier: GPL-3.0-or-later
"""Services of the desktop during a measurement: stay awake, show the progress, notify at the end.

Each service is optional: if it is missing or refuses, only that convenience is lost.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from html import escape
from pathlib import Path

from gi.repository import Gio, GLib

from disktuner.opening import is_there
from disktuner.vocabulary.messages import text

DESKTOP_FILE = "org.disktuner.Disktuner"
"""The id of the program: its desktop file without the suffix, and its name on the session bus."""

_LIMIT_MS = 5000


class Desktop:
    """The services of freedesktop.org and systemd on the buses at these addresses; None for a bus that is missing."""

    def __init__(self, session: str | None, system: str | None) -> None:
        self._addresses = {"session": session, "system": system}
        self._connections: dict[str, Gio.DBusConnection] = {}
        self._awake: _Awake | None = None
        self._notice: _Notice | None = None

    def stay_awake(self) -> None:
        """Hold off suspend until ``rest`` with a lock of logind, which every desktop respects."""
        hold = self._awake = _Awake()
        self._with("system", lambda bus: hold.ask(bus, ("sleep:idle", text("app"), text("measuring-a-disk"), "block")))

    def rest(self) -> None:
        """Release the lock."""
        if self._awake is not None:
            self._awake.end()
            self._awake = None
            self._send_progress(0.0, visible=False)

    def show_progress(self, done: int, total: int) -> None:
        """Send the signal that task bars of KDE, Ubuntu and others read."""
        self._send_progress(done / max(total, 1), visible=True)

    def notify(self, head: str, body: str, chosen: Callable[[str], object]) -> None:
        """Notify people who are looking elsewhere, in place of the last notification. ``chosen`` is called on a click,
        with a token to take the focus by.
        """
        if self._notice is not None:
            self._notice.end()
        notice = self._notice = _Notice(chosen)
        self._with("session", lambda bus: notice.show(bus, head, body))

    def close(self) -> None:
        """Leave the buses, and release every lock."""
        self.rest()
        if self._notice is not None:
            self._notice.end()
        for connection in self._connections.values():
            connection.close(None, lambda *_: None)
        self._connections.clear()
        self._addresses.clear()

    def _send_progress(self, share: float, *, visible: bool) -> None:
        state = {"progress": GLib.Variant("d", share), "progress-visible": GLib.Variant("b", visible)}
        values = GLib.Variant("(sa{sv})", (f"application://{DESKTOP_FILE}.desktop", state))
        path, interface = "/org/disktuner/Disktuner", "com.canonical.Unity.LauncherEntry"
        self._with("session", lambda bus: bus.emit_signal(None, path, interface, "Update", values))

    def _with(self, name: str, use: Callable[[Gio.DBusConnection], object]) -> None:
        """Use a bus as soon as it is connected."""
        if name in self._connections:
            with suppress(GLib.Error):
                use(self._connections[name])
            return

        def reached(_source: object, answer: Gio.AsyncResult) -> None:
            with suppress(GLib.Error):
                connection = Gio.DBusConnection.new_for_address_finish(answer)
                connection.set_exit_on_close(False)
                if name in self._addresses:
                    use(self._connections.setdefault(name, connection))

        address = self._addresses.get(name)
        if address:
            flags = Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION
            Gio.DBusConnection.new_for_address(address, flags, None, None, reached)


_LOGIND = ("org.freedesktop.login1", "/org/freedesktop/login1", "org.freedesktop.login1.Manager")
_NOTIFICATIONS = ("org.freedesktop.Notifications", "/org/freedesktop/Notifications", "org.freedesktop.Notifications")


class _Awake:
    """A lock of logind, held as an open file. A lock that arrives after the end is released immediately."""

    def __init__(self) -> None:
        self._fd: int | None = None
        self._over = False

    def ask(self, bus: Gio.DBusConnection, values: tuple[str, ...]) -> None:
        def answered(connection: Gio.DBusConnection, answer: Gio.AsyncResult) -> None:
            with suppress(GLib.Error):
                _, files = connection.call_with_unix_fd_list_finish(answer)
                self._fd = files.get(0)
                if self._over:
                    self.end()

        message, none = GLib.Variant("(ssss)", values), Gio.DBusCallFlags.NO_AUTO_START
        bus.call_with_unix_fd_list(*_LOGIND, "Inhibit", message, None, none, _LIMIT_MS, None, None, answered)

    def end(self) -> None:
        self._over = True
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None


class _Notice:
    """A visible notification. A click on it calls back, with the token that the desktop sends first.

    https://specifications.freedesktop.org/notification-spec/latest/protocol.html
    """

    def __init__(self, chosen: Callable[[str], object]) -> None:
        self._chosen, self._token, self._number = chosen, "", 0
        self._leave: Callable[[], object] = lambda: None

    def show(self, bus: Gio.DBusConnection, head: str, body: str) -> None:
        """Show the notification; the body is escaped, since some desktops take it for markup."""
        sender, path, interface = _NOTIFICATIONS
        none = Gio.DBusSignalFlags.NONE
        heard = bus.signal_subscribe(sender, interface, None, path, None, none, self._heard)
        self._leave = partial(bus.signal_unsubscribe, heard)
        hints = {"desktop-entry": GLib.Variant("s", DESKTOP_FILE)}
        actions = ["default", text("show-window")]
        values = (text("app"), 0, DESKTOP_FILE, head, escape(body, quote=False), actions, hints, -1)
        message = GLib.Variant("(susssasa{sv}i)", values)
        bus.call(*_NOTIFICATIONS, "Notify", message, None, Gio.DBusCallFlags.NONE, _LIMIT_MS, None, self._shown)

    def end(self) -> None:
        """Ignore clicks from now on."""
        self._leave()
        self._leave = lambda: None
        self._chosen = lambda _token: None

    def _shown(self, bus: Gio.DBusConnection, answer: Gio.AsyncResult) -> None:
        with suppress(GLib.Error):
            (self._number,) = bus.call_finish(answer).unpack()

    def _heard(self, *signal: object) -> None:
        *_, name, values = signal
        assert isinstance(values, GLib.Variant)
        number, *more = values.unpack()
        if number == self._number and name == "ActivationToken":
            self._token = str(more[0])
        elif number == self._number and name == "ActionInvoked":
            self._chosen(self._token)


def session_address() -> str | None:
    """Return the address of the running session bus; none is started."""
    named = os.environ.get("DBUS_SESSION_BUS_ADDRESS")
    usual = Path(os.environ.get("XDG_RUNTIME_DIR", "/nowhere")) / "bus"
    return named or (f"unix:path={usual}" if is_there(usual) else None)


def system_address() -> str:
    """Return the address of the system bus."""
    return os.environ.get("DBUS_SYSTEM_BUS_ADDRESS") or "unix:path=/run/dbus/system_bus_socket"
