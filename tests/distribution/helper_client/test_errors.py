# SPDX-License-Identifier: GPL-3.0-or-later
"""Every error of a call reaches people as a sentence: the helper's own, and a real bus's."""

from __future__ import annotations

import ast
import string
from collections.abc import Iterator
from pathlib import Path

import pytest
from gi.repository import Gio, GLib
from tests.distribution.helper_client.conftest import Open

from disktuner.helper_client import bus_errors, calls
from disktuner.helper_client.bus_errors import from_glib
from disktuner.helper_client.calls import HelperState
from disktuner.helper_client.client import NAME, HelperClient
from disktuner.helper_client.errors import HELPER_ERRORS, Busy, Refused, refusal
from disktuner.vocabulary.english import TEXTS
from disktuner.vocabulary.errors import Cancelled, DisktunerError, HelperNotThere
from disktuner.vocabulary.messages import message, say, text
from disktuner_helper import errors as raised

SOURCES = sorted(Path(raised.__file__).parent.glob("*.py"))


def refused(connection: Gio.DBusConnection) -> DisktunerError:
    with pytest.raises(DisktunerError) as caught:
        HelperClient(lambda: connection).wait(calls.get_state())
    return caught.value


def is_for_people(error: DisktunerError) -> bool:
    text = str(error)
    return text.endswith(".") and not any(word in text for word in ("GDBus", "org.freedesktop", "org.disktuner.Error"))


def test_an_error_of_the_helpers_is_its_class_its_reason_and_its_fields() -> None:
    classes = [
        class_ for class_ in vars(raised).values() if isinstance(class_, type) and class_.__base__ is raised.HelperError
    ]
    assert {class_.prefix + class_.__name__ for class_ in classes} == HELPER_ERRORS.keys()
    for name, kind in HELPER_ERRORS.items():
        error = from_glib(Gio.DBusError.new_for_dbus_error(name, "disk-in-trial disk=sda"))
        assert (type(error), error.message) == (kind, message("refused-disk-in-trial", disk="sda"))
        assert str(error) == "sda is being measured. Try again when the measurement has ended."


@pytest.mark.parametrize("is_checkout", [True, False])
@pytest.mark.parametrize("problem", ["no bus", "not installed", "not reached"])
def test_only_in_a_checkout_it_is_said_to_start_it_from_there(
    problem: str, is_checkout: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who installed a package has no ./dev."""
    monkeypatch.setattr(bus_errors, "is_checkout", lambda: is_checkout)
    monkeypatch.setenv("DBUS_SYSTEM_BUS_ADDRESS", "unix:path=/no/such/bus")
    if problem == "no bus":
        with pytest.raises(HelperNotThere) as caught:
            HelperClient().wait(calls.get_state())
        error: DisktunerError = caught.value
    else:
        name = "ServiceUnknown" if problem == "not installed" else "BadAddress"
        error = from_glib(Gio.DBusError.new_for_dbus_error(f"org.freedesktop.DBus.Error.{name}", "x"))
    assert isinstance(error, HelperNotThere) and ("./dev run" in str(error)) == is_checkout


def reasons() -> Iterator[tuple[str, set[str]]]:
    """Return every reason in the helper's sources, with the names of its fields."""
    for node in (node for source in SOURCES for node in ast.walk(ast.parse(source.read_text()))):
        if not (isinstance(node, ast.Call) and ast.unparse(node.func).startswith("errors.")):
            continue
        fields = {str(word.arg) for word in node.keywords}
        if ast.unparse(node.func) == "errors.os_error_as":
            fields.add("cause")
        for word in ast.walk(node.args[0]):
            if isinstance(word, ast.Constant) and isinstance(word.value, str):
                yield word.value, fields


def test_each_reason_of_the_helpers_has_a_sentence_that_its_fields_fill() -> None:
    ids = list(reasons())
    assert {f"refused-{reason}" for reason, _ in ids} | {"refused-otherwise"} == {
        id_ for id_ in TEXTS if id_.startswith("refused-")
    }
    for reason, fields in ids:
        sentence = TEXTS[f"refused-{reason}"]
        assert isinstance(sentence, str)
        assert {place for _, place, _, _ in string.Formatter().parse(sentence) if place} <= fields, reason


def test_fields_are_numbers_disks_and_the_systems_words() -> None:
    assert say(refusal(str(raised.InvalidTunable("tunable-out-of-range", name="queue/x", low=1, high=65536)))) == (
        "queue/x must be a whole number from 1 to 65,536."
    )
    assert "(No space left on device)" in say(refusal("file-not-written file=/etc/x cause=ENOSPC"))
    assert "(EODD)" in say(refusal("file-not-written file=/etc/x cause=EODD"))
    assert "rejected it: sda, sdb." in say(refusal("not-put-back disks=sda,sdb"))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("This disk is measured; wait for it.", "refuses: This disk is measured; wait for it. If"),
        ("disk-on-fire disk=sda", "refuses: disk-on-fire disk=sda. If"),
        ('Rejected send message, 2 matched rules; type="method_call"', "refuses: Rejected send message"),
        ("", "refuses: "),
    ],
)
def test_what_another_version_or_the_bus_says_is_quoted(text: str, shown: str) -> None:
    error = from_glib(Gio.DBusError.new_for_dbus_error("org.freedesktop.DBus.Error.AccessDenied", text))
    assert isinstance(error, Refused) and error.message.id == "refused-otherwise"
    assert is_for_people(error) and "the same source" in str(error) and shown in str(error)


def test_a_reason_without_its_fields_is_shown_all_the_same() -> None:
    assert "refused-disk-in-trial" in say(refusal("disk-in-trial"))


def test_a_state_of_another_version() -> None:
    for answer in ("", "[]", "{}", '{"version": "2", "snapshots": [1]}'):
        with pytest.raises(HelperNotThere, match="different version"):
            calls.parse_state(answer)
    empty = '{"version": "1", "snapshots": [], "trials": [], "persistent": [], "problem": %s}'
    assert calls.parse_state(empty % "null") == HelperState((), (), ())
    problem = calls.parse_state(empty % '"file-not-ordinary file=/etc/x"').problem
    assert problem is not None and say(problem) == text("refused-file-not-ordinary", file="/etc/x")


def test_a_helper_that_is_not_there_or_cannot_be_started(opened: Open, tmp_path: Path) -> None:
    error = refused(opened())
    assert isinstance(error, HelperNotThere) and is_for_people(error) and "Install" in str(error), error
    (tmp_path / "helper.service").write_text(f"[D-BUS Service]\nName={NAME}\nExec=/bin/false\n")
    error = refused(opened())
    assert isinstance(error, HelperNotThere) and is_for_people(error), error
    assert "could not be started" in str(error) and "journalctl" in str(error)


FROM_THE_BUS = [
    ("org.freedesktop.DBus.Error.NoReply", HelperNotThere, "before it answered"),
    ("org.freedesktop.DBus.Error.LimitsExceeded", Busy, ""),
    ("org.freedesktop.systemd1.UnitMasked", HelperNotThere, "something odd"),
    ("com.example.Odd", HelperNotThere, "something odd"),
    *(
        (f"org.freedesktop.DBus.Error.{name}", HelperNotThere, "version")
        for name in ("UnknownMethod", "UnknownInterface", "UnknownObject", "InvalidArgs")
    ),
]


@pytest.mark.parametrize(("name", "kind", "words"), FROM_THE_BUS)
def test_what_the_bus_says_in_the_helpers_place(name: str, kind: type[DisktunerError], words: str) -> None:
    error = from_glib(Gio.DBusError.new_for_dbus_error(name, "something odd"))
    assert isinstance(error, kind) and is_for_people(error) and words in str(error)


def test_what_was_cancelled() -> None:
    cancelled = GLib.Error.new_literal(Gio.io_error_quark(), "Operation was cancelled", Gio.IOErrorEnum.CANCELLED)
    assert isinstance(from_glib(cancelled), Cancelled)
