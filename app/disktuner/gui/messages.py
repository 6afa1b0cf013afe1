# SPDX-License-Identifier: GPL-3.0-or-later
"""From an exception to the sentence on the screen."""

from __future__ import annotations

import logging

from disktuner.gui import wording
from disktuner.vocabulary.errors import DisktunerError, NotAuthorised

log = logging.getLogger(__name__)


def sentence(error: Exception) -> str:
    """The error's own sentence; one of ours, and a log entry, for what nobody foresaw."""
    if isinstance(error, NotAuthorised):
        return wording.NO_RIGHTS.format(why=error)
    if isinstance(error, DisktunerError):
        return str(error)
    log.error("unexpected error", exc_info=error)
    return wording.UNEXPECTED
