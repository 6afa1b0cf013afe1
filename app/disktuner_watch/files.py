# SPDX-License-Identifier: GPL-3.0-or-later
"""The files in a folder: ``python3 -I -S files.py names|contents|remove FOLDER [NAME…]`` prints or removes them.

Imports only modules that Python loads at start: the disk with the others may not answer.
"""

from __future__ import annotations

import os
import stat
import sys

LARGEST_BYTES = 4_000_000
"""Ten minutes of 40 busy disks take less than half of it."""


def names_in(folder: object) -> list[str]:
    """Return the names in a folder; none if it does not exist."""
    try:
        return os.listdir(str(folder))  # noqa: PTH208 - only names
    except OSError:
        return []


def files_in(folder: object, names: list[str]) -> dict[str, bytes]:
    """Return the contents of its readable regular files, each cut one byte after ``LARGEST_BYTES``."""
    contents = ((name, _read(f"{folder}/{name}")) for name in names)
    return {name: content for name, content in contents if content is not None}


def remove(folder: object, name: str) -> None:
    """Remove a file, and the folder if it is empty then."""
    try:
        os.unlink(f"{folder}/{name}")  # noqa: PTH108 - only names
        os.rmdir(str(folder))  # noqa: PTH106
    except OSError:
        pass


def _read(path: str) -> bytes | None:
    try:
        with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            return file.read(LARGEST_BYTES + 1) if stat.S_ISREG(os.fstat(file.fileno()).st_mode) else None
    except OSError:
        return None


def main(what: str, folder: str, *names: str) -> None:
    """Print a line with size and name for each file, then its content, if that is asked for."""
    if what == "remove":
        for name in names:
            remove(folder, name)
        return
    files = files_in(folder, list(names)) if what == "contents" else dict.fromkeys(names_in(folder), b"")
    for name, content in files.items():
        if "\n" not in name:
            sys.stdout.buffer.write(os.fsencode(f"{len(content)} {name}\n") + content)


if __name__ == "__main__":
    main(*sys.argv[1:])
