# SPDX-License-Identifier: GPL-3.0-or-later
"""``disktuner workloads``: what can be run, with which program, and what it measures."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from typing import Any

from disktuner.results.model import Goal
from disktuner.verdict.goals import workloads_of
from disktuner.workloads.catalogue import catalogue, metrics_of
from disktuner.workloads.workload import Workload


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Describe the command."""
    parser = subparsers.add_parser("workloads", help="what can be run, with which program, and what it measures")
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def run(args: argparse.Namespace) -> int:
    """Print all of them."""
    workloads = [document(workload) for workload in catalogue()]
    if args.json:
        print(json.dumps({"workloads": workloads}, ensure_ascii=False, indent=2))
        return 0
    for each in workloads:
        missing = f"  [{each['unavailable']}]" if each["unavailable"] else ""
        print(f"{each['id']}: {each['summary']} ({each['program']}; {', '.join(each['goals'])}){missing}")
    return 0


def document(workload: Workload) -> dict[str, Any]:
    """One workload in plain JSON values."""
    goals = {goal for goal in Goal if workload.id in workloads_of(goal)} | workload.goals
    return {
        "id": workload.id,
        "summary": workload.summary,
        "program": workload.program,
        "package": workload.package,
        "available": workload.unavailable() is None,
        "unavailable": workload.unavailable(),
        "metrics": {name: asdict(metric) for name, metric in metrics_of(workload).items()},
        "deciding": f"{workload.id}.{workload.deciding}",
        "goals": sorted(goal.value for goal in goals),
        "source": workload.source,
    }
