# SPDX-License-Identifier: GPL-3.0-or-later
"""The mark that shows that this user requested a result's command here.

Any result may come from somebody else, even if kept among this user's own. So a definition carries an HMAC (RFC 2104)
of all its fields, by a key that only this user has.
"""

from __future__ import annotations

import hmac
import os
import secrets
import stat
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import msgspec

from disktuner.folders import state_folder
from disktuner.opening import open_regular
from disktuner.results.definition import Definition

_FILE = "key"
_BYTES = 32
_ABOUT = b"disktuner.own/1\0"


def marked(definition: Definition) -> Definition:
    """Return a definition with this user's mark; without one if no key can be kept."""
    key = _key(makes=True)
    return replace(definition, mark=_sign(definition, key) if key else None)


def is_marked(definition: Definition) -> bool:
    """Whether this user requested exactly this definition here."""
    key = _key(makes=False)
    return (
        key is not None
        and definition.mark is not None
        and hmac.compare_digest(_sign(definition, key).encode(), definition.mark.encode())
    )


def _sign(definition: Definition, key: bytes) -> str:
    return hmac.new(key, _ABOUT + msgspec.json.encode(replace(definition, mark=None)), "sha256").hexdigest()


def _key(*, makes: bool) -> bytes | None:
    """Return this user's key; None without one, or if others may read or have planted it."""
    with suppress(OSError, RuntimeError):
        folder = _folder(state_folder())
        try:
            if makes:
                with suppress(FileExistsError):
                    _make(folder)
            return _read(folder)
        finally:
            os.close(folder)
    return None


def _folder(path: Path) -> int:
    path.mkdir(0o700, parents=True, exist_ok=True)
    fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    if not _is_own(fd, 0o022):
        os.close(fd)
        raise PermissionError(f"{path} is open to others")
    return fd


def _make(folder: int) -> None:
    """Write a new key, complete before it gets its name. Raises ``FileExistsError`` if there is one."""
    name = f".{_FILE}.{secrets.token_hex(4)}"
    fd = open_regular(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, dir_fd=folder)
    try:
        os.write(fd, secrets.token_bytes(_BYTES))
        os.fsync(fd)
        os.link(name, _FILE, src_dir_fd=folder, dst_dir_fd=folder)
    finally:
        os.close(fd)
        os.unlink(name, dir_fd=folder)


def _read(folder: int) -> bytes | None:
    fd = open_regular(_FILE, os.O_RDONLY | os.O_NOFOLLOW, dir_fd=folder)
    try:
        key = os.read(fd, _BYTES + 1)
        return key if len(key) == _BYTES and _is_own(fd, 0o077) else None
    finally:
        os.close(fd)


def _is_own(fd: int, closed: int) -> bool:
    """Whether a file is this user's, without the permissions ``closed``."""
    status = os.fstat(fd)
    return status.st_uid == os.geteuid() and not stat.S_IMODE(status.st_mode) & closed
