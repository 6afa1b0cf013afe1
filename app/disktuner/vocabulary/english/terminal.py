# SPDX-License-Identifier: GPL-3.0-or-later
"""The sentences of the command line."""

from __future__ import annotations

from collections.abc import Mapping

TEXTS: Mapping[str, str | tuple[str, str]] = {
    # disktuner workloads
    "workload-line": "{workload}: {summary} ({program}; {goals}).",
    "workload-line-no-goal": "{workload}: {summary} ({program}; for no goal).",
    "workload-line-unavailable": "{about} {reason}",
}
