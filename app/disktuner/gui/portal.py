# SPDX-License-Identifier: GPL-3.0-or-later
"""What the desktop's portal tells: its accent colour, and whether it has file dialogs. It is asked without waiting."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from gi.repository import Gio, GLib

from disktuner.gui.style import Accent

NAME = "org.freedesktop.portal.Desktop"
_PATH = "/org/freedesktop/portal/desktop"
_SETTINGS = "org.freedesktop.portal.Settings"
_APPEARANCE, _ACCENT = "org.freedesktop.appearance", "accent-color"
_CHOOSER = "org.freedesktop.portal.FileChooser"
_LIMIT_MS = 25_000
"""The portal may have to be started."""


class Portal:
    """The portal on a session bus. Where it is not there, or too old, nothing is called back.

    https://flatpak.github.io/xdg-desktop-portal/docs/doc-org.freedesktop.portal.Settings.html
    """

    def __init__(self, bus: Gio.DBusConnection) -> None:
        self._bus = bus

    def follow_accent(self, show: Callable[[Accent | None], object]) -> None:
        """Call ``show`` with the accent colour, now and whenever it changes; None where the person chose none."""

        def changed(*signal: object) -> None:
            values = signal[-1]
            assert isinstance(values, GLib.Variant)
            space, key, value = values.unpack()
            if (space, key) == (_APPEARANCE, _ACCENT):
                show(_colour(value))

        none = Gio.DBusSignalFlags.NONE
        self._bus.signal_subscribe(NAME, _SETTINGS, "SettingChanged", _PATH, _APPEARANCE, none, changed)
        asked = GLib.Variant("(ss)", (_APPEARANCE, _ACCENT))
        # Read is older than ReadOne and puts its answer into one box more, which unpack() takes off, too.
        self._ask(_SETTINGS, "Read", asked, lambda answer: show(_colour(answer)))

    def if_it_has_file_dialogs(self, then: Callable[[], object]) -> None:
        """Call ``then`` if files can be chosen in the desktop's own dialogs."""
        asked = GLib.Variant("(ss)", (_CHOOSER, "version"))
        self._ask("org.freedesktop.DBus.Properties", "Get", asked, lambda _version: then())

    def _ask(self, interface: str, method: str, asked: GLib.Variant, then: Callable[[object], object]) -> None:
        def answered(bus: Gio.DBusConnection, answer: Gio.AsyncResult) -> None:
            with suppress(GLib.Error):
                (value,) = bus.call_finish(answer).unpack()
                then(value)

        flags = Gio.DBusCallFlags.NONE
        self._bus.call(NAME, _PATH, interface, method, asked, None, flags, _LIMIT_MS, None, answered)


def _colour(value: object) -> Accent | None:
    """The setting's values beyond 0 to 1 mean that none was chosen."""
    match value:
        case (float(red), float(green), float(blue)) if all(0 <= each <= 1 for each in (red, green, blue)):
            return red, green, blue
    return None
