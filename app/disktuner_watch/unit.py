# SPDX-License-Identifier: GPL-3.0-or-later
"""The recorder as a service of the user's systemd: whether it is installed, and its switch."""

from __future__ import annotations

from disktuner.user_units import systemctl
from disktuner.vocabulary.errors import MeasurementImpossible

NAME = "disktuner-watch.service"
TURN_ON = f"systemctl --user enable --now {NAME.removesuffix('.service')}"


def is_there() -> bool:
    """Whether the user's systemd runs and knows the service."""
    done = systemctl("show", "--property=LoadState", "--value", NAME)
    return done is not None and done.stdout.strip() == "loaded"


def switch(on: bool) -> None:
    """Turn the service on, now and at each login, or off for good. Raises ``MeasurementImpossible``."""
    done = systemctl("enable" if on else "disable", "--now", NAME)
    if done is None or done.returncode:
        raise MeasurementImpossible("recorder-failed", why=done.stderr.strip() if done else "systemctl")
