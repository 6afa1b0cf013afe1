# SPDX-License-Identifier: GPL-3.0-or-later
"""What of the distribution some tests need. Where it is missing they are skipped, but never by ``./dev test``."""

from __future__ import annotations

import os
import shutil
from importlib import import_module

import pytest

ALL_IS_THERE = "DISKTUNER_COMMIT" in os.environ
"""As ``./dev test`` says, which has installed it."""
PATH = f"{os.environ.get('PATH', os.defpath)}:/usr/sbin:/sbin"


def loads(module: str) -> bool:
    """Whether a module and the distribution's libraries below it are there."""
    try:
        import_module(module)
    except ImportError:
        return ALL_IS_THERE
    return True


GLIB, QT = loads("gi.repository.GLib"), loads("PySide6.QtWidgets")


def programs(*names: str) -> pytest.MarkDecorator:
    """Mark a test, or all of a file (``pytestmark``), that starts programs."""
    missing = [name for name in names if shutil.which(name, path=PATH) is None]
    return pytest.mark.skipif(bool(missing) and not ALL_IS_THERE, reason=f"not installed: {', '.join(missing)}")


root = pytest.mark.skipif(not ALL_IS_THERE, reason="needs root's rights: ./dev test")
glib = pytest.mark.skipif(not GLIB, reason="GLib for Python (python3-gi) is not installed")
qt = pytest.mark.skipif(not QT, reason="the libraries that Qt draws with are not installed")
