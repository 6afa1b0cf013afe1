# SPDX-License-Identifier: GPL-3.0-or-later
"""A user who measures in a shared folder: the program's own code, paused at one moment after the other.

Each line of input is a kind of life, a place and a moment; at the moment-th time that Python touches a file ``now`` is
printed and a line awaited. How it ended is printed as the last line, with the number of moments there were.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from disktuner.experiment.probe import direct_works
from disktuner.experiment.scratch import Leftovers, scratch_folder
from disktuner.private_folder import PrivateFolder, abandoned
from disktuner.vocabulary.errors import MeasurementImpossible
from disktuner.workloads.catalogue import find
from disktuner.workloads.copy import CopySpec
from disktuner.workloads.dd import WriteSpec
from disktuner.workloads.many_files import SmallFilesSpec
from disktuner.workloads.processes import Control, Processes
from disktuner.workloads.source import Source
from disktuner.workloads.spec import Spec
from disktuner.workloads.workload import MIB, Scratch

TOUCHING = ("open", "os.mkdir", "os.rmdir", "os.remove", "os.listdir", "os.scandir", "os.symlink", "subprocess.Popen")


class Moments:
    """Counts what Python does with files (its audit events come before the system calls) and pauses at some."""

    def __init__(self) -> None:
        self.count, self.first, self.every = 0, 0, False
        sys.addaudithook(self)

    def __call__(self, event: str, _arguments: object) -> None:
        if not self.first or event not in TOUCHING:
            return
        self.count += 1
        if self.count == self.first or (self.every and self.count > self.first):
            print("now", flush=True)
            sys.stdin.readline()


def measure(place: Path) -> None:
    """Measure from beginning to end, with programs and with calls of our own."""
    with scratch_folder(place) as folder, Source(2 * MIB, 1) as source:
        with Processes(Control(), kept_fds=folder.fds, truncate_files=folder.empty) as processes:
            scratch = Scratch(folder.path, 1, source, processes)
            direct_works(scratch.folder)
            specs: dict[str, Spec] = {
                "copy": CopySpec(1.0, MIB, 1, 1),
                "small-files": SmallFilesSpec(1.0, 2),
                "dd-write": WriteSpec(1.0, MIB),
            }
            for workload, spec in specs.items():
                find(workload).prepare(scratch, spec)
                find(workload).run(scratch, spec)
        (scratch.folder / "below/deep").mkdir(parents=True)
        (scratch.folder / "below/deep/file").touch()
        folder.empty()


def clear(place: Path) -> None:
    """The next start after a kill."""
    for folder in abandoned(place):
        folder.remove()


def tidy(place: Path) -> None:
    """The removal that the next start offers."""
    del place
    Leftovers().find()
    Leftovers().remove()


def leave(place: Path) -> None:
    """Leave what a killed run leaves."""
    folder = PrivateFolder.make(place)
    Leftovers().note(place, folder.name)
    (folder.path / "below/deep").mkdir(parents=True)
    (folder.path / "below/deep/file").write_bytes(b"x" * 5000)
    (folder.path / "big").write_bytes(b"x" * 5000)
    folder.close()


LIVES: dict[str, Callable[[Path], None]] = {"measure": measure, "clear": clear, "tidy": tidy}


def main() -> None:
    """Obey until the input ends."""
    moments = Moments()
    for line in sys.stdin:
        life, place, moment, every = line.split()
        if life != "measure":
            leave(Path(place))
        moments.count, moments.every, moments.first = 0, every == "every", int(moment)
        try:
            LIVES[life](Path(place))
            ended = "done"
        except MeasurementImpossible as error:
            ended = f"refused: {error}"
        moments.first = 0
        print(f"{moments.count} {ended}", flush=True)


if __name__ == "__main__":
    main()
