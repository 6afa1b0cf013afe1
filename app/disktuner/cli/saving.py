# SPDX-License-Identifier: GPL-3.0-or-later
"""Saving on request: checked before measuring, with failures reported after the answer."""

from __future__ import annotations

from pathlib import Path

from disktuner.cli.streams import complain
from disktuner.comparison.request import JudgedResult
from disktuner.report.exporting import check_suffix, export
from disktuner.results.keeping import not_saved_but_kept
from disktuner.results.store import try_place
from disktuner.vocabulary.messages import say
from disktuner.writing import NotSaved


def check_image(image: Path | None) -> None:
    """Raise ``UsageError`` or ``NotSaved`` if a picture could not be written."""
    if image:
        check_suffix(image)
        try_place(image)


def save_image(judged: JudgedResult, image: Path | None) -> int:
    """Write the picture, and report what could not be saved as requested; return the exit code."""
    problems = [judged.problem] if judged.problem else []
    if image:
        try:
            export(judged.result, image)
        except NotSaved as error:
            problems.append(not_saved_but_kept(error, judged.path))
    for problem in problems:
        complain(say(problem))
    return NotSaved.exit_code if problems else 0
