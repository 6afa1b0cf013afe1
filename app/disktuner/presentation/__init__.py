# SPDX-License-Identifier: GPL-3.0-or-later
"""A result and its verdict as people see them: figures with units, differences, sentences, ready to be drawn.

All texts are made on presentation, in the current language.
"""

from disktuner.presentation.bars import Bar, Bars, bars_of
from disktuner.presentation.certainty import Certainty
from disktuner.presentation.changes import Change
from disktuner.presentation.comparing import PresentedBetween, present_between
from disktuner.presentation.glance import Glance
from disktuner.presentation.goals import for_goal, other_goals
from disktuner.presentation.heading import Heading
from disktuner.presentation.panels import Panel, Row
from disktuner.presentation.presented import Presented, listed, measure_longer, present, result_title
from disktuner.presentation.samples import SampleRow, samples
from disktuner.presentation.tried import Tried
from disktuner.results.history import when

__all__ = [
    "Bar",
    "Bars",
    "Certainty",
    "Change",
    "Glance",
    "Heading",
    "Panel",
    "Presented",
    "PresentedBetween",
    "Row",
    "SampleRow",
    "Tried",
    "bars_of",
    "for_goal",
    "listed",
    "measure_longer",
    "other_goals",
    "present",
    "present_between",
    "result_title",
    "samples",
    "when",
]
