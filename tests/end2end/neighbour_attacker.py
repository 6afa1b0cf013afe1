# SPDX-License-Identifier: GPL-3.0-or-later
"""A user who may write in the same folder and replaces what another user uses there.

Each line of input is what to put there, a place and the other's home; ``done`` is printed when it lies there.
"""

from __future__ import annotations

import itertools
import os
import sys
from contextlib import suppress
from pathlib import Path

NUMBERS = itertools.count()
PLANTED = ".disktuner-aaaaaaaaaaaa"


def names(place: Path) -> list[Path]:
    """Return what is there under the names of scratch folders, except what was planted."""
    return [path for path in place.glob(".disktuner-*") if path.name != PLANTED]


def put_link(name: Path, home: Path) -> None:
    """Put a link to the other's home."""
    name.symlink_to(home)


def put_project(name: Path, _home: Path) -> None:
    """Put a folder of the other's own that lies in the same place."""
    for project in name.parent.glob("project*"):
        project.rename(name)
        return


def put_own(name: Path, home: Path) -> None:
    """Put a world-writable folder full of links."""
    name.mkdir()
    name.chmod(0o777)
    for inside in ("copy.0.in", "copy.0.out", "dd-write.out", "small-files", "direct", "below"):
        (name / inside).symlink_to(home / inside)


KINDS = {"link": put_link, "project": put_project, "own": put_own}


def exchange(kind: str, place: Path, home: Path) -> None:
    """Move what is there aside and put something else there; what cannot be moved stays."""
    for name in names(place):
        with suppress(OSError):
            name.rename(place / f"aside{next(NUMBERS)}")
            KINDS[kind](name, home)
    if kind == "project":
        with suppress(OSError):
            (place / "photos").rename(place / PLANTED)


def exchange_again(place: Path, home: Path) -> None:
    """Exchange again, with the other's own folder in turn."""
    number = next(NUMBERS)
    for name in names(place):
        with suppress(OSError):
            if name.is_symlink():
                name.unlink()
            else:
                name.rename(place / f"{'project' if (name / 'plan').exists() else 'aside'}{number}")
            aside = sorted(place.glob("aside*"))
            if aside and number % 3 == 0:
                aside[0].rename(name)
            else:
                KINDS[("link", "project", "own")[number % 3]](name, home)


def main() -> None:
    """Obey until the input ends."""
    os.umask(0)
    for line in sys.stdin:
        kind, place, home = line.split()
        if kind == "again":
            exchange_again(Path(place), Path(home))
        else:
            exchange(kind, Path(place), Path(home))
        print("done", flush=True)


if __name__ == "__main__":
    main()
