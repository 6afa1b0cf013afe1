# SPDX-License-Identifier: GPL-3.0-or-later
"""Every error of a call reaches people as a sentence: the helper's own, and what a real bus says in its place."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from gi.repository import Gio, GLib

from disktuner.helper_client import HelperClient
from disktuner.helper_client.connection import NAME
from disktuner.helper_client.errors import CLASSES, Busy, from_glib
from disktuner.vocabulary.errors import Cancelled, DisktunerError, HelperNotThere

CONFIG = """<busconfig><type>session</type><listen>unix:dir={folder}</listen><servicedir>{folder}</servicedir>
<policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/>
</policy></busconfig>"""
Open = Callable[[], Gio.DBusConnection]


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Open]:
    """Connections to a bus of the test's own, which starts what is described in its folder."""
    (tmp_path / "bus.conf").write_text(CONFIG.format(folder=tmp_path))
    command = ["dbus-daemon", f"--config-file={tmp_path}/bus.conf", "--print-address", "--nofork"]
    made: list[Gio.DBusConnection] = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as bus:
        assert bus.stdout
        address = bus.stdout.readline().strip()

        def open_() -> Gio.DBusConnection:
            flags = Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION
            made.append(Gio.DBusConnection.new_for_address_sync(address, flags, None, None))
            made[-1].set_exit_on_close(False)
            return made[-1]

        yield open_
        for each in made:
            if not each.is_closed():
                each.close_sync(None)
        bus.terminate()


def refused(connection: Gio.DBusConnection) -> DisktunerError:
    with pytest.raises(DisktunerError) as caught:
        HelperClient(connection).state()
    return caught.value


def is_for_people(error: DisktunerError) -> bool:
    said = str(error)
    return said.endswith(".") and not any(word in said for word in ("GDBus", "org.freedesktop", "org.disktuner.Error"))


@pytest.mark.parametrize("known", CLASSES, ids=lambda known: known.__name__)
def test_the_helpers_own_sentence_is_all_that_is_said(known: type[DisktunerError]) -> None:
    name = getattr(known, "dbus_name")  # noqa: B009 - mypy cannot see it in the union
    error = from_glib(Gio.DBusError.new_for_dbus_error(name, "This is busy; try again."))
    assert (type(error), str(error)) == (known, "This is busy; try again.")


def test_a_helper_that_is_not_installed(opened: Open) -> None:
    error = refused(opened())
    assert isinstance(error, HelperNotThere) and is_for_people(error) and "Install" in str(error), error


@pytest.mark.parametrize("program", ["/bin/false", "/no/such/program"])
def test_a_helper_that_cannot_be_started(opened: Open, tmp_path: Path, program: str) -> None:
    (tmp_path / "helper.service").write_text(f"[D-BUS Service]\nName={NAME}\nExec={program}\n")
    error = refused(opened())
    assert isinstance(error, HelperNotThere) and is_for_people(error), error
    assert "could not be started" in str(error) and "journalctl" in str(error)


def test_a_helper_that_dies_before_it_answers(opened: Open) -> None:
    helper, caller = opened(), opened()
    said: list[DisktunerError] = []
    loop = GLib.MainLoop.new(None, False)

    def answered(connection: Gio.DBusConnection, result: Gio.AsyncResult) -> None:
        try:
            connection.call_finish(result)
        except GLib.Error as error:
            said.append(from_glib(error))
        loop.quit()

    owned = helper.call_sync(
        "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "RequestName",
        GLib.Variant("(su)", (NAME, 4)), None, Gio.DBusCallFlags.NONE, -1, None,
    )  # fmt: skip
    assert owned.unpack() == (1,)
    helper.add_filter(lambda *_: None)  # it takes the message, and says nothing
    caller.call(NAME, "/", NAME, "GetState", None, None, Gio.DBusCallFlags.NONE, -1, None, answered)
    caller.flush_sync(None)
    helper.close_sync(None)
    loop.run()
    assert isinstance(said[0], HelperNotThere) and is_for_people(said[0]) and "before it answered" in str(said[0])


def test_a_bus_that_takes_no_more_calls() -> None:
    name = "org.freedesktop.DBus.Error.LimitsExceeded"
    error = from_glib(Gio.DBusError.new_for_dbus_error(name, "The maximum number of pending replies was reached"))
    assert isinstance(error, Busy) and is_for_people(error)


@pytest.mark.parametrize("name", ["UnknownMethod", "UnknownInterface", "UnknownObject", "InvalidArgs"])
def test_a_helper_of_another_version(name: str) -> None:
    error = from_glib(Gio.DBusError.new_for_dbus_error(f"org.freedesktop.DBus.Error.{name}", "No such method “X”"))
    assert isinstance(error, HelperNotThere) and is_for_people(error) and "version" in str(error)


def test_a_masked_unit() -> None:
    error = from_glib(Gio.DBusError.new_for_dbus_error("org.freedesktop.systemd1.UnitMasked", "Unit x is masked."))
    assert isinstance(error, HelperNotThere) and is_for_people(error) and "Unit x is masked" in str(error)


def test_what_nobody_foresaw_keeps_its_text() -> None:
    error = from_glib(Gio.DBusError.new_for_dbus_error("com.example.Odd", "Something odd"))
    assert isinstance(error, HelperNotThere) and is_for_people(error) and "Something odd" in str(error)


def test_what_was_cancelled() -> None:
    cancelled = GLib.Error.new_literal(Gio.io_error_quark(), "Operation was cancelled", Gio.IOErrorEnum.CANCELLED)
    assert isinstance(from_glib(cancelled), Cancelled)
