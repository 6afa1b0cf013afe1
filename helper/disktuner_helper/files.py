# SPDX-License-Identifier: GPL-3.0-or-later
"""Files that are whole at any time: read without following links, replaced in one step."""

import json
import os
import stat
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from disktuner_helper.errors import WriteFailed, saying

_LIMIT_BYTES = 1 << 20
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK
_MAKE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW


def read(file: Path) -> bytes:
    """The content, nothing where there is no such file. Raises WriteFailed for links, devices and huge files."""
    with saying(f"{file} cannot be read"), suppress(FileNotFoundError):
        with os.fdopen(os.open(file, _READ), "rb") as opened:
            status = os.fstat(opened.fileno())
            if stat.S_ISREG(status.st_mode) and status.st_size <= _LIMIT_BYTES:
                return opened.read(_LIMIT_BYTES)
        raise WriteFailed(f"{file} is no ordinary file, or too big. Remove it if you did not make it.")
    return b""


def replace(file: Path, content: bytes) -> None:
    """Put a whole new file in the place of the old one; durable on return. Raises WriteFailed."""
    fresh = file.with_name(f".{file.name}.new")
    with saying(f"{file} cannot be written"):
        fresh.unlink(missing_ok=True)
        try:
            with os.fdopen(os.open(fresh, _MAKE, 0o644), "wb") as opened:
                opened.write(content)
                opened.flush()
                os.fsync(opened.fileno())
            fresh.replace(file)
        finally:
            fresh.unlink(missing_ok=True)
        _sync(file.parent)


def remove(file: Path) -> None:
    """Take a file away, durably; fine where there is none. Raises WriteFailed."""
    with saying(f"{file} cannot be removed"), suppress(FileNotFoundError):
        file.with_name(f".{file.name}.new").unlink(missing_ok=True)
        file.unlink()
        _sync(file.parent)


def make_folder(folder: Path) -> None:
    """Make a folder of the helper's own where it is missing. Raises WriteFailed."""
    with saying(f"{folder} cannot be made"):
        folder.mkdir(mode=0o755, exist_ok=True)


def read_json(file: Path) -> dict[str, Any]:
    """The object that ``replace_json`` wrote; an empty one where there is none or somebody broke it."""
    with suppress(ValueError, WriteFailed):
        loaded = json.loads(read(file))
        return loaded if isinstance(loaded, dict) else {}
    return {}


def replace_json(file: Path, content: Mapping[str, Any]) -> None:
    """Write an object; an empty one leaves no file. Raises WriteFailed."""
    if not content:
        return remove(file)
    return replace(file, json.dumps(content, indent=1).encode())


def _sync(folder: Path) -> None:
    number = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(number)
    finally:
        os.close(number)
