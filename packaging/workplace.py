#!/usr/bin/python3 -I
# SPDX-License-Identifier: GPL-3.0-or-later
"""A folder for one command that another user may run, and what that command leaves behind for its caller.

    workplace.py make PLACE [WORD...]               prints a new folder's name in PLACE, and its DEVICE:INODE; of the
                                                    words, those that name files below PLACE are in it
    workplace.py clear PLACE FOLDER DEVICE:INODE    moves its files up to PLACE, prints their names, removes the folder
    workplace.py lend FROM TO USER                  copies a folder's files to one of USER's, prints their names
    workplace.py take FROM TO USER                  and back; of what was lent (standard input), what is gone goes

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
from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path, PurePath
from typing import NoReturn

HERE = 3
FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
OWN_FOLDER = FOLDER & ~os.O_NOFOLLOW
"""One that only the caller can have put there: it may be a link."""
READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
MAKE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
NAME = re.compile(r"\.disktuner-run-[0-9a-f]{12}")
YOUNG_S = 60.0
MOST_LENT = 256 << 20
"""What is read is a result, a picture or a page of one."""


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


def make(place: str, *words: str) -> None:
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
    for word in words:
        with suppress(OSError):  # most words are no files; whoever runs them says what is wrong with the others
            lend_file(handle, folder, PurePath(word))
    print(name, identity(folder))


def lend_file(place: int, folder: int, file: PurePath) -> None:
    """Copy a file of the caller's, named by its way from the place, for whoever gets the folder to read."""
    if file.is_absolute() or ".." in file.parts or not file.name:
        return
    with ExitStack() as ways:
        for part in file.parts[:-1]:
            place = os.open(part, FOLDER, dir_fd=place)
            ways.callback(os.close, place)
            with suppress(FileExistsError):
                os.mkdir(part, 0o755, dir_fd=folder)
            folder = os.open(part, FOLDER, dir_fd=folder)
            ways.callback(os.close, folder)
        if os.stat(file.name, dir_fd=place, follow_symlinks=False).st_size <= MOST_LENT:
            keep(place, file.name, folder, is_lent=True)


def lend(source: str, target: str, user: str) -> None:
    """Copy the files of a folder, if there is one, to a new folder of another user's; print their names."""
    uid = pwd.getpwnam(user).pw_uid
    path = Path(target)
    for folder in (*reversed(path.parents), path):
        with suppress(FileExistsError):
            folder.mkdir(mode=0o700)
            os.chown(folder, uid, -1)
    with suppress(FileNotFoundError):
        copy_files(os.open(source, OWN_FOLDER), os.open(target, FOLDER))


def take(source: str, target: str, user: str) -> None:
    """Copy back what the user left, by whatever name, and remove what was lent and is gone."""
    lent = sys.stdin.read().split("\n")
    try:
        handle = os.open(source, FOLDER)
    except FileNotFoundError:
        return
    if os.fstat(handle).st_uid != pwd.getpwnam(user).pw_uid:
        fail(f"{source} is not {user}'s any more, so nothing in it was kept.")
    left = names_in(handle)
    if left:
        Path(target).mkdir(mode=0o700, parents=True, exist_ok=True)
        copy_files(handle, os.open(target, OWN_FOLDER))
    for name in {*filter(None, lent)}.difference(left):
        Path(target, name).unlink(missing_ok=True)


def copy_files(source: int, target: int) -> None:
    """Copy all ordinary files that are not there as they are; print their names."""
    for name in names_in(source):
        status, copied = status_of(source, name), status_of(target, name)
        if status is None or (copied and (copied.st_mtime_ns, copied.st_size) == (status.st_mtime_ns, status.st_size)):
            continue
        try:
            if keep(source, name, target):
                os.utime(name, ns=(status.st_atime_ns, status.st_mtime_ns), dir_fd=target, follow_symlinks=False)
                print(name)
        except OSError as error:
            print(f"dev: {name} could not be copied, as the others are: {error.strerror}.", file=sys.stderr)


def status_of(folder: int, name: str) -> os.stat_result | None:
    """What an entry of a folder is; None where it is gone, as whoever uses the folder may still remove it."""
    with suppress(FileNotFoundError):
        return os.stat(name, dir_fd=folder, follow_symlinks=False)
    return None


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


def keep(folder: int, name: str, place: int, *, is_lent: bool = False) -> bool:
    """Copy an ordinary file that the folder's owner made, and give it to the owner of the place.

    What is lent may be anybody's, and be read by everybody who gets that far.
    """
    fresh, receiver = f".{name[:200]}.{secrets.token_hex(4)}", os.fstat(place)
    with ExitStack() as open_files:
        try:
            source = os.open(name, READ, dir_fd=folder)
        except OSError:
            return False
        open_files.callback(os.close, source)
        status = os.fstat(source)
        if not stat.S_ISREG(status.st_mode) or not (is_lent or status.st_uid == os.fstat(folder).st_uid):
            return False
        copy = os.open(fresh, MAKE, 0o644 if is_lent else 0o600, dir_fd=place)
        open_files.callback(os.close, copy)
        try:
            while os.sendfile(copy, source, None, 1 << 20):
                pass
            if os.geteuid() == 0:
                os.fchown(copy, receiver.st_uid, receiver.st_gid)
            os.replace(fresh, name, src_dir_fd=place, dst_dir_fd=place)
        except BaseException:
            os.unlink(fresh, dir_fd=place)
            raise
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


COMMANDS: dict[str, Callable[..., None]] = {"make": make, "clear": clear, "lend": lend, "take": take}

if __name__ == "__main__":
    COMMANDS[sys.argv[1]](*sys.argv[2:])
