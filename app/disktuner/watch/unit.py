# SPDX-License-Identifier: GPL-3.0-or-later
"""The recorder as a service of the user's own systemd: whether it is there and on, and the switch."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence

from disktuner.vocabulary.errors import MeasurementImpossible

NAME = "disktuner-watch.service"
TURN_ON = f"systemctl --user enable --now {NAME.removesuffix('.service')}"
_LIMIT_S = 10.0


def is_there() -> bool:
    """Whether the user has a systemd that runs and knows the service."""
    done = _systemctl("show", "--property=LoadState", "--value")
    return done is not None and done.stdout.strip() == "loaded"


def switch(on: bool) -> None:
    """Turn it on, now and at each login, or off for good. Raises ``MeasurementImpossible``."""
    done = _systemctl("enable" if on else "disable", "--now")
    if done is None or done.returncode:
        raise MeasurementImpossible("recorder-failed", why=done.stderr.strip() if done else "systemctl")


def _systemctl(*words: str) -> subprocess.CompletedProcess[str] | None:
    argv: Sequence[str] = ("systemctl", "--user", *words, NAME)
    try:
        return subprocess.run(argv, capture_output=True, text=True, timeout=_LIMIT_S, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
