# SPDX-License-Identifier: GPL-3.0-or-later
"""A connection of one's own to the system bus, and what the helper is called there."""

from __future__ import annotations

from gi.repository import Gio, GLib

from disktuner.helper_client.errors import not_there

NAME = "org.disktuner.Helper1"
INTERFACE = "org.disktuner.Helper1"
OBJECT_PATH = "/org/disktuner/Helper1"
NO_LIMIT = GLib.MAXINT
"""People type passwords slowly: calls wait until they are answered or cancelled."""

ASK = Gio.DBusCallFlags.ALLOW_INTERACTIVE_AUTHORIZATION


def connect() -> Gio.DBusConnection:
    """Return a private connection: a trial lives as long as the connection that began it.

    Raises ``HelperNotThere`` where there is no system bus.
    """
    flags = Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION
    try:
        address = Gio.dbus_address_get_for_bus_sync(Gio.BusType.SYSTEM, None)
        connection = Gio.DBusConnection.new_for_address_sync(address, flags, None, None)
    except GLib.Error as error:
        raise not_there(f"no system bus: {error.message}") from error
    connection.set_exit_on_close(False)
    return connection
