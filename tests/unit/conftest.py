# SPDX-License-Identifier: GPL-3.0-or-later
"""What draws in these tests shares one application with tests that open windows, where they run in one process."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication


@pytest.fixture(scope="session")
def qapp_args() -> list[str]:
    return ["disktuner", "-platform", "offscreen"]


@pytest.fixture(scope="session", autouse=True)
def _application(qapp: QApplication) -> QApplication:
    return qapp
