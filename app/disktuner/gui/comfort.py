# SPDX-License-Identifier: GPL-3.0-or-later
"""What the desktop says that its user needs to see well: more contrast, less motion.

Asked of the desktop portal's settings, which pass on those of GNOME, KDE and others. Where there is no portal, nothing
is needed. Sources: org.freedesktop.portal.Settings; GNOME's schema org.gnome.desktop.interface.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from gi.repository import Gio, GLib
from PySide6.QtCore import QObject, Signal

_PORTAL = ("org.freedesktop.portal.Desktop", "/org/freedesktop/portal/desktop", "org.freedesktop.portal.Settings")
_APPEARANCE, _GNOME, _GNOME_ACCESS, _KDE = (
    "org.freedesktop.appearance",
    "org.gnome.desktop.interface",
    "org.gnome.desktop.a11y.interface",
    "org.kde.kdeglobals.KDE",
)
_LIMIT_MS = 5000

Settings = Mapping[str, Mapping[str, Any]]
"""Values by namespace and key, as the portal has them."""


@dataclass(frozen=True, slots=True)
class Comfort:
    """Whether texts and lines need more contrast, and whether nothing may move that need not."""

    high_contrast: bool = False
    calm: bool = False

    @classmethod
    def of(cls, settings: Settings) -> Comfort:
        """What these settings ask for."""

        def value(namespace: str, key: str) -> Any:
            return settings.get(namespace, {}).get(key)

        contrast = value(_APPEARANCE, "contrast") == 1 or value(_GNOME_ACCESS, "high-contrast") is True
        still = value(_APPEARANCE, "reduced-motion") == 1 or value(_GNOME, "enable-animations") is False
        return cls(contrast, still or str(value(_KDE, "AnimationDurationFactor")) in {"0", "0.0"})


class ComfortReader(QObject):
    """Reads the settings once the bus of this address is reached, and follows them; None where there is no bus.

    Signals: ``changed`` carries the ``Comfort`` of now.
    """

    changed = Signal(object)

    def __init__(self, session: str | None, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._settings: dict[str, dict[str, Any]] = {}
        self._connection: Gio.DBusConnection | None = None
        self._over = False
        if session:
            flags = Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION
            Gio.DBusConnection.new_for_address(session, flags, None, None, self._reached)

    def close(self) -> None:
        """Leave the bus."""
        self._over = True
        if self._connection is not None:
            self._connection.close(None, None)
            self._connection = None

    def _reached(self, _source: object, answer: Gio.AsyncResult) -> None:
        with suppress(GLib.Error):
            connection = Gio.DBusConnection.new_for_address_finish(answer)
            connection.set_exit_on_close(False)
            if self._over:
                connection.close(None, None)
                return
            self._connection = connection
            name, path, interface = _PORTAL
            none = Gio.DBusSignalFlags.NONE
            connection.signal_subscribe(name, interface, "SettingChanged", path, None, none, self._set)
            asked = GLib.Variant("(as)", ([_APPEARANCE, _GNOME, _GNOME_ACCESS, _KDE],))
            flags = Gio.DBusCallFlags.NO_AUTO_START  # a desktop that has one has started it
            connection.call(*_PORTAL, "ReadAll", asked, None, flags, _LIMIT_MS, None, self._read)

    def _read(self, connection: Gio.DBusConnection, answer: Gio.AsyncResult) -> None:
        with suppress(GLib.Error):
            (self._settings,) = connection.call_finish(answer).unpack()
            self._tell()

    def _set(self, *given: Any) -> None:
        namespace, key, value = given[-1].unpack()
        self._settings.setdefault(namespace, {})[key] = value
        self._tell()

    def _tell(self) -> None:
        if not self._over:
            self.changed.emit(Comfort.of(self._settings))
