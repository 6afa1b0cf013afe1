# SPDX-License-Identifier: GPL-3.0-or-later
"""What a comparison and a verdict may come to: all that drawings know of a verdict."""

from __future__ import annotations

from enum import StrEnum


class Outcome(StrEnum):
    """What one comparison shows. ``SAME`` is a finding: no value in the interval makes a practical difference."""

    BETTER = "better"
    WORSE = "worse"
    SAME = "same"
    UNDECIDED = "undecided"


class Decision(StrEnum):
    """What to do: switch, switch on a condition (a possible cost is not settled), keep the present setting, choose
    between a gain and its price, or go on measuring."""

    SWITCH = "switch"
    CONDITIONAL = "conditional"
    KEEP = "keep"
    TRADE_OFF = "trade-off"
    UNDECIDED = "undecided"
