# SPDX-License-Identifier: GPL-3.0-or-later
"""For how long all of a user's programs waited (Documentation/accounting/psi.rst)."""

from __future__ import annotations

import re

from disktuner.block.sysfs import Tree

_FULL = re.compile(r"^full .*total=(\d+)", re.MULTILINE)


class Pressure:
    """That of the user's own programs where the kernel counts it apart (control groups of systemd, version 2), else of
    all."""

    def __init__(self, tree: Tree, uid: int) -> None:
        group = f"sys/fs/cgroup/user.slice/user-{uid}.slice"
        grouped = tree.exists(f"{group}/io.pressure")
        self._tree, self._place = tree, f"{group}/{{}}.pressure" if grouped else "proc/pressure/{}"

    def stalled_us(self, what: str) -> int | None:
        """Return how long all waited for ``io`` or ``memory`` at once, in microseconds; None where nobody counts it."""
        return stalled_us(self._tree, self._place.format(what))


def stalled_us(tree: Tree, file: str) -> int | None:
    """Return the "full" microseconds of one of the kernel's pressure files; None where it is none."""
    found = _FULL.search(tree.text(file) or "")
    return int(found[1]) if found else None
