# SPDX-License-Identifier: GPL-3.0-or-later
"""A presented result as PNG, SVG, HTML, CSV, Markdown and JSON."""

from disktuner.report.exporting import export

__all__ = ["export"]
