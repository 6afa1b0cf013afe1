# SPDX-License-Identifier: GPL-3.0-or-later
"""What may go wrong in one run of a workload."""

from __future__ import annotations

from disktuner.vocabulary.errors import MeasurementImpossible


class RunFailed(MeasurementImpossible):
    """One run yielded no true number; the experiment may go on."""


class ProgramFailed(RunFailed):
    """A program ended with an error or took too long."""

    def __init__(self, program: str, status: int | None, message: str) -> None:
        self.program = program
        self.status = status
        self.said = message
        how = "did not end in time" if status is None else f"failed with status {status}"
        super().__init__(f"{program} {how}: {message.strip()[-300:] or 'it printed nothing'}")


class StillCached(RunFailed):
    """A file that should be read from the disk stays in memory."""

    def __init__(self, name: str, share: float) -> None:
        self.name = name
        self.share = share
        super().__init__(f"page cache: {share:.0%} of {name} stays in memory although nobody should need it")


class NotUnderstood(RunFailed):
    """A program's output could not be read."""

    def __init__(self, program: str, output: str) -> None:
        self.program = program
        super().__init__(f"the output of {program} could not be understood: {output.strip()[-200:]!r}")
