# SPDX-License-Identifier: GPL-3.0-or-later
"""A result and its verdict as people see them: figures with units, differences, sentences; who shows them only draws.

All texts are made when something is presented, in the language spoken then.
"""

from disktuner.presentation.comparing import PresentedBetween, present_between
from disktuner.presentation.panels import Panel, Row, difference, interval
from disktuner.presentation.presented import Presented, answer, present, result_title, when
from disktuner.presentation.samples import SampleRow, samples
from disktuner.presentation.scale import Scale

__all__ = [
    "Panel",
    "Presented",
    "PresentedBetween",
    "Row",
    "SampleRow",
    "Scale",
    "answer",
    "difference",
    "interval",
    "present",
    "present_between",
    "result_title",
    "samples",
    "when",
]
