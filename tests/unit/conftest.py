# SPDX-License-Identifier: GPL-3.0-or-later
"""What draws in these tests shares one application with tests that open windows, where they run in one process.

Outsiders run these tests with what pip installs: what needs GLib, or libraries that Qt draws with, is skipped there.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import MagicMock

import pytest
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from tests import needs


class NoBus(Exception):
    """Stands for GLib's error where there is no GLib."""

    message = "no GLib"
    matches = new_literal = MagicMock(return_value=False)


if not needs.GLIB:  # it can be imported, and answers as on a machine without a bus
    repository = MagicMock()
    repository.GLib.Error = NoBus
    repository.Gio.bus_get_sync.side_effect = repository.Gio.dbus_address_get_for_bus_sync.side_effect = NoBus
    sys.modules |= {"gi": MagicMock(), "gi.repository": repository, "pydbus": MagicMock()}
for catalogue in (Path(__file__).parents[2] / "resources/languages").glob("*.po"):
    if not (compiled := catalogue.with_suffix(".mo")).exists():  # as ./dev does it
        with catalogue.open("rb") as read, compiled.open("wb") as written:
            write_mo(written, read_po(read))


def pytest_addoption(pluginmanager: pytest.PytestPluginManager) -> None:
    if not needs.QT:
        pluginmanager.set_blocked("pytest-qt")


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector: pytest.Collector) -> Iterator[None]:
    report = yield
    if report.failed and "cannot open shared object file" in str(report.longrepr) and not needs.QT:
        report.outcome, report.longrepr = "skipped", (str(collector.path), 0, f"Skipped: {needs.qt.kwargs['reason']}")
    return report


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if not needs.GLIB and {"Gio", "GLib"} & vars(item.module).keys():
            item.add_marker(needs.glib)


@pytest.fixture(scope="session")
def qapp_args() -> list[str]:
    return ["disktuner", "-platform", "offscreen"]


@pytest.fixture(scope="session", autouse=True)
def _application(request: pytest.FixtureRequest) -> object:
    return request.getfixturevalue("qapp") if needs.QT else None
