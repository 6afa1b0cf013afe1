# SPDX-License-Identifier: GPL-3.0-or-later
"""A folder that only this user enters, in a place where others may rename: made, used and removed by its handle.

Who may write in a folder without a sticky bit may rename what lies in it, whoever owns it, and put something else in
its place: a link to a home, another folder of the same user. So a name is trusted for nothing. What lies below is
reached through the open folder (``/proc/self/fd/N`` leads there whatever it is called by now), and a folder is only
written in or emptied when it has proved to be one that was made here.
"""

from __future__ import annotations

import fcntl
import os
import re
import stat
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from errno import EEXIST
from pathlib import Path

NAME = re.compile(r"\.disktuner-[0-9a-f]{12}")
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_DELETED = " (deleted)"  # what the kernel adds to the name of an open folder that is gone (proc_pid_fd(5))
_COARSE_S = 3.0  # FAT keeps times in steps of 2 s
_YOUNG_S = 30.0
_TRIES = 5


@dataclass(frozen=True, slots=True)
class PrivateFolder:
    """A private folder in use: its handle, that of the folder above, and that of its lock.

    ``fds`` are given to every program: then the lock lives as long as the last of them, and ``path`` leads them to the
    folder, too. The lock's name repeats the folder's own: what is called so without it was not made here.
    """

    parent: Path
    name: str
    fd: int
    parent_fd: int
    lock_fd: int

    @classmethod
    def make(cls, parent: Path, name: str = "") -> PrivateFolder:
        """Make one, locked. Raises ``OSError``, also where somebody was quick enough to replace it."""
        name = name or new_name()
        with ExitStack() as undo:
            parent_fd = _opened(undo, os.open(parent, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC))
            began_s = time.time()
            os.mkdir(name, 0o700, dir_fd=parent_fd)
            fd = _opened(undo, os.open(name, _FOLDER, dir_fd=parent_fd))
            if not _is_new(fd, parent_fd, began_s):
                raise OSError(EEXIST, "somebody put something else in the place of a new folder")
            undo.callback(_remove_empty, parent_fd, fd)
            # Only read, so that nothing of ours keeps a file system from going read-only.
            lock_fd = _opened(
                undo, os.open(_lock(name), os.O_RDONLY | os.O_CREAT | os.O_EXCL | _FILE, 0o600, dir_fd=fd)
            )
            fcntl.flock(lock_fd, fcntl.LOCK_EX)
            undo.pop_all()
            return cls(parent, name, fd, parent_fd, lock_fd)

    @property
    def path(self) -> Path:
        """Leads to this very folder here and in programs that were given ``fds``, also when it is renamed."""
        return Path(f"/proc/self/fd/{self.fd}")

    @property
    def fds(self) -> tuple[int, ...]:
        """What programs inherit."""
        return self.fd, self.lock_fd

    @property
    def named(self) -> Path:
        """Leads other programs to it where nobody else may rename it."""
        return self.parent / self.name

    @property
    def place(self) -> str:
        """Where it lies now, for people."""
        return str(self.path.readlink())

    def size_bytes(self) -> int:
        """What its files take on the disk."""
        return _size(self.fd)

    def empty(self) -> None:
        """Cut all its files to nothing, so that a flush under way has nothing left to write."""
        with suppress(OSError):
            for folder, entry in _below(self.fd):
                if entry.is_file(follow_symlinks=False):
                    with suppress(OSError), ExitStack() as opened:
                        os.ftruncate(_opened(opened, os.open(entry.name, os.O_WRONLY | _FILE, dir_fd=folder)), 0)

    def remove(self) -> bool:
        """Remove it with all it holds; whether it is gone. Survives a vanished disk.

        The lock goes last: killed in the middle of this, the rest is still known as abandoned at the next start.
        Where somebody renamed it, it is looked for beside its old name; it can be nowhere else, for only its owner may
        move it into another folder (rename(2), EACCES).
        """
        with suppress(OSError):
            os.fchmod(self.fd, 0o700)  # what ran in it may have taken that away
        for number in range(_TRIES):
            time.sleep(0.05 if number else 0)
            with suppress(OSError):
                _clear(self.fd, _lock(self.name))
                if _names(self.fd) == [_lock(self.name)]:
                    os.unlink(_lock(self.name), dir_fd=self.fd)
                if _remove_empty(self.parent_fd, self.fd):
                    return True
        return False

    def close(self) -> None:
        """Let go of the handles, and so of the lock."""
        for fd in (self.lock_fd, self.fd, self.parent_fd):
            os.close(fd)


def path_for_others(folder: Path) -> Path:
    """Return a path by which programs that know no handle reach the private folder that ``folder`` leads to.

    Where others may rename it, it leads through this process, whose handle they cannot exchange (proc_pid_fd(5)).
    """
    if not folder.is_relative_to("/proc/self/fd"):
        return folder
    place = folder.readlink()
    return place if _nobody_renames_in(place.parent) else Path(f"/proc/{os.getpid()}", *folder.parts[3:])


def size_below(folder: Path) -> int:
    """Return what the files of a folder in a private one take on the disk; nothing where it is none."""
    with suppress(OSError), ExitStack() as opened:
        return _size(_opened(opened, os.open(folder, _FOLDER)))
    return 0


def remove_below(folder: Path) -> None:
    """Remove a folder in a private one with all it holds, or what was put in its place. Raises ``PermissionError``."""
    with suppress(FileNotFoundError), ExitStack() as opened:
        holder = _opened(opened, os.open(folder.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC))
        try:
            _clear(_opened(opened, _opened_up(folder.name, holder)))
            with suppress(OSError):  # something of another user's stays
                os.rmdir(folder.name, dir_fd=holder)
        except NotADirectoryError:
            os.unlink(folder.name, dir_fd=holder)


def new_name() -> str:
    """A name that is not taken."""
    return f".disktuner-{os.urandom(6).hex()}"


def _nobody_renames_in(place: Path) -> bool:
    """Whether what this user makes there keeps its name: by the place's owner, its rights, or its sticky bit."""
    with suppress(OSError):
        status = place.stat()
        is_closed = not status.st_mode & 0o022 or bool(status.st_mode & stat.S_ISVTX)
        return status.st_uid in {0, os.geteuid()} and is_closed
    return False


def abandoned(parent: Path) -> Iterator[PrivateFolder]:
    """Go through the private folders that killed runs left in ``parent``, each open until the next."""
    with suppress(OSError):
        for entry in sorted(parent.iterdir()):
            if NAME.fullmatch(entry.name):
                yield from adopted(parent, entry.name)


def adopted(parent: Path, name: str) -> Iterator[PrivateFolder]:
    """Yield what a killed run left under that name, taken over; nothing where there is nothing that is surely that.

    It must be this user's, closed to others, and hold the lock that is made with it, with no living process at it: in
    such a folder nobody else can have put that lock, whatever they renamed. One that holds nothing (killed before it
    was locked) is removed here: who may rename it could do that, too.
    """
    with suppress(OSError, ValueError), ExitStack() as opened:  # a note may hold what is no path
        parent_fd = _opened(opened, os.open(parent, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC))
        fd = _opened(opened, os.open(name, _FOLDER, dir_fd=parent_fd))
        if not (_is_private(fd) and _is_there(fd, parent_fd)):
            return
        if not _names(fd) and time.time() - os.fstat(fd).st_mtime > _YOUNG_S:  # else it may be just about to be locked
            _remove_empty(parent_fd, fd)
            return
        lock_fd = _opened(opened, os.open(_lock(name), os.O_RDONLY | _FILE, dir_fd=fd))
        fcntl.flock(lock_fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield PrivateFolder(parent, name, fd, parent_fd, lock_fd)


def _lock(name: str) -> str:
    return name.replace(".disktuner-", "disktuner-lock-")


def _opened(stack: ExitStack, fd: int) -> int:
    stack.callback(os.close, fd)
    return fd


def _names(folder: int) -> list[str]:
    with os.scandir(folder) as entries:
        return [entry.name for entry in entries]


def _is_new(fd: int, parent_fd: int, began_s: float) -> bool:
    """Whether this is the folder that was made at that time: another one of this user's holds something or is older.

    FAT knows no owners, so all may write in all folders, or nobody but one; but it knows no links either that would
    lead elsewhere.
    """
    young = not _names(fd) and os.fstat(fd).st_mtime > began_s - _COARSE_S
    return young and _is_there(fd, parent_fd) and (_is_private(fd) or not _holds_links(fd))


def _is_private(fd: int) -> bool:
    status = os.fstat(fd)
    return status.st_uid == os.geteuid() and not status.st_mode & 0o022


def _is_there(fd: int, parent_fd: int) -> bool:
    """Whether nothing is mounted in its place (fusermount(1) lets anybody do that in a folder of their own)."""
    return os.fstat(fd).st_dev == os.fstat(parent_fd).st_dev


def _holds_links(fd: int) -> bool:
    name = f"link-{os.urandom(6).hex()}"
    try:
        os.symlink(".", name, dir_fd=fd)
    except OSError:
        return False
    os.unlink(name, dir_fd=fd)
    return True


def _below(folder: int) -> Iterator[tuple[int, os.DirEntry[str]]]:
    """Everything below, what is deepest first, each with the handle of its folder; follows no link, enters no mount."""
    device = os.fstat(folder).st_dev
    with os.scandir(folder) as listed:
        entries = list(listed)
    for entry in entries:
        if entry.is_dir(follow_symlinks=False):
            with suppress(OSError), ExitStack() as opened:
                below = _opened(opened, _opened_up(entry.name, folder))
                if os.fstat(below).st_dev == device:
                    yield from _below(below)
        yield folder, entry


def _opened_up(name: str, folder: int) -> int:
    """Open a folder, also one that took its own rights away."""
    with suppress(PermissionError):
        return os.open(name, _FOLDER, dir_fd=folder)
    with ExitStack() as opened:
        path = _opened(opened, os.open(name, os.O_PATH | _FOLDER, dir_fd=folder))
        Path(f"/proc/self/fd/{path}").chmod(0o700)
    return os.open(name, _FOLDER, dir_fd=folder)


def _size(folder: int) -> int:
    return sum(entry.stat(follow_symlinks=False).st_blocks * 512 for _, entry in _below(folder))


def _clear(folder: int, kept: str = "") -> None:
    for holder, entry in _below(folder):
        if entry.name == kept and holder == folder:
            continue
        with suppress(OSError):
            (os.rmdir if entry.is_dir(follow_symlinks=False) else os.unlink)(entry.name, dir_fd=holder)


def _remove_empty(parent_fd: int, fd: int) -> bool:
    """Remove an emptied folder by the name it has now; whether it is gone. What holds anything stays (rmdir(2))."""
    link = Path(f"/proc/self/fd/{fd}")
    name = link.readlink().name
    with suppress(OSError):
        if os.path.samestat(os.stat(name, dir_fd=parent_fd, follow_symlinks=False), os.fstat(fd)):
            os.rmdir(name, dir_fd=parent_fd)
    return link.readlink().name == name + _DELETED or os.fstat(fd).st_nlink == 0
