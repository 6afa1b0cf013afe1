# SPDX-License-Identifier: GPL-3.0-or-later
"""From an exception to the sentence on the screen."""

from __future__ import annotations

from disktuner.log import unforeseen
from disktuner.vocabulary.errors import DisktunerError, NotAuthorised
from disktuner.vocabulary.messages import text


def failure_text(error: Exception) -> str:
    """Return the error's own sentence, or for unforeseen errors one that refers to the log."""
    if isinstance(error, NotAuthorised):
        return text("nothing-changed", why=error.message)
    if isinstance(error, DisktunerError):
        return str(error)
    return unforeseen(error)
