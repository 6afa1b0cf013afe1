# SPDX-License-Identifier: GPL-3.0-or-later
"""Where Disktuner keeps a user's files: folders of its own below those of the XDG Base Directory Specification."""

from __future__ import annotations

import os
from pathlib import Path


def data_folder() -> Path:
    """Return ``$XDG_DATA_HOME/disktuner``, for results. Raises ``RuntimeError`` where the user's home is unknown."""
    return _below("XDG_DATA_HOME", ".local/share")


def state_folder() -> Path:
    """Return ``$XDG_STATE_HOME/disktuner``, for what is no result: log, notes, incidents. Raises as ``data_folder``."""
    return _below("XDG_STATE_HOME", ".local/state")


def _below(variable: str, usual: str) -> Path:
    """The specification has a relative value ignored."""
    chosen = os.environ.get(variable, "")
    base = Path(chosen) if chosen.startswith("/") else Path.home() / usual
    return base / "disktuner"
