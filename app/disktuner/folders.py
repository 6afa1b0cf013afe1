# SPDX-License-Identifier: GPL-3.0-or-later
"""Where Disktuner keeps a user's files: folders of its own below those of the XDG Base Directory Specification."""

from __future__ import annotations

import os
from pathlib import Path

from disktuner.vocabulary.errors import UsageError


class HomeUnknown(UsageError, RuntimeError):
    """Neither HOME nor the list of users says where this user's files are."""


def home() -> Path:
    """Return the user's home. Raises ``HomeUnknown``."""
    try:
        return Path.home()
    except RuntimeError as error:
        raise HomeUnknown("home-unknown") from error


def data_folder() -> Path:
    """Return ``$XDG_DATA_HOME/disktuner``, for results. Raises ``HomeUnknown``."""
    return _below("XDG_DATA_HOME", ".local/share")


def state_folder() -> Path:
    """Return ``$XDG_STATE_HOME/disktuner``, for what is no result: log, notes, incidents. Raises as ``data_folder``."""
    return _below("XDG_STATE_HOME", ".local/state")


def config_folder() -> Path:
    """Return ``$XDG_CONFIG_HOME/disktuner``, for what was chosen. Raises ``HomeUnknown``."""
    return _below("XDG_CONFIG_HOME", ".config")


def runtime_folder() -> Path | None:
    """Return ``$XDG_RUNTIME_DIR/disktuner``, which lies in memory and is gone at the last logout; None without one."""
    chosen = os.environ.get("XDG_RUNTIME_DIR", "")
    return Path(chosen) / "disktuner" if chosen.startswith("/") else None


def _below(variable: str, usual: str) -> Path:
    """The specification has a relative value ignored."""
    chosen = os.environ.get(variable, "")
    base = Path(chosen) if chosen.startswith("/") else home() / usual
    return base / "disktuner"
