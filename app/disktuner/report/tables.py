# SPDX-License-Identifier: GPL-3.0-or-later
"""A result as tables: CSV of every raw sample, and a Markdown table that forums and trackers render."""

from __future__ import annotations

import csv
import io
import math
import re

from disktuner.report.figures import METHOD, SIGNS, Panel, Row, direction, panels, run_facts, setup_facts, value_text
from disktuner.report.text import columns
from disktuner.results.model import Result, Sample
from disktuner.verdict.model import Comparison, Verdict
from disktuner.vocabulary.messages import say
from disktuner.vocabulary.printable import printable

CSV_COLUMNS = (
    "metric",
    "unit",
    "better",
    "scheduler",
    "round",
    "order",
    "value",
    "valid",
    "reason",
    "started",
    "duration_s",
)


_MARKUP = re.compile(r"[\\`*_\[\]<>|~#@$&!]|:(?=//)|(?<=www)\.", re.IGNORECASE)
_BLOCK = re.compile(r"^(\d*)([-+=.)])")
_FORMULA = re.compile(r"(?:^|[;,\t\n])\s*(?=[=+\-@\uff1d\uff0b\uff0d\uff20])")


def csv_text(result: Result) -> str:
    """Return every sample as a line (RFC 4180): numbers with a point, true and false, times as ISO 8601.

    A text that a spreadsheet would take for a formula gets an apostrophe before it
    (OWASP, "CSV Injection").
    """
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer)
    writer.writerow(CSV_COLUMNS)
    writer.writerows(_line(result, sample) for sample in result.samples)
    return buffer.getvalue()


def markdown(result: Result, verdict: Verdict) -> str:
    """Return the answer, one table of all comparisons, and how it was measured."""
    lines = [f"**{_plain(verdict.why)}**", "", _plain(" · ".join(setup_facts(result))), ""]
    lines += [
        f"| | scheduler | typical | rounds | ratio to {_plain(verdict.baseline)} | 95 % interval | |",
        "|---|---|---:|---:|---:|---:|---|",
    ]
    compared = {(c.metric, c.scheduler): c for c in verdict.comparisons}
    for panel in panels(result, verdict):
        lines += [_markdown_row(panel, row, compared) for row in panel.rows]
    lines += ["", f"{METHOD} {_plain(run_facts(result))}", ""]
    return "\n".join(lines)


def _markdown_row(panel: Panel, row: Row, compared: dict[tuple[str, str], Comparison]) -> str:
    found = compared.get((panel.metric.name, row.scheduler))
    label = f"{panel.metric.label} ({direction(panel.metric)})" if row is panel.rows[0] else ""
    value = value_text(row.typical, panel.metric.unit)
    if found is None:
        cells = (label, row.scheduler, value, str(row.n), "1", "", "before")
    else:
        _, n, ratio, interval, outcome = columns(found)
        cells = (label, row.scheduler, value, n, ratio, interval, f"{SIGNS[found.outcome]} {outcome}")
    return f"| {' | '.join(_plain(cell) for cell in cells)} |"


def _plain(text: str) -> str:
    """Return a text that Markdown shows as it is: no markup, no link made of an address, no formula, no list.

    Renderers look for mail addresses and people's names in the finished text, where no backslash is left: a space
    after the @ keeps them from one.
    """
    text = " ".join(printable(text).replace("@", "@ ").split())
    text = _MARKUP.sub(r"\\\g<0>", text)
    return _BLOCK.sub(r"\1\\\2", text)


def _line(result: Result, sample: Sample) -> tuple[str | int | float, ...]:
    metric = result.metrics[sample.metric]
    return (
        _safe(sample.metric),
        _safe(metric.unit),
        metric.better.value,
        _safe(sample.scheduler),
        sample.round,
        sample.order,
        sample.value if math.isfinite(sample.value) else "",
        "true" if sample.valid else "false",
        _safe(say(sample.reason) if sample.reason else ""),
        _safe(sample.started),
        sample.duration_s,
    )


def _safe(text: str) -> str:
    """A text that no spreadsheet takes for a formula, wherever it takes a cell to begin."""
    return _FORMULA.sub(r"\g<0>'", printable(text))
