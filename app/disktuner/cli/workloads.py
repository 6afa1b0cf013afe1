# SPDX-License-Identifier: GPL-3.0-or-later
"""``disktuner workloads``: what can be run, with which program, and what it measures."""

from __future__ import annotations

import argparse
import json
from typing import Any

from disktuner.vocabulary.messages import named, say, text
from disktuner.vocabulary.workloads import goals_of, metrics_of
from disktuner.workloads.catalogue import catalogue
from disktuner.workloads.workload import Workload


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Describe the command."""
    parser = subparsers.add_parser("workloads", help="what can be run, with which program, and what it measures")
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def run(args: argparse.Namespace) -> int:
    """Print all of them."""
    if args.json:
        documents = [document(workload) for workload in catalogue()]
        print(json.dumps({"workloads": documents}, ensure_ascii=False, indent=2))
        return 0
    for workload in catalogue():
        print(line(workload))
    return 0


def line(workload: Workload) -> str:
    """One workload for people: what it does, for which goals, and what it lacks here."""
    facts, goals = workload.facts, goals_of(workload.id)
    values = {"workload": facts.id, "summary": named(facts.summary), "program": facts.program}
    about = text("workload-line", goals=goals, **values) if goals else text("workload-line-no-goal", **values)
    reason = workload.unavailable()
    return text("workload-line-unavailable", about=about, reason=reason) if reason else about


def document(workload: Workload) -> dict[str, Any]:
    """One workload in plain JSON values."""
    facts, reason = workload.facts, workload.unavailable()
    metrics = {
        name: {"name": name, "unit": metric.unit, "better": metric.better.value, "label": metric.label}
        for name, metric in metrics_of(facts).items()
    }
    return {
        "id": facts.id,
        "summary": facts.summary,
        "program": facts.program,
        "package": facts.package,
        "available": reason is None,
        "unavailable": say(reason) if reason else None,
        "metrics": metrics,
        "deciding": f"{facts.id}.{facts.deciding}",
        "goals": list(goals_of(facts.id)),
        "source": facts.origin,
    }
