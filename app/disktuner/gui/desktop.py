# SPDX-License-Identifier: GPL-3.0-or-later
"""What the desktop is asked for while a measurement runs: stay awake, show how far it is, notify when it is over.

Each service is optional: where one is not there or says no, nothing is lost but its comfort.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from html import escape
from pathlib import Path
from typing import Protocol

from gi.repository import Gio, GLib

from disktuner.vocabulary.messages import text

DESKTOP_FILE = "org.disktuner.Disktuner"
"""The id of the program: its desktop file without the suffix, and its name on the session bus."""

_GNOME_SUSPEND_AND_IDLE = 4 | 8
_LIMIT_MS = 5000


class Desktop(Protocol):
    """``stay_awake`` and ``rest`` come in turn."""

    def stay_awake(self) -> None:
        """Hold off suspend and screen lock."""

    def rest(self) -> None:
        """Let the machine sleep again, and show no progress."""

    def show_progress(self, done: int, total: int) -> None:
        """On the window's button in the task bar."""

    def notify(self, head: str, body: str, chosen: Callable[[str], object]) -> None:
        """Reach somebody who looks elsewhere; ``chosen``, with a token to take the focus by, when they click on it."""

    def close(self) -> None:
        """Let go of everything."""


class BusDesktop:
    """The services of freedesktop.org, GNOME and systemd on the buses of these addresses; None where there is none."""

    def __init__(self, session: str | None, system: str | None) -> None:
        self._addresses = {"session": session, "system": system}
        self._connections: dict[str, Gio.DBusConnection] = {}
        self._awake: _Awake | None = None
        self._notice: _Notice | None = None

    def stay_awake(self) -> None:
        """Ask everybody who might know; each answer is kept and given back later."""
        held = self._awake = _Awake()
        app, why = text("app"), text("measuring-a-disk")
        self._with("system", lambda bus: held.ask_logind(bus, ("sleep:idle", app, why, "block")))
        self._with("session", lambda bus: held.ask(bus, _SCREEN_SAVER, "(ss)", (app, why)))
        gnome = (DESKTOP_FILE, 0, why, _GNOME_SUSPEND_AND_IDLE)
        self._with("session", lambda bus: held.ask(bus, _GNOME, "(susu)", gnome))

    def rest(self) -> None:
        """Give back what was asked for."""
        if self._awake is not None:
            self._awake.end()
            self._awake = None
            self._send_progress(0.0, visible=False)

    def show_progress(self, done: int, total: int) -> None:
        """The signal that KDE's, Ubuntu's and other task bars read."""
        self._send_progress(done / max(total, 1), visible=True)

    def notify(self, head: str, body: str, chosen: Callable[[str], object]) -> None:
        """Show it as the desktop shows such things, in place of the last one."""
        if self._notice is not None:
            self._notice.end()
        shown = self._notice = _Notice(chosen)
        self._with("session", lambda bus: shown.show(bus, head, body))

    def close(self) -> None:
        """Leave the buses; whatever was held is free then."""
        self.rest()
        if self._notice is not None:
            self._notice.end()
        for connection in self._connections.values():
            connection.close(None, _ignore)
        self._connections.clear()
        self._addresses.clear()

    def _send_progress(self, share: float, *, visible: bool) -> None:
        state = {"progress": GLib.Variant("d", share), "progress-visible": GLib.Variant("b", visible)}
        values = GLib.Variant("(sa{sv})", (f"application://{DESKTOP_FILE}.desktop", state))
        path, interface = "/org/disktuner/Disktuner", "com.canonical.Unity.LauncherEntry"
        self._with("session", lambda bus: bus.emit_signal(None, path, interface, "Update", values))

    def _with(self, name: str, use: Callable[[Gio.DBusConnection], object]) -> None:
        """Use a bus as soon as it is reached."""
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


Service = tuple[str, str, str]
"""Name, object and interface."""

_SCREEN_SAVER = ("org.freedesktop.ScreenSaver", "/org/freedesktop/ScreenSaver", "org.freedesktop.ScreenSaver")
_GNOME = ("org.gnome.SessionManager", "/org/gnome/SessionManager", "org.gnome.SessionManager")
_LOGIND = ("org.freedesktop.login1", "/org/freedesktop/login1", "org.freedesktop.login1.Manager")
_NOTIFICATIONS = (
    "org.freedesktop.Notifications",
    "/org/freedesktop/Notifications",
    "org.freedesktop.Notifications",
)
_RELEASE = {_SCREEN_SAVER: "UnInhibit", _GNOME: "Uninhibit"}


class _Awake:
    """What was asked for, and how each is given back: also an answer that comes when it is over."""

    def __init__(self) -> None:
        self._release: list[Callable[[], object]] = []
        self._over = False

    def ask(self, bus: Gio.DBusConnection, service: Service, types: str, values: tuple[object, ...]) -> None:
        """One of those that answer with a number."""

        def answered(connection: Gio.DBusConnection, answer: Gio.AsyncResult) -> None:
            with suppress(GLib.Error):
                number = GLib.Variant("(u)", connection.call_finish(answer).unpack())
                self._keep(lambda: _send(connection, service, _RELEASE[service], number))

        _send(bus, service, "Inhibit", GLib.Variant(types, values), answered)

    def ask_logind(self, bus: Gio.DBusConnection, values: tuple[str, ...]) -> None:
        """It answers with a file that is held open."""

        def answered(connection: Gio.DBusConnection, answer: Gio.AsyncResult) -> None:
            with suppress(GLib.Error):
                _, files = connection.call_with_unix_fd_list_finish(answer)
                fd = files.get(0)
                self._keep(lambda: os.close(fd))

        message, none = GLib.Variant("(ssss)", values), Gio.DBusCallFlags.NO_AUTO_START
        bus.call_with_unix_fd_list(*_LOGIND, "Inhibit", message, None, none, _LIMIT_MS, None, None, answered)

    def end(self) -> None:
        """Give all back."""
        self._over = True
        for release in self._release:
            release()
        self._release.clear()

    def _keep(self, release: Callable[[], object]) -> None:
        if self._over:
            release()
        else:
            self._release.append(release)


class _Notice:
    """A notification while it is shown: who clicks on it is told of, with the token that the desktop gives first.

    https://specifications.freedesktop.org/notification-spec/latest/protocol.html
    """

    def __init__(self, chosen: Callable[[str], object]) -> None:
        self._chosen, self._token, self._number = chosen, "", 0
        self._leave: Callable[[], object] = lambda: None

    def show(self, bus: Gio.DBusConnection, head: str, body: str) -> None:
        """Some desktops take the body for markup."""
        sender, path, interface = _NOTIFICATIONS
        none = Gio.DBusSignalFlags.NONE
        heard = bus.signal_subscribe(sender, interface, None, path, None, none, self._heard)
        self._leave = partial(bus.signal_unsubscribe, heard)
        hints = {"desktop-entry": GLib.Variant("s", DESKTOP_FILE)}
        actions = ["default", text("show-window")]
        values = (text("app"), 0, DESKTOP_FILE, head, escape(body, quote=False), actions, hints, -1)
        _send(bus, _NOTIFICATIONS, "Notify", GLib.Variant("(susssasa{sv}i)", values), self._shown)

    def end(self) -> None:
        """Whoever clicks on it now is no longer told of."""
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


def _send(
    bus: Gio.DBusConnection,
    service: Service,
    method: str,
    message: GLib.Variant,
    answered: Callable[..., None] | None = None,
) -> None:
    # A notification service may be started for it; what keeps the machine awake runs already or has no say.
    flags = Gio.DBusCallFlags.NONE if service is _NOTIFICATIONS else Gio.DBusCallFlags.NO_AUTO_START
    bus.call(*service, method, message, None, flags, _LIMIT_MS, None, answered or _ignore)


def _ignore(*_: object) -> None:
    """Whether it went well makes no difference."""


def session_address() -> str | None:
    """The session bus that is there; none is started for us."""
    named = os.environ.get("DBUS_SESSION_BUS_ADDRESS")
    usual = Path(os.environ.get("XDG_RUNTIME_DIR", "/nowhere")) / "bus"
    return named or (f"unix:path={usual}" if usual.exists() else None)


def system_address() -> str:
    """The system bus."""
    return os.environ.get("DBUS_SYSTEM_BUS_ADDRESS") or "unix:path=/run/dbus/system_bus_socket"
