# SPDX-License-Identifier: GPL-3.0-or-later
"""How true a comparison with a command of one's own is: the built-in launch, and its program given as a command.

``./dev bench own`` compares both on simulated disks (``DISKTUNER_SEEDS``, else 0-19) on the quick budget. How often a
command is said to differ where nothing does: ``DISKTUNER_GOALS=own ./dev bench alike``.
"""

from __future__ import annotations

import json
import shlex
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from disktuner.results.codec import load
from disktuner.workloads import dependent_reader
from disktuner.workloads.source import write_file
from disktuner.workloads.under_load import BLOCK_BYTES
from disktuner.workloads.workload import MIB, own_program
from tests.bench.disks import ended, root, say, seeds, stoppable, whole
from tests.simdisk.family import draw, member

FILE_MIB = 128
LAUNCH = "launch-under-writes"


def compare(folder: Path, seed: int, *options: object) -> dict[str, Any]:
    """Compare as a user would; returns what is printed."""
    options = ("compare", folder, "--schedulers", "none,bfq", "--seed", seed, "--json", *options)
    status, text, said = ended(*options)
    if status:
        raise AssertionError(said.strip()[-500:])
    return dict(json.loads(text))


def on_disk(seed: int) -> list[tuple[str, str | None]]:
    """What the built-in launch and the same program as a command say of one disk."""
    with tempfile.TemporaryDirectory() as name, whole(member(root(), Path(name), draw(seed))) as disk:
        assert disk.folder
        out, file = Path(name) / "result.json", disk.folder / "launch.in"
        built_in = compare(disk.folder, seed, "--workloads", LAUNCH, "--out", out)
        reads = load(out).extra["sizes"][LAUNCH]["scale"]
        write_file(file, FILE_MIB * MIB, 1, lambda: None)
        words = own_program(Path(dependent_reader.__file__), file, reads, BLOCK_BYTES, 1)
        command = ("--command", shlex.join(words), "--shell", "none", "--cold", file)
        given = compare(disk.folder, seed, *command, "--beside", "writes")
    return [(each["verdict"]["decision"], each["verdict"]["winner"]) for each in (built_in, given)]


def main() -> int:
    """Compare on all disks, then say how many answers are the same."""
    stoppable()
    found = []
    for seed in seeds("0-19"):
        try:
            found.append(tuple(on_disk(seed)))
            say(f"disk {seed} ({draw(seed).kind}): {found[-1]}")
        except AssertionError as error:
            say(f"disk {seed}: {error}")
    print(f"{sum(built_in == given for built_in, given in found)} of {len(found)} answers are the same:")
    for (built_in, given), times in Counter(found).items():
        print(f"{times}: built in {built_in}, as a command {given}")
    return 0 if found else 1


if __name__ == "__main__":
    sys.exit(main())
