# SPDX-License-Identifier: GPL-3.0-or-later
"""For how long all of a user's programs waited (Documentation/accounting/psi.rst)."""

from __future__ import annotations

import re

from disktuner.block.sysfs import Tree


class Pressure:
    """That of the user's own programs where the kernel counts it apart (control groups of systemd, version 2), else of
    all."""

    def __init__(self, tree: Tree, uid: int) -> None:
        group = f"sys/fs/cgroup/user.slice/user-{uid}.slice"
        grouped = tree.exists(f"{group}/io.pressure")
        self._tree, self._place = tree, f"{group}/{{}}.pressure" if grouped else "proc/pressure/{}"

    def stalled_us(self, what: str) -> int | None:
        """Return how long all waited for ``io`` or ``memory`` at once, in microseconds; None where nobody counts it."""
        return stalled_us(self._tree, self._place.format(what), "full")


def stalled_us(tree: Tree, path: str, whom: str) -> int | None:
    """Return a total of a pressure file, in microseconds, for ``some`` or all (``full``); None where there is none."""
    total = re.search(rf"^{whom} .*total=(\d+)", tree.text(path) or "", re.MULTILINE)
    return int(total[1]) if total else None
