# SPDX-License-Identifier: GPL-3.0-or-later
"""Which Disktuner this is: its version, and the commit where that is not a release."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from disktuner.opening import is_file, is_there

_HOME = Path(__file__).resolve().parents[1]
_WRITTEN = _HOME / "version"
"""The version and the commit, if any, as packaging/place and packaging/package write them; not in a checkout."""


def is_checkout() -> bool:
    """Whether this is the source tree, and not an installation."""
    return not is_file(_WRITTEN)


def version() -> str:
    """The version as Python writes it (PEP 440): what was written, else pyproject.toml's."""
    if is_file(_WRITTEN):
        return _WRITTEN.read_text(encoding="utf-8").split()[0]
    (declared,) = re.findall(r'^version = "(.+)"$', (_HOME.parent / "pyproject.toml").read_text("utf-8"), re.MULTILINE)
    return str(declared)


def commit() -> str:
    """The commit, as ``git describe`` names it; nothing for a release, which is tagged, or where nothing is known."""
    if is_file(_WRITTEN):
        return "".join(_WRITTEN.read_text(encoding="utf-8").split()[1:])
    if not is_there(_HOME.parent / ".git"):
        return ""
    tag = f"v{version()}"
    # The checkout may belong to somebody else: `describe` starts nothing that its configuration names.
    command = ("git", "-c", "safe.directory=*", "describe", "--tags", "--always", "--abbrev=12", "--match", tag)
    try:
        done = subprocess.run(command, cwd=_HOME.parent, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return ""
    described = done.stdout.strip()
    return "" if described == tag else described
