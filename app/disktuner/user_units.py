# SPDX-License-Identifier: GPL-3.0-or-later
"""Asks a user's own systemd about units, and has it start or end them."""

from __future__ import annotations

import subprocess

_LIMIT_S = 60.0


def systemctl(*words: str) -> subprocess.CompletedProcess[str] | None:
    """Return what ``systemctl --user`` says; None where there is none, or it does not answer."""
    try:
        return subprocess.run(
            ("systemctl", "--user", *words), capture_output=True, text=True, timeout=_LIMIT_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
