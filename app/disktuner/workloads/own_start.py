# SPDX-License-Identifier: GPL-3.0-or-later
"""The start of a program of the user's own as a workload: recorded once, then read again on the tested disk."""

from __future__ import annotations

from dataclasses import replace

from disktuner.results.definition import Definition
from disktuner.vocabulary.messages import Message, message
from disktuner.vocabulary.workloads import WorkloadFacts
from disktuner.workloads.own import named_after
from disktuner.workloads.patterns import Pattern, decode_pattern, encode_pattern
from disktuner.workloads.processes import Processes
from disktuner.workloads.programs import find_program
from disktuner.workloads.recording import record
from disktuner.workloads.replay import Replay, distinct_bytes
from disktuner.workloads.workload import Scratch


class OwnStart(Replay):
    """The program is started for its recording only. Attributes: ``definition`` is what is started."""

    def __init__(self, definition: Definition, pattern: Pattern | None = None) -> None:
        super().__init__(pattern, definition.load)
        self.definition: Definition = definition

    @property
    def facts(self) -> WorkloadFacts:
        """What is declared, with the program's name."""
        return named_after(super().facts, self.definition)

    @property
    def is_unknown(self) -> bool:
        """Nobody knows what it reads until it is recorded."""
        return self._pattern is None

    @property
    def notes(self) -> tuple[Message, ...]:
        """What its start reads."""
        if self.is_unknown:
            return ()
        read = {each.file for each in self.pattern.reads}
        size = distinct_bytes(self.pattern)
        return (message("own-recorded", program=self.definition.title, read=size, count=len(read)),)

    def tried(self, scratch: Scratch, processes: Processes) -> OwnStart:  # noqa: ARG002 - its reads need no folder
        """Record its start, unless that was done before. Raises ``NoSuchThing`` or ``RunFailed``."""
        own = self.definition
        if own.pattern:
            return OwnStart(own, decode_pattern(own.pattern))
        program = find_program(own.program or "")
        pattern = record(program.command, processes, stays=program.stays)
        return OwnStart(replace(own, pattern=encode_pattern(pattern)), pattern)
