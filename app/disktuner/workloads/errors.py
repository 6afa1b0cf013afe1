# SPDX-License-Identifier: GPL-3.0-or-later
"""What may go wrong in one run of a workload."""

from __future__ import annotations

from disktuner.vocabulary.errors import MeasurementImpossible
from disktuner.vocabulary.messages import Message, message


class RunFailed(MeasurementImpossible):
    """One run yielded no true number; the experiment may go on."""


class ProgramFailed(RunFailed):
    """A program ended with an error, took too long, or could not be started.

    Attributes: ``program``, its ``status`` (None where it did not end by itself) and ``output``, what it printed.
    """

    def __init__(self, program: str, status: int | None, output: str, what: Message | None = None) -> None:
        self.program = program
        self.status = status
        self.output = output
        what = what or _failed(program, status or 0, output.strip()[-300:])
        super().__init__(what.id, **what.values)

    @classmethod
    def not_started(cls, program: str, error: OSError) -> ProgramFailed:
        """Return the error of a program that the system could not start."""
        said = str(error)
        return cls(program, None, said, message("program-not-started", program=program, error=said))

    @classmethod
    def too_slow(cls, program: str, seconds: float) -> ProgramFailed:
        """Return the error of a program that was ended because it took longer than ``seconds``."""
        return cls(program, None, "", message("program-too-slow", program=program, limit=seconds))


def _failed(program: str, status: int, output: str) -> Message:
    if output:
        return message("program-failed", program=program, status=status, output=output)
    return message("program-failed-silently", program=program, status=status)


class StillCached(RunFailed):
    """A file that should be read from the disk stays in memory: ``share`` of it, 0 to 1."""

    def __init__(self, name: str, share: float) -> None:
        super().__init__("still-cached", file=name, share=share)


class NotUnderstood(RunFailed):
    """A program's output could not be read."""

    def __init__(self, program: str, output: str) -> None:
        super().__init__("output-not-understood", program=program, output=output.strip()[-200:])
