# SPDX-License-Identifier: GPL-3.0-or-later
"""How true a comparison with a command of one's own is: the built-in launch, and its program given as a command.

``./dev bench own`` compares both on simulated disks (``DISKTUNER_SEEDS``, else 0-19), each for ``DISKTUNER_SECONDS``
(else 120) at most; ``DISKTUNER_KEPT`` names a file to which what is found is added, a line each. How often a command is
said to differ where nothing does: ``DISKTUNER_GOALS=own ./dev bench alike``.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from disktuner.comparison.comparison import Comparison
from disktuner.comparison.real import real_environment
from disktuner.comparison.request import JudgedResult, Request
from disktuner.results.definition import Definition
from disktuner.results.store import Store
from disktuner.vocabulary.errors import MeasurementImpossible
from disktuner.vocabulary.goals import BUDGETS, OWN, Budget, Limits
from disktuner.workloads import dependent_reader
from disktuner.workloads.source import write_file
from disktuner.workloads.under_load import BLOCK_BYTES
from disktuner.workloads.workload import MIB, own_program
from tests.bench.disks import kept_file, lines, root, say, seeds, stoppable, whole
from tests.simdisk.family import draw, member

BUDGET, MOST_ROUNDS = "bench", 20
COMPARED = ("mq-deadline", "none", "bfq")
FILE_MIB = 128
LAUNCH = "launch-under-writes"


def run(request: Request, store: Store) -> JudgedResult:
    """Compare once in this process."""
    with Comparison(request, real_environment(store=store)) as comparison:
        return comparison.run(lambda _: None)


def launch(folder: Path, reads: int) -> Definition:
    """The built-in launch as somebody would give it: its program, and the file that it reads, cold."""
    file = folder / "launch.in"
    file.unlink(missing_ok=True)
    write_file(file, FILE_MIB * MIB, 1, lambda: None)
    words = own_program(Path(dependent_reader.__file__), file, reads, BLOCK_BYTES, 1)
    return Definition(command=" ".join(words), cold=(str(file),), beside="writes", shell=None)


def answer(judged: JudgedResult) -> dict[str, Any]:
    """What it came to, with the ratios of times by scheduler."""
    verdict = judged.verdict
    gains = {each.scheduler: each.ratio for each in verdict.comparisons if each.metric.endswith(".wall_s")}
    return {"decision": verdict.decision, "winner": verdict.winner, "gains": gains}


def on_disk(seed: int, store: Store) -> dict[str, Any]:
    """The built-in launch and the same program as a command, on one disk."""
    with tempfile.TemporaryDirectory() as name, whole(member(root(), Path(name), draw(seed))) as disk:
        assert disk.folder
        built_in = run(Request(str(disk.folder), "desktop", BUDGET, COMPARED, (LAUNCH,), seed), store)
        reads = built_in.result.extra["sizes"][LAUNCH]["scale"]
        own = launch(disk.folder, reads)
        given = run(Request(str(disk.folder), OWN.id, BUDGET, COMPARED, seed=seed, own=own), store)
    return {"seed": seed, "kind": draw(seed).kind, "built_in": answer(built_in), "own": answer(given)}


def main() -> int:
    """Compare on the disks that are missing, then say how many answers are the same."""
    stoppable()
    seconds = float(os.environ.get("DISKTUNER_SECONDS", "120"))
    BUDGETS[BUDGET] = Budget(BUDGET, "Bench", "Of this bench only.", Limits(seconds, MOST_ROUNDS, 0.4, 1.5, 3, 8e9))
    file = kept_file()
    found = {each["seed"]: each for each in map(json.loads, lines(file))}
    with tempfile.TemporaryDirectory() as folder:
        for seed in seeds("0-19"):
            if seed in found:
                continue
            try:
                found[seed] = on_disk(seed, Store(Path(folder)))
            except MeasurementImpossible as error:
                say(f"disk {seed}: {error}")
                continue
            say(json.dumps(found[seed]))
            if file:
                root()("tee", "-a", file, stdin=json.dumps(found[seed]) + "\n")
    pairs = [
        tuple((each[name]["decision"], each[name]["winner"]) for name in ("built_in", "own")) for each in found.values()
    ]
    print(f"{sum(first == second for first, second in pairs)} of {len(pairs)} answers are the same:")
    for (first, second), times in Counter(pairs).items():
        print(f"{times}: built in {first}, as a command {second}")
    return 0 if found else 1


if __name__ == "__main__":
    sys.exit(main())
