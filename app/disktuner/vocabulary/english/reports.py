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
    # drawing/paper.py
    "no-font": "This machine has no font to draw letters with. Install one, such as DejaVu (fonts-dejavu-core).",
    # report/page.py
    "why": "Why",
    "all-comparisons": "All figures",
    "what-to-know": "What to know",
    # report/exporting.py
    "unknown-format": "The name {name} does not say what to write. End it in {suffixes:or}.",
}
