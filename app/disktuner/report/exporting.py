# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes a result in the form that a file's suffix asks for."""

from __future__ import annotations

from pathlib import Path

from disktuner.report.page import html
from disktuner.report.picture import ThemeName, save
from disktuner.report.privacy import anonymous
from disktuner.report.tables import csv_text, markdown
from disktuner.results.codec import encode
from disktuner.results.model import Result
from disktuner.results.store import write_atomically
from disktuner.verdict.judge import judge
from disktuner.verdict.model import Verdict
from disktuner.vocabulary.errors import UsageError

SUFFIXES = (".png", ".svg", ".html", ".csv", ".md", ".json")


def check_suffix(path: Path) -> None:
    """Raise ``UsageError`` for a suffix that no export has."""
    if path.suffix.lower() not in SUFFIXES:
        raise UsageError(f"{path.name} does not say what to write. End its name in one of {', '.join(SUFFIXES)}.")


def export(result: Result, path: Path, theme: ThemeName = "light", personal: bool = False) -> Path:
    """Write the result as PNG, SVG, HTML, CSV, Markdown or JSON, by suffix; return the path.

    Serial, host, user and paths are left out unless ``personal``. Raises ``UsageError`` for another
    suffix and
    ``NotSaved`` where the file cannot be written.
    """
    check_suffix(path)
    shown = result if personal else anonymous(result)
    verdict = judge(shown)
    if path.suffix.lower() in (".png", ".svg"):
        return save(shown, verdict, path, theme, personal=True)
    return write_atomically(path, _text(shown, verdict, path.suffix.lower()).encode("utf-8"))


def _text(result: Result, verdict: Verdict, suffix: str) -> str:
    if suffix == ".html":
        return html(result, verdict)
    if suffix == ".csv":
        return csv_text(result)
    return markdown(result, verdict) if suffix == ".md" else encode(result) + "\n"
