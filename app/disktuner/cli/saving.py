# SPDX-License-Identifier: GPL-3.0-or-later
"""What is asked to be saved: tried before anything is measured, and told after the answer where it could not be."""

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
    """Raise ``UsageError`` or ``NotSaved`` where a picture could not be written."""
    if image:
        check_suffix(image)
        try_place(image)


def save_image(found: JudgedResult, image: Path | None) -> int:
    """Write the picture, and say what could not be saved where it was asked to be; return the exit code."""
    problems = [found.problem] if found.problem else []
    if image:
        try:
            export(found.result, image)
        except NotSaved as error:
            problems.append(not_saved_but_kept(error, found.path))
    for each in problems:
        complain(say(each))
    return NotSaved.exit_code if problems else 0
