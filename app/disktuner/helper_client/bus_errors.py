# SPDX-License-Identifier: GPL-3.0-or-later
"""Errors of the helper, the bus and systemd, as GLib reports them, as exceptions with our messages."""

from __future__ import annotations

from collections.abc import Mapping

from gi.repository import Gio, GLib

from disktuner.helper_client.errors import BUS, HELPER_ERRORS, Busy, HelperSilent, refusal
from disktuner.version import is_checkout
from disktuner.vocabulary.english import TEXTS
from disktuner.vocabulary.errors import Cancelled, DisktunerError, HelperNotThere

_BUS_ERRORS: Mapping[str, tuple[type[DisktunerError], str]] = {
    BUS + "ServiceUnknown": (HelperNotThere, "helper-not-installed"),
    BUS + "NameHasNoOwner": (HelperNotThere, "helper-not-installed"),
    BUS + "Spawn.": (HelperNotThere, "helper-not-started"),
    BUS + "TimedOut": (HelperNotThere, "helper-not-started"),
    "org.freedesktop.systemd1.": (HelperNotThere, "helper-not-started"),
    BUS + "NoReply": (HelperNotThere, "helper-ended"),
    BUS + "Timeout": (HelperNotThere, "helper-ended"),
    BUS + "Disconnected": (HelperNotThere, "helper-ended"),
    BUS + "LimitsExceeded": (Busy, "bus-too-busy"),
    BUS + "UnknownMethod": (HelperNotThere, "helper-of-another-version"),
    BUS + "UnknownInterface": (HelperNotThere, "helper-of-another-version"),
    BUS + "UnknownObject": (HelperNotThere, "helper-of-another-version"),
    BUS + "InvalidArgs": (HelperNotThere, "helper-of-another-version"),
}
"""What the bus or systemd answers in place of the helper; a name that ends in a dot is a prefix."""


def starts_slowly(error: GLib.Error) -> bool:
    """Whether the bus timed out starting the helper, so that the call has not reached it."""
    return _remote_name(error) == f"{BUS}TimedOut"


def is_silent(error: GLib.Error) -> bool:
    """Whether the helper did not answer within the call's limit."""
    return bool(error.matches(Gio.io_error_quark(), Gio.IOErrorEnum.TIMED_OUT))


def from_glib(error: GLib.Error, silence: str = "helper-silent") -> DisktunerError:
    """Return the exception for a call's error; ``silence`` is the id of the sentence for no answer."""
    if error.matches(Gio.io_error_quark(), Gio.IOErrorEnum.CANCELLED):
        return Cancelled("interrupted")
    if error.matches(Gio.io_error_quark(), Gio.IOErrorEnum.CLOSED):
        return HelperNotThere("helper-ended")
    if is_silent(error):
        return HelperSilent(silence)
    name = _remote_name(error)
    # Under PyGObject, Gio's strip_remote_error works on a copy and so does nothing.
    text = error.message.removeprefix(f"GDBus.Error:{name}: ")
    if known := HELPER_ERRORS.get(name):
        return known.of(refusal(text))
    matches = (
        answer for key, answer in _BUS_ERRORS.items() if name == key or (key[-1] == "." and name.startswith(key))
    )
    kind, id_ = next(matches, (HelperNotThere, "helper-not-reached"))
    return kind(here(id_), why=text)


def here(id_: str) -> str:
    """Return the id of the sentence for this Disktuner: one in its source tree can be started with a bus and helper."""
    in_checkout = f"{id_}-in-checkout"
    return in_checkout if in_checkout in TEXTS and is_checkout() else id_


def _remote_name(error: GLib.Error) -> str:
    return str(Gio.DBusError.get_remote_error(error) or "")
