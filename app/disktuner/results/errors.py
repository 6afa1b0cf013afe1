# SPDX-License-Identifier: GPL-3.0-or-later
"""What can be wrong with a result file or the place where results are kept."""

from __future__ import annotations

from disktuner.vocabulary.errors import DisktunerError, MeasurementImpossible, UsageError


class BadResult(MeasurementImpossible):
    """The text is no result, a damaged one, or one that says what no measurement can say."""


class NoSuchResult(UsageError):
    """There is no such file, or it cannot be read."""


class NotSaved(DisktunerError):
    """A result could not be written; what was saved before is still there."""

    exit_code = 5
