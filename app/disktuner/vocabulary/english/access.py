# SPDX-License-Identifier: GPL-3.0-or-later
"""The sentences for those who do not see the window: what has just happened, and what a picture shows."""

from __future__ import annotations

from collections.abc import Mapping

TEXTS: Mapping[str, str | tuple[str, str]] = {
    # The list of keys
    "keys-title": "Keys",
    "keys-hint": "Move with Tab and the arrow keys; press buttons with Space or Return.",
    # What is announced
    "spoken-begun": "Measuring started, at most {left:duration} left.",
    "spoken-rounds": (
        "{count} round done, at most {left:duration} left.",
        "{count} rounds done, at most {left:duration} left.",
    ),
    "spoken-result": "{answer}. {why}",
    # What a picture is called; what it shows follows in words
    "picture-of-certainty": "Chart: how sure the answer is",
    "picture-of-metric": "Chart: {metric}, {direction}",
    "picture-of-curves": "Chart: {what}, {workload}",
    "step-of": "Step {number} of {count}: {step}",
    "lane-not-counted": "{setting:setting}: a run does not count. {reason}",
    "picture-live": "Live chart: throughput and read wait",
    "picture-course": "Chart: throughput and latency of all runs",
    "picture-course-keys": "Left and right move in time, plus and minus zoom, Home shows everything.",
    "live-nothing": "No figures yet.",
    "course-of": "{scheduler:setting}: typically {rate:rate}, {latency:time} per request",
    "course-of-idle": "{scheduler:setting}: typically {rate:rate}",
    "cell-empty": "empty",
}
