# SPDX-License-Identifier: GPL-3.0-or-later
"""The sentences about languages, and words that stand behind numbers or that argparse leaves to its user."""

from __future__ import annotations

from collections.abc import Mapping

TEXTS: Mapping[str, str | tuple[str, str]] = {
    "help-commands": "commands",
    "help-version": "show the version and exit",
    "usage-expected": ("expected %s argument", "expected %s arguments"),
    # The name of a figure; of what a workload costs the processors
    "figure-name": "{label:named}",
    "figure-of-cost": "{cost:named}: {activity:named}",
    # Behind the values of tunables
    "unit-requests": ("request", "requests"),
    "unit-batches": ("batch", "batches"),
    "unit-times": ("time", "times"),
    "unit-sectors": ("sector", "sectors"),
    "unit-commands": ("command", "commands"),
    "value-and-unit": "{value} {unit}",
}
