# SPDX-License-Identifier: GPL-3.0-or-later
"""A result as PNG, SVG, HTML, CSV, Markdown, JSON and text."""

from disktuner.report.exporting import export

__all__ = ["export"]
