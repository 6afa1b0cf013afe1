# SPDX-License-Identifier: GPL-3.0-or-later
"""A caller of the helper as any user, in a process of its own: one JSON request a line in, one answer a line out.

Started by tests with ``sudo -u USER``; a request is {"method", "types", "arguments", "interactive"}.
"""

from __future__ import annotations

import json
import sys
from typing import Any

import gi

gi.require_version("Gio", "2.0")
from gi.repository import Gio, GLib  # noqa: E402

NAME = "org.disktuner.Helper1"
PATH = "/org/disktuner/Helper1"


def call(bus: Gio.DBusConnection, request: dict[str, Any]) -> dict[str, Any]:
    flags = Gio.DBusCallFlags.ALLOW_INTERACTIVE_AUTHORIZATION if request["interactive"] else 0
    arguments = GLib.Variant(request["types"], _tuples(request["types"], request["arguments"]))
    try:
        answer = bus.call_sync(NAME, PATH, NAME, request["method"], arguments, None, flags, GLib.MAXINT, None)
        return {"ok": answer.unpack()}
    except GLib.Error as error:
        name = Gio.DBusError.get_remote_error(error) or error.message
        return {"error": name, "text": error.message}


def _tuples(types: str, values: list[Any]) -> tuple[Any, ...]:
    """Turn the elements of arrays of structures into tuples, which JSON lacks."""
    is_array = "a(" in types
    return tuple([tuple(part) for part in value] if is_array and isinstance(value, list) else value for value in values)


def main() -> None:
    bus = Gio.bus_get_sync(Gio.BusType.SYSTEM, None)
    print(json.dumps({"name": bus.get_unique_name()}), flush=True)
    for line in sys.stdin:
        print(json.dumps(call(bus, json.loads(line))), flush=True)


if __name__ == "__main__":
    main()
