# SPDX-License-Identifier: GPL-3.0-or-later
"""A summary as the JSON that other programs read."""

from __future__ import annotations

from typing import Any

from disktuner.report.documents import factors, verdict_document
from disktuner.vocabulary.messages import say
from disktuner_fleet.group import Group
from disktuner_fleet.summary import Summary


def summary_document(summary: Summary) -> dict[str, Any]:
    """Return the summary of many machines' results as plain JSON values.

    ``{"groups": [...], "left_out": [{"file", "why"}], "files"}``. A group has

    - ``model``, ``kernel`` (its series: ``6.12``), ``goal``;
    - ``machines``, how many were measured, ``disagreeing``, the files of those among them that do not fit the others
      (they do not count), and ``unidentified``, how many files do not say which disk it was (together one machine);
    - ``decision`` (``switch``, ``conditional``, ``keep``, ``trade-off``, ``undecided``), ``winner`` (a setting, or
      null), ``baseline``;
    - ``clear``: it is ``switch`` or ``keep``, and one machine in ten at most disagrees;
    - ``scheduler``, the winner, else who scores best, and its score: ``ratio`` (how many times better than the
      baseline), ``ci_low`` and ``ci_high`` (null below two machines); all are null where nothing was compared;
    - ``worth``, the least gain that is worth a change; ``more_machines``, how many more would decide (null where it is
      decided, or no number would);
    - ``why``, sentences, and ``comparisons``, as ``disktuner verdict --json`` has them, whose ``n`` are machines.

    Files are paths below the folder that was read.
    """
    return {
        "groups": [_group(group) for group in summary.groups],
        "left_out": [{"file": file.file, "why": say(file.why)} for file in summary.left_out],
        "files": summary.files,
    }


def _group(group: Group) -> dict[str, Any]:
    judged = verdict_document(group.verdict)
    return {
        "model": group.model,
        "kernel": group.kernel,
        "goal": group.goal,
        "machines": len(group.machines),
        "decision": judged["decision"],
        "clear": group.is_clear,
        "winner": judged["winner"],
        "baseline": judged["baseline"],
        "scheduler": group.shown_setting.name if group.shown_setting else None,
        **{name: factor for name, factor in factors(group.score).items() if name != "n"},
        "disagreeing": [file for machine in group.disagreeing for file in machine.files],
        "unidentified": group.unknown,
        "worth": judged["worth"],
        "more_machines": judged["more_rounds"],
        "why": judged["why"],
        "comparisons": judged["comparisons"],
    }
