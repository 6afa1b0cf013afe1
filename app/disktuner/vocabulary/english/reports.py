# SPDX-License-Identifier: GPL-3.0-or-later
"""The sentences of pictures, HTML, Markdown and CSV."""

from __future__ import annotations

from collections.abc import Mapping

TEXTS: Mapping[str, str | tuple[str, str]] = {
    # the columns of a figure's rows
    "column-scheduler": "scheduler",
    "column-typical": "typical",
    "column-rounds": "rounds",
    "column-difference": "against {baseline:scheduler}",
    "column-interval": "95 % interval",
    "column-finding": "finding",
    # report/picture.py, report/page.py
    "more-in-report": ("{count} more figure in the full report", "{count} more figures in the full report"),
    "all-comparisons": "All comparisons",
    "what-to-know": "What to know",
    # report/exporting.py
    "unknown-format": "The name {name} does not say what to write. End it in {suffixes:or}.",
}
