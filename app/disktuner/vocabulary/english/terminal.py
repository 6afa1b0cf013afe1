# SPDX-License-Identifier: GPL-3.0-or-later
"""The sentences of the command line."""

from __future__ import annotations

from collections.abc import Mapping

TEXTS: Mapping[str, str | tuple[str, str]] = {
    # disktuner workloads
    "workload-line": "{workload}: {summary} ({program}; {goals}).",
    "workload-line-no-goal": "{workload}: {summary} ({program}; for no goal).",
    "workload-line-unavailable": "{about} {reason}",
    # errors that nobody foresaw, in the terminal and in the window
    "unforeseen": (
        "Something unforeseen went wrong ({what}). This is a defect in Disktuner: "
        "please report it with what you did and with the log, {log}."
    ),
    "unforeseen-unlogged": (
        "Something unforeseen went wrong ({what}). This is a defect in Disktuner: "
        "please report it with what you did and with what `disktuner --debug` shows."
    ),
}
