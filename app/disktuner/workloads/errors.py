# SPDX-License-Identifier: GPL-3.0-or-later
"""What may go wrong in one run of a workload."""

from __future__ import annotations

from disktuner.vocabulary.errors import MeasurementImpossible
from disktuner.vocabulary.messages import Message, message


def exit_status(code: int) -> int:
    """Return a status as shells say it: 128 and its number for a signal."""
    return code if code >= 0 else 128 - code


class Aborted(Exception):
    """A run was ended as it took too long. Attributes: ``took_s`` is how long it ran."""

    def __init__(self, took_s: float) -> None:
        super().__init__(took_s)
        self.took_s = took_s


class RunFailed(MeasurementImpossible):
    """One run yielded no true number; the experiment may go on."""


class ProgramFailed(RunFailed):
    """A program failed (``status``, ``output``), was too slow or never started (``what``)."""

    def __init__(self, program: str, status: int | None, output: str, what: Message | None = None) -> None:
        self.status, self.output = status, output
        if what is None and (said := output.strip()[-300:]):
            what = message("program-failed", program=program, status=exit_status(status or 0), output=said)
        elif what is None:
            what = message("program-failed-silently", program=program, status=exit_status(status or 0))
        super().__init__(what.id, **what.values)


class StillCached(RunFailed):
    """A file that should be read from the disk stays in memory: ``share`` of it, 0 to 1."""

    def __init__(self, name: str, share: float) -> None:
        super().__init__("still-cached", file=name, share=share)


class NotUnderstood(RunFailed):
    """A program's output could not be read."""

    def __init__(self, program: str, output: str) -> None:
        super().__init__("output-not-understood", program=program, output=output.strip()[-200:])
