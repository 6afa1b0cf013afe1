# SPDX-License-Identifier: GPL-3.0-or-later
"""For how long all of a user's programs stalled (Documentation/accounting/psi.rst)."""

from __future__ import annotations

import re

from disktuner.block.sysfs import Tree


class Pressure:
    """The pressure on the user's own programs if the kernel counts it (systemd's cgroups v2), or else on all."""

    def __init__(self, tree: Tree, uid: int) -> None:
        group = f"sys/fs/cgroup/user.slice/user-{uid}.slice"
        grouped = tree.exists(f"{group}/io.pressure")
        self._tree, self._place = tree, f"{group}/{{}}.pressure" if grouped else "proc/pressure/{}"

    def stalled_us(self, what: str) -> int | None:
        """Return how long all stalled on ``io`` or ``memory`` at once, in microseconds; None if not counted."""
        return stalled_us(self._tree, self._place.format(what), "full")


def stalled_us(tree: Tree, path: str, whom: str) -> int | None:
    """Return a pressure file's total in microseconds, for ``some`` or all (``full``); None without such a file."""
    total = re.search(rf"^{whom} .*total=(\d+)", tree.text(path) or "", re.MULTILINE)
    return int(total[1]) if total else None
