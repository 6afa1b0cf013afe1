# SPDX-License-Identifier: GPL-3.0-or-later
"""The start of a program of the user's own as a workload: recorded once, then read again on the tested disk."""

from __future__ import annotations

import base64
import binascii
import math
from dataclasses import replace

from disktuner.results.definition import Definition
from disktuner.vocabulary.messages import Message, message
from disktuner.vocabulary.workloads import WorkloadFacts
from disktuner.workloads.own import named_after
from disktuner.workloads.patterns import Pattern, decode_pattern, encode_pattern
from disktuner.workloads.programs import find_program
from disktuner.workloads.recording import record
from disktuner.workloads.replay import OWN, Replay, StartSpec, distinct_bytes
from disktuner.workloads.workload import Measurement, Probe, Processes, Scratch, Workload


class OwnStart(Workload):
    """As ``Replay``; the program is started for its recording only. Attributes: ``definition`` is what is started."""

    id = OWN

    def __init__(self, definition: Definition, replay: Replay | None = None) -> None:
        self.definition: Definition = definition
        self._replay = replay

    @property
    def facts(self) -> WorkloadFacts:
        """What is declared, with the program's name."""
        return named_after(super().facts, self.definition)

    @property
    def is_unknown(self) -> bool:
        """Nobody knows what it reads until it is recorded."""
        return self._replay is None

    @property
    def notes(self) -> tuple[Message, ...]:
        """What its start reads."""
        if self._replay is None:
            return ()
        pattern = self._replay.pattern
        read = {each.file for each in pattern.reads}
        return (message("own-recorded", program=self.definition.title, read=distinct_bytes(pattern), count=len(read)),)

    def tried(self, scratch: Scratch, processes: Processes) -> OwnStart:  # noqa: ARG002 - its reads need no folder
        """Record its start, unless that was done before. Raises ``NoSuchThing`` or ``RunFailed``."""
        own = self.definition
        if own.pattern:
            pattern = _decoded(own.pattern)
        else:
            program = find_program(own.program or "")
            pattern = record(program.command, processes, stays=program.stays).pattern.nameless()
            own = replace(own, pattern=base64.b64encode(encode_pattern(pattern)).decode("ascii"))
        return OwnStart(own, Replay(pattern, own.load))

    def plan(self, probe: Probe, seconds: float, most_bytes: float = math.inf) -> StartSpec:
        """As many starts as fit."""
        return self._known.plan(probe, seconds, most_bytes)

    def spec_from(self, found: object) -> StartSpec:
        """Read what a result keeps."""
        return self._known.spec_from(found)

    def prepare(self, scratch: Scratch, spec: StartSpec, processes: Processes) -> None:
        """Write the files that a start reads."""
        self._known.prepare(scratch, spec, processes)

    def run(
        self, scratch: Scratch, spec: StartSpec, processes: Processes, abort_after_s: float = math.inf
    ) -> Measurement:
        """Start it cold so many times."""
        return self._known.run(scratch, spec, processes, abort_after_s)

    @property
    def _known(self) -> Replay:
        if self._replay is None:
            raise ValueError("what a start reads is only known when it was recorded")
        return self._replay


def _decoded(kept: str) -> Pattern:
    """Read the pattern of a result. Raises ``BadPattern`` where it is damaged."""
    try:
        return decode_pattern(base64.b64decode(kept, validate=True))
    except binascii.Error:
        return decode_pattern(b"")
