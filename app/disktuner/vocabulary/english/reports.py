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
    "column-finding": "verdict",
    # drawing/paper.py
    "no-font": "No fonts are installed. Install one, such as DejaVu (fonts-dejavu-core).",
    # report/page.py
    "why": "Why",
    "all-figures": "All figures",
    "what-to-know": "Notes",
    # report/exporting.py
    "unknown-format": "{name} has no known suffix. Use one of {suffixes:or}.",
}
