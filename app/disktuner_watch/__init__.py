# SPDX-License-Identifier: GPL-3.0-or-later
"""What runs all day: the flight recorder (why programs froze), and in ``field`` the trial in daily use."""

from disktuner.vocabulary.english import add
from disktuner_watch.english import TEXTS

add(TEXTS)
