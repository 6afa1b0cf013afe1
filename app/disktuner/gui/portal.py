# SPDX-License-Identifier: GPL-3.0-or-later
"""What the desktop's portal reports: the user's wishes, and whether it has file dialogs. Calls are asynchronous."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

from gi.repository import Gio, GLib

from disktuner.gui.wishes import NAMESPACES, Wishes

NAME = "org.freedesktop.portal.Desktop"
_PATH = "/org/freedesktop/portal/desktop"
_SETTINGS = "org.freedesktop.portal.Settings"
_CHOOSER = "org.freedesktop.portal.FileChooser"
_LIMIT_MS = 25_000
"""The time limit of a call: the portal may have to be started."""


class Portal:
    """The portal on a session bus. If it is missing or too old, nothing is called back.

    https://flatpak.github.io/xdg-desktop-portal/docs/doc-org.freedesktop.portal.Settings.html
    """

    def __init__(self, bus: Gio.DBusConnection) -> None:
        self._bus = bus

    def follow_wishes(self, show: Callable[[Wishes], object]) -> None:
        """Call ``show`` with what the desktop's user wishes, now and whenever a setting changes."""
        known: dict[str, dict[str, Any]] | None = None

        def read(answer: Any) -> None:
            nonlocal known
            known = answer
            show(Wishes.of(answer))

        def changed(*signal: Any) -> None:
            space, key, value = signal[-1].unpack()
            if known is not None:  # else the answer that is on its way has it
                known.setdefault(space, {})[key] = value
                show(Wishes.of(known))

        none = Gio.DBusSignalFlags.NONE
        self._bus.signal_subscribe(NAME, _SETTINGS, "SettingChanged", _PATH, None, none, changed)
        self._ask(_SETTINGS, "ReadAll", GLib.Variant("(as)", (NAMESPACES,)), read)

    def if_it_has_file_dialogs(self, then: Callable[[], object]) -> None:
        """Call ``then`` if files can be chosen in the desktop's own dialogs."""
        arguments = GLib.Variant("(ss)", (_CHOOSER, "version"))
        self._ask("org.freedesktop.DBus.Properties", "Get", arguments, lambda _version: then())

    def _ask(self, interface: str, method: str, arguments: GLib.Variant, then: Callable[[Any], object]) -> None:
        def answered(bus: Gio.DBusConnection, answer: Gio.AsyncResult) -> None:
            with suppress(GLib.Error):
                (value,) = bus.call_finish(answer).unpack()
                then(value)

        flags = Gio.DBusCallFlags.NONE
        self._bus.call(NAME, _PATH, interface, method, arguments, None, flags, _LIMIT_MS, None, answered)
