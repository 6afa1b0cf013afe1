# SPDX-License-Identifier: GPL-3.0-or-later
"""The workload ``copy-then-unplug``: when a copy seems done, and when the disk has all of it."""

from __future__ import annotations

import math
from contextlib import suppress
from typing import ClassVar

from disktuner.vocabulary.tunables import BYTE_LIMIT, WRITE_LIMIT
from disktuner.workloads.dd import SHIFTS, WriteSpec, run_dd
from disktuner.workloads.errors import Aborted
from disktuner.workloads.source import discard
from disktuner.workloads.waiting import Deadline
from disktuner.workloads.workload import MIB, SHORT_S, Measurement, Probe, Scratch, Workload

TIMES_THE_LIMIT = 5
"""How many times as much is copied as the limit that is tried first lets wait: with it, little of a copy can."""
LONGEST_S = 11.0
"""The quick budget has room for a dozen such runs."""
FASTER = 3
"""So many times faster than in the look at it, which waits for each piece, may a stick write a big file."""
SMALLEST_MIB, LARGEST_MIB = 8, 1024
SEEN_S = 0.1
"""A wait below that is none to a person (R. B. Miller, "Response time in man-computer conversational transactions",
AFIPS 33, 1968); to start sync(1) takes a part of it."""


class CopiedSpec(WriteSpec):
    """It is only shortened where it takes far too long: in a copy that hardly exceeds what may wait, no limit shows."""

    WORK: ClassVar = {"written_bytes": SMALLEST_MIB * MIB}
    MAY_LAST_S: ClassVar = LONGEST_S


class CopyThenUnplug(Workload):
    """A copy writes through the page cache and waits for nothing, as cp and file managers do.

    The data come from memory, so that only the disk is waited for. It is safe to unplug when syncfs(2) has returned:
    all requests of the file system have, and the disk has emptied its own cache.
    """

    id = "copy-then-unplug"
    spec_type = CopiedSpec

    def plan(self, probe: Probe, seconds: float, most_bytes: float = math.inf) -> CopiedSpec:
        """As much as the disk writes in that time, or several times the limit; what there is memory and room for."""
        rate = probe.write_bytes_per_s / MIB
        shows = min(TIMES_THE_LIMIT * WRITE_LIMIT[BYTE_LIMIT] / MIB, FASTER * rate * LONGEST_S)
        room = min(probe.memory_bytes / 8, probe.free_bytes / 2, most_bytes) / MIB
        most = min(max(LARGEST_MIB, rate * SHORT_S), room)
        mib = max(SMALLEST_MIB, int(min(max(rate * seconds, shows), most)))
        return CopiedSpec(min(mib / rate, LONGEST_S) + 0.3, mib * MIB)

    def run(self, scratch: Scratch, spec: CopiedSpec, abort_after_s: float = math.inf) -> Measurement:
        """Copy, wait until it is safe, remove the file; of a copy that takes too long, what is there by then."""
        target = self.file(scratch, "out")
        argv = [f"of={target.name}", "bs=1M", f"count={spec.written_bytes // MIB}", "iflag=fullblock"]
        began, copied = Deadline(scratch.processes, math.inf), None
        try:
            with scratch.source.opened(scratch.seed % SHIFTS) as stdin, suppress(Aborted):
                copied, _ = run_dd(argv, scratch, abort_after_s, stdin)
            done_s = began.spent_s
            scratch.sync(spec.timeout_s)
            safe_s = began.spent_s
        finally:
            discard(target)
        values = {"gap_s": max(SEEN_S, safe_s - done_s), "safe_s": safe_s, "done_s": done_s}
        return Measurement(values, safe_s, 0, copied, cut_short=copied is None)


RUNNERS = (CopyThenUnplug(),)
