# SPDX-License-Identifier: GPL-3.0-or-later
"""The mark by which the command in a result is known to have been asked for here, by this user.

A result may come from anybody, also when it lies among this user's own. So what is run because a file says so carries
an HMAC (RFC 2104) of all of it, by a key that only this user has and that no file holds.
"""

from __future__ import annotations

import hmac
import json
import os
import secrets
import stat
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from disktuner.folders import state_folder
from disktuner.opening import open_regular
from disktuner.results.definition import KEY

MARK = "mark"
_FILE = "key"
_BYTES = 32
_ABOUT = b"disktuner.own/1\0"


def marked(own: Mapping[str, Any]) -> dict[str, Any]:
    """Return a definition as a result keeps it, with this user's mark; without one where no key can be kept."""
    plain = {name: value for name, value in own.items() if name != MARK}
    key = _key(makes=True)
    return plain | {MARK: _sign(plain, key)} if key else plain


def is_marked(extra: Mapping[str, Any]) -> bool:
    """Whether what a result runs was asked for here, by this user, exactly as it stands there."""
    own = extra.get(KEY)
    key = _key(makes=False)
    if not isinstance(own, dict) or not isinstance(own.get(MARK), str) or key is None:
        return False
    plain = {name: value for name, value in own.items() if name != MARK}
    return hmac.compare_digest(_sign(plain, key).encode(), own[MARK].encode("utf-8", "surrogatepass"))


def _sign(own: Mapping[str, Any], key: bytes) -> str:
    text = json.dumps(own, sort_keys=True, separators=(",", ":"))
    return hmac.new(key, _ABOUT + text.encode("ascii"), "sha256").hexdigest()


def _key(*, makes: bool) -> bytes | None:
    """Return this user's key; None where there is none, or one that others may read or have put there."""
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
    """Write a new key, whole before it has its name. Raises ``FileExistsError`` where there is one."""
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
    """Whether it is this user's, and closed to others."""
    found = os.fstat(fd)
    return found.st_uid == os.geteuid() and not stat.S_IMODE(found.st_mode) & closed
