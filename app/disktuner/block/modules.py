# SPDX-License-Identifier: GPL-3.0-or-later
"""Schedulers that the kernel would load: modules of the running kernel that it has not loaded yet."""

from __future__ import annotations

import re

from disktuner.block.sysfs import Tree

# The kernel asks for "<name>-iosched" (block/elevator.c), which modules claim with MODULE_ALIAS.
_ALIAS = re.compile(rb"^alias (\S+)-iosched (\S+)", re.MULTILINE)
_FILE = re.compile(r"(?:(bfq|mq-deadline)|([a-z0-9_-]+)-iosched)\.ko(?:\.(?:gz|xz|zst))?")


def loadable_schedulers(tree: Tree) -> tuple[str, ...]:
    """The names of all schedulers that are modules on disk, loaded or not; empty where there are no modules."""
    release = tree.text("proc/sys/kernel/osrelease")
    if not release or "/" in release:
        return ()
    found: set[str] = set()
    for base in ("lib/modules", "usr/lib/modules"):
        folder = f"{base}/{release}"
        aliases = tree.octets(f"{folder}/modules.alias") or b""
        if b"-iosched" in aliases:
            found.update(name.decode("ascii", "replace") for name, _ in _ALIAS.findall(aliases))
        for place in (f"{folder}/kernel/block", f"{folder}/extra", f"{folder}/updates"):
            found.update(_from_files(tree.names(place)))
    return tuple(sorted(name for name in found if name.isprintable() and len(name) < 16))


def _from_files(names: list[str]) -> list[str]:
    matches = (_FILE.fullmatch(name) for name in names)
    return [(match[1] or match[2]).replace("_", "-") for match in matches if match]
