# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads small files of the kernel, and configuration files, below a root folder without ever failing."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

# A sysfs attribute is at most one page; a garbage tree must not fill the memory.
ATTRIBUTE_BYTES = 65_536
FILE_BYTES = 16 * 1024 * 1024

_OF_ONE_DISK = ("sys/", "run/udev/data/")

# O_NONBLOCK: a FIFO in a broken tree must not hang the program.
_READ = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK
_NULL = os.makedev(1, 3)
"""/dev/null: a link to it stands for an empty file."""
_FOLDER = os.O_RDONLY | os.O_CLOEXEC | os.O_DIRECTORY


class Folder:
    """An open folder, read relative to its descriptor, which is cheaper than full paths and sticks to one disk.

    If the disk vanishes and another takes its name between two reads, the old folder yields nothing more. Use it as a
    context manager.
    """

    __slots__ = ("_fd",)

    def __init__(self, fd: int) -> None:
        self._fd = fd

    def __enter__(self) -> Folder:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._fd)

    def text(self, path: str) -> str | None:
        """Return an attribute without surrounding white space; None if it cannot be read."""
        content = _read(path, ATTRIBUTE_BYTES, self._fd)
        return None if content is None else decoded(content)

    def number(self, path: str, default: int = 0) -> int:
        """Return an attribute as an integer, or the default if it is missing or not a number."""
        return as_number(self.text(path), default)

    def octets(self, path: str) -> bytes:
        """Return an attribute's bytes; empty if it cannot be read."""
        return _read(path, ATTRIBUTE_BYTES, self._fd) or b""

    def names(self, path: str) -> list[str]:
        """Return the sorted names in a folder below; empty if there is none."""
        with suppress(OSError, ValueError):
            fd = os.open(path, _FOLDER, dir_fd=self._fd)
            try:
                return _readable_names(os.listdir(fd))  # noqa: PTH208 - by descriptor
            finally:
                os.close(fd)
        return []

    def has(self, path: str) -> bool:
        """Whether anything of that name exists."""
        return self._mode(path) != 0

    def is_writable(self, path: str) -> bool:
        """Whether an attribute is writable at all."""
        return self._mode(path) & stat.S_IWUSR != 0

    def _mode(self, path: str) -> int:
        """Return the type and permissions of what has a name; 0 if nothing has."""
        with suppress(OSError, ValueError):
            return os.stat(path, dir_fd=self._fd).st_mode
        return 0


class Tree:
    """The files of a machine below a root folder: ``/`` for the running one, or a recorded tree."""

    def __init__(self, root: Path) -> None:
        self._prefix = str(root).rstrip("/") + "/"

    def folder(self, path: str) -> Folder | None:
        """Open a folder; None if it does not exist."""
        try:
            return Folder(os.open(self._prefix + path, _FOLDER))
        except (OSError, ValueError):
            return None

    def text(self, path: str) -> str | None:
        """Return a file's text without surrounding white space; None if it cannot be read."""
        content = self.octets(path)
        return None if content is None else decoded(content)

    def octets(self, path: str, limit: int = FILE_BYTES) -> bytes | None:
        """A file's bytes, at most about ``limit`` of them, or None when it cannot be read."""
        return _read(self._prefix + path, limit)

    def records(self, path: str) -> bytes | None:
        """Return all present records of a file or device that yields one per read; None if it cannot be read."""
        try:
            fd = os.open(self._prefix + path, _READ)
        except (OSError, ValueError):
            return None
        content = bytearray()
        try:
            while len(content) < FILE_BYTES:
                with suppress(BrokenPipeError):  # the kernel dropped records; the next read returns the oldest one left
                    if not (part := os.read(fd, 8192)):
                        break
                    content += part
        except BlockingIOError:
            pass  # no more for now
        except OSError:
            return None
        finally:
            os.close(fd)
        return bytes(content)

    def names(self, path: str) -> list[str]:
        """Return the sorted names in a folder; empty if there is none."""
        try:
            return _readable_names(os.listdir(self._prefix + path))  # noqa: PTH208 - many times
        except (OSError, ValueError):
            return []

    def link(self, path: str) -> str | None:
        """Return the target of a symbolic link; None if it is not one."""
        try:
            return os.readlink(self._prefix + path)  # noqa: PTH115 - many times
        except (OSError, ValueError):
            return None

    def exists(self, path: str) -> bool:
        """Whether anything of that name exists."""
        try:
            return os.path.exists(self._prefix + path)  # noqa: PTH110 - a string is what we have, many times
        except ValueError:
            return False

    def is_folder(self, path: str) -> bool:
        """Whether a folder of that name exists."""
        return os.path.isdir(self._prefix + path)  # noqa: PTH112 - a string is what we have, many times

    def is_file(self, path: str) -> bool:
        """Whether an ordinary file of that name exists."""
        return os.path.isfile(self._prefix + path)  # noqa: PTH113 - a string is what we have, many times

    def is_endless(self, path: str) -> bool:
        """Whether opening or reading it may never end: a pipe, a device except /dev/null, a huge file."""
        try:
            status = os.stat(self._prefix + path)  # noqa: PTH116 - a string is what we have, many times
        except (OSError, ValueError):
            return False
        if stat.S_ISREG(status.st_mode):
            return status.st_size > FILE_BYTES
        return not stat.S_ISDIR(status.st_mode) and status.st_rdev != _NULL


class OnceReadTree(Tree):
    """A tree for one look at many disks: files outside of ``/sys`` and ``/run/udev`` are read only once."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self._contents: dict[str, bytes | None] = {}
        self._names: dict[str, list[str]] = {}

    def octets(self, path: str, limit: int = FILE_BYTES) -> bytes | None:
        """A file's bytes, at most about ``limit`` of them, or None when it cannot be read."""
        if path.startswith(_OF_ONE_DISK) or limit != FILE_BYTES:
            return super().octets(path, limit)
        if path not in self._contents:
            self._contents[path] = super().octets(path)
        return self._contents[path]

    def names(self, path: str) -> list[str]:
        """The sorted names in a folder, empty when there is none."""
        if path.startswith(_OF_ONE_DISK):
            return super().names(path)
        if path not in self._names:
            self._names[path] = super().names(path)
        return self._names[path]


def lines_of(tree: Tree, path: str) -> Iterator[tuple[int, str]]:
    """Yield the lines of a configuration file, without comments and empty ones, with their numbers."""
    for number, line in enumerate(text_of(tree, path).splitlines(), 1):
        stripped = line.strip()
        if stripped and not stripped.startswith(("#", ";")):
            yield number, stripped


def text_of(tree: Tree, path: str) -> str:
    """Return a file's text; empty if there is none."""
    return (tree.octets(path.lstrip("/")) or b"").decode("utf-8", "replace")


def named(tree: Tree, places: Sequence[str], suffix: str = "") -> list[str]:
    """Return the paths of files in folders, by name (earlier folders hide later ones), then of single files."""
    chosen: dict[str, str] = {}
    for place in places:
        for name in tree.names(place):
            if name.endswith(suffix):
                chosen.setdefault(name, f"{place}/{name}")
    return [chosen[name] for name in sorted(chosen)] + [place for place in places if tree.is_file(place)]


def as_number(text: str | None, default: int = 0) -> int:
    """Parse an integer as the kernel prints it; the default for anything else, including absurdly long digits."""
    if text is None or len(text) > 20:
        return default
    try:
        return int(text)
    except ValueError:
        return default


def decoded(content: bytes) -> str:
    """Decode arbitrary bytes without failing, and strip outer white space and NULs."""
    return content.decode("utf-8", "replace").strip().strip("\0").rstrip()


def shown(text: str | None) -> str:
    """Make a string from hardware safe to print: control and formatting characters become ``?``."""
    if not text:
        return ""
    if text.isascii() and text.isprintable():
        return text.strip()
    return "".join(sign if sign.isprintable() else "?" for sign in text).strip()


def _readable_names(names: list[str]) -> list[str]:
    return sorted(name for name in names if name.isprintable())


def _read(path: str, limit: int, dir_fd: int | None = None) -> bytes | None:
    try:
        fd = os.open(path, _READ, dir_fd=dir_fd)
    except (OSError, ValueError):
        return None
    try:
        content = os.read(fd, 4096)
        if len(content) < 4096:
            # Only at their end do kernel files return less than asked, except seq_files: read those once more.
            rest = os.read(fd, limit) if len(content) > 1024 else b""
            if not rest:
                return content
            content += rest
        return content + _rest(fd, limit - len(content))
    except OSError:
        return None
    finally:
        os.close(fd)


def _rest(fd: int, limit: int) -> bytes:
    parts = []
    while limit > 0:
        part = os.read(fd, min(limit, 1 << 20))
        if not part:
            break
        parts.append(part)
        limit -= len(part)
    return b"".join(parts)
