# SPDX-License-Identifier: GPL-3.0-or-later
"""What is said of the trial in daily use and of the recorder where ``disktuner_watch`` need not be loaded."""

from __future__ import annotations

from collections.abc import Mapping

TEXTS: Mapping[str, str | tuple[str, str]] = {
    "help-try-in-daily-use": "alternate between two settings while you use the computer, to see which feels better",
    "help-watch": "the flight recorder: why programs froze",
    "time-of-use": "{used:duration} of use",
    "field-begun-here": "{disk} now alternates between {first:scheduler} and {second:scheduler} for up to a week, even "
    "while this window is closed. Use the computer as usual. To end it: Undo, on the disk's card.",
    "prove-offer": "Does it feel better, too? The two settings alternate while you use the computer, for up to a week.",
    "prove-now": "Prove it in daily use",
    "chosen-by-lot": "Tried in daily use until {until}: {settings:setting}",
    "going-back-from-daily-use": "Ends the trial in daily use; the disk gets back what it had before.",
    "status-in-daily-use": "tried in daily use: {first:scheduler} or {second:scheduler}, until {until}",
    "field-stopped": "The trial has ended, and the disk is as it was before.",
}
