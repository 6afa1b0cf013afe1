# SPDX-License-Identifier: GPL-3.0-or-later
"""A result as tables: CSV of all raw samples, and a Markdown table for forums and issue trackers."""

from __future__ import annotations

import csv
import io
import re

from disktuner.presentation import Presented, Row
from disktuner.results.model import Result, Sample
from disktuner.vocabulary.messages import say, text
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


def heads(baseline: str) -> tuple[str, ...]:
    """Return the column names of a figure's table."""
    return (
        text("column-scheduler"),
        text("column-typical"),
        text("column-rounds"),
        text("column-difference", baseline=baseline),
        text("column-interval"),
        text("column-finding"),
    )


NUMBERS = frozenset((1, 2, 3, 4))
"""The indices of columns with numbers."""


def cells(row: Row) -> tuple[str, ...]:
    """Return a row's texts for these columns."""
    return (row.name, row.value, str(row.n), row.difference, row.interval, row.finding)


def csv_text(result: Result) -> str:
    """Return a line for each sample (RFC 4180): numbers with a decimal point, true and false, times as ISO 8601.

    Texts that a spreadsheet would take for formulas are prefixed with an apostrophe (OWASP, "CSV Injection").
    """
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer)
    writer.writerow(CSV_COLUMNS)
    writer.writerows(_line(result, sample) for sample in result.samples)
    return buffer.getvalue()


def markdown(presented: Presented) -> str:
    """Return the answer, one table of all comparisons, and how it was measured."""
    answer = [f"- {_plain(reason)}" for reason in presented.reasons] or [_plain(presented.why)]
    lines = [f"**{_plain(presented.title)}**", "", *answer, "", _plain(" · ".join(presented.setup)), ""]
    columns = ("", *heads(presented.verdict.baseline.name))
    lines += [_markdown_line(columns), f"|---|---|{'---:|' * len(NUMBERS)}---|"]
    for panel in presented.panels:
        labels = (f"{panel.label} ({panel.direction})", *[""] * len(panel.rows))
        lines += [_markdown_line((label, *cells(row))) for label, row in zip(labels, panel.rows, strict=False)]
    lines += ["", *(_plain(caution) + "\n" for caution in presented.cautions)]
    lines += [_plain(presented.priorities), ""] if presented.priorities else []
    lines += [f"{_plain(presented.method)} {_plain(' · '.join(presented.run))}", ""]
    return "\n".join(lines)


def _markdown_line(texts: tuple[str, ...]) -> str:
    return f"| {' | '.join(map(_plain, texts))} |"


def _plain(shown: str) -> str:
    """Escape a text for Markdown: no markup, automatic links, formulas or lists.

    Renderers find mail addresses and mentions in the finished text, where no backslash is left; a space after the @
    prevents that.
    """
    shown = " ".join(printable(shown).replace("@", "@ ").split())
    shown = _MARKUP.sub(r"\\\g<0>", shown)
    return _BLOCK.sub(r"\1\\\2", shown)


def _line(result: Result, sample: Sample) -> tuple[str | int | float, ...]:
    metric = result.metrics[sample.metric]
    return (
        _safe(sample.metric),
        _safe(metric.unit),
        metric.better.value,
        _safe(sample.setting.name),
        sample.round,
        sample.order,
        sample.value,
        "true" if sample.valid else "false",
        _safe(say(sample.reason) if sample.reason else ""),
        _safe(sample.started),
        sample.duration_s,
    )


def _safe(shown: str) -> str:
    """Return a text that no spreadsheet takes for a formula, however it splits cells."""
    return _FORMULA.sub(r"\g<0>'", printable(shown))
