# SPDX-License-Identifier: GPL-3.0-or-later
"""From an exception to the sentence on the screen."""

from __future__ import annotations

from disktuner.gui import wording
from disktuner.log import unforeseen
from disktuner.vocabulary.errors import DisktunerError, NotAuthorised


def sentence(error: Exception) -> str:
    """The error's own sentence; for what nobody foresaw one that names the log, which has it."""
    if isinstance(error, NotAuthorised):
        return wording.NO_RIGHTS.format(why=error)
    if isinstance(error, DisktunerError):
        return str(error)
    return unforeseen(error)
