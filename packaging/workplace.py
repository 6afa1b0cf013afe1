#!/usr/bin/python3 -I
# SPDX-License-Identifier: GPL-3.0-or-later
"""A folder for one command that another user may run, and what that command leaves behind for its caller.

    workplace.py make PLACE                         prints a new, empty folder's name in PLACE, and its DEVICE:INODE
    workplace.py clear PLACE FOLDER DEVICE:INODE    moves its files up to PLACE, prints their names, removes the folder

PLACE is a folder's name (made where it is missing) or "." in the folder that descriptor 3 is opened on. ./dev starts
this as root or as a user, where others may be allowed to write. So everything goes through handles that are opened
without following links, and nothing that was there before gets another mode or owner.
"""

from __future__ import annotations

import fcntl
import os
import pwd
import re
import secrets
import shutil
import stat
import sys
import time
from contextlib import ExitStack, suppress
from typing import NoReturn

HERE = 3
FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
MAKE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
NAME = re.compile(r"\.disktuner-run-[0-9a-f]{12}")
YOUNG_S = 60.0


def fail(text: str) -> NoReturn:
    """Say what is wrong and what to do, and end."""
    print(f"dev: {text}", file=sys.stderr)
    sys.exit(1)


def open_place(place: str) -> int:
    """The folder in which the command's folder lies; ends where it is not the caller's."""
    owner, made = os.fstat(HERE).st_uid, False
    try:
        with suppress(FileExistsError):
            os.mkdir(place, 0o755, dir_fd=HERE)
            made = True
        handle = os.open(place, FOLDER, dir_fd=HERE)
    except NotADirectoryError:
        fail(f"./{place} is a link or a file, so nothing is written there. Rename it, or start this in another folder.")
    except OSError as error:
        fail(f"./{place} cannot be used: {error.strerror}. Start this in a folder that you may write in.")
    if made and os.geteuid() == 0 and not names_in(handle):  # root works here for somebody else, who shall have it
        os.fchown(handle, owner, -1)
    found = os.fstat(handle).st_uid
    if found not in {0, owner, os.geteuid(), int(os.environ.get("SUDO_UID", "0"))}:
        fail(f"./{place} belongs to {name_of(found)}. Rename it, or start this in a folder of your own.")
    return handle


def name_of(user: int) -> str:
    """The user's name, or the number where there is none."""
    with suppress(KeyError):
        return pwd.getpwuid(user).pw_name
    return f"user {user}"


def names_in(folder: int) -> list[str]:
    """What lies in an open folder."""
    with os.scandir(folder) as entries:
        return sorted(entry.name for entry in entries)


def identity(handle: int) -> str:
    """What tells a folder from any other that may be put in its place."""
    status = os.fstat(handle)
    return f"{status.st_dev}:{status.st_ino}"


def make(place: str) -> None:
    """Make the folder. What killed runs left is removed first."""
    handle = open_place(place)
    for name in names_in(handle):
        if NAME.fullmatch(name):
            remove_abandoned(handle, name)
    name = f".disktuner-run-{secrets.token_hex(6)}"
    try:
        os.mkdir(name, 0o700, dir_fd=handle)
        folder = os.open(name, FOLDER, dir_fd=handle)
    except OSError as error:
        fail(f"nothing can be made in ./{place}: {error.strerror}. Start this in a folder that you may write in.")
    if os.fstat(folder).st_uid != os.geteuid() or names_in(folder):
        fail(f"somebody else is changing ./{place}. Start this in a folder where only you may write.")
    print(name, identity(folder))


def remove_abandoned(place: int, name: str) -> None:
    """Remove a folder whose lock nobody holds; ./dev takes it at once."""
    with suppress(OSError):
        folder = os.open(name, FOLDER, dir_fd=place)
        if time.time() - os.fstat(folder).st_mtime > YOUNG_S:
            fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
            remove(place, name, folder)


def clear(place: str, name: str, known: str) -> None:
    """Keep what the command made, and remove its folder."""
    handle = open_place(place)
    try:
        folder = os.open(name, FOLDER, dir_fd=handle)
    except OSError as error:
        fail(f"./{place}/{name} is not there any more ({error.strerror}): what was made in it is lost. Start again.")
    if identity(folder) != known:
        fail(f"somebody put another folder in the place of ./{place}/{name}. Start this where only you may write.")
    for file in names_in(folder):
        try:
            if not file.startswith(".") and keep(folder, file, handle):
                print(file)
        except OSError as error:
            fail(f"./{place}/{file} cannot be written: {error.strerror}. It stays in ./{place}/{name}.")
    remove(handle, name, folder)


def keep(folder: int, name: str, place: int) -> bool:
    """Copy an ordinary file that the folder's owner made, and give it to the owner of the place."""
    owner = os.fstat(place)
    with ExitStack() as open_files:
        try:
            source = os.open(name, READ, dir_fd=folder)
        except OSError:
            return False
        open_files.callback(os.close, source)
        status = os.fstat(source)
        if not stat.S_ISREG(status.st_mode) or status.st_uid != os.fstat(folder).st_uid:
            return False
        with suppress(FileNotFoundError):
            os.unlink(name, dir_fd=place)
        copy = os.open(name, MAKE, 0o600, dir_fd=place)
        open_files.callback(os.close, copy)
        while os.sendfile(copy, source, None, 1 << 20):
            pass
        if os.geteuid() == 0:
            os.fchown(copy, owner.st_uid, owner.st_gid)
    return True


def remove(place: int, name: str, folder: int) -> None:
    """Remove all that is in the folder, and then, if its name still is that of an empty one, the folder."""
    for entry in names_in(folder):
        with suppress(OSError):
            if stat.S_ISDIR(os.stat(entry, dir_fd=folder, follow_symlinks=False).st_mode):
                shutil.rmtree(entry, dir_fd=folder)
            else:
                os.unlink(entry, dir_fd=folder)
    with suppress(OSError):
        os.rmdir(name, dir_fd=place)


if __name__ == "__main__":
    if sys.argv[1] == "make":
        make(*sys.argv[2:])
    else:
        clear(*sys.argv[2:])
