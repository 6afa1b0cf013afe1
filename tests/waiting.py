# SPDX-License-Identifier: GPL-3.0-or-later
"""The one way that tests wait: until something holds, however slow the machine is."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

HANG_S = 300
"""When to give up on something that never comes. It decides nothing: a third of pytest's own limit for a test."""


Found = TypeVar("Found")


def until(condition: Callable[[], Found], hang_s: float = HANG_S) -> Found:
    """Wait until a condition holds, and return its value.

    Raises AssertionError with the caller's line if it never does.
    """
    end = time.monotonic() + hang_s
    while not (value := condition()):
        if time.monotonic() > end:
            raise AssertionError(f"still {value!r} after {hang_s} s")
        time.sleep(0.01)
    return value
