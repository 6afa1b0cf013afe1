# SPDX-License-Identifier: GPL-3.0-or-later
"""These tests need what pip installs, and nothing else: what needs more lies in tests/distribution."""

from __future__ import annotations

from pathlib import Path

import pytest
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

for catalogue in (Path(__file__).parents[2] / "resources/languages").glob("*.po"):
    if not (compiled := catalogue.with_suffix(".mo")).exists():  # as ./dev does it
        with catalogue.open("rb") as read, compiled.open("wb") as written:
            write_mo(written, read_po(read))


def pytest_addoption(pluginmanager: pytest.PytestPluginManager) -> None:
    """Do without pytest-qt where the distribution's libraries that Qt loads are missing."""
    try:
        import PySide6.QtWidgets  # noqa: F401
    except ImportError:
        pluginmanager.set_blocked("pytest-qt")
