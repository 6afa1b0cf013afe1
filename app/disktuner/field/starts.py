# SPDX-License-Identifier: GPL-3.0-or-later
"""For how long programs stand still while they start, of those that the desktop keeps apart in control groups."""

from __future__ import annotations

import math
from collections.abc import Iterator

from disktuner.block.pressure import stalled_us
from disktuner.block.sysfs import Tree

START_S = 10.0
"""Who started a program waits for its first seconds."""
_PROGRAMS, _ENDINGS = ("app-", "snap."), (".scope", ".service")


class Starts:
    """Looks again and again.

    GNOME, Plasma and Flatpak give each program a group ``app-….scope`` or ``app-….service``
    (https://systemd.io/DESKTOP_ENVIRONMENTS), Snap ``snap.….scope``; what a terminal starts has none of its own.
    """

    def __init__(self, tree: Tree, uid: int) -> None:
        self._tree = tree
        self._place = f"sys/fs/cgroup/user.slice/user-{uid}.slice/user@{uid}.service/app.slice"
        self._begun_s = dict.fromkeys(self._groups(), math.inf)
        """When each program was seen first; infinity where its start does not count, or no more."""

    def look(self, now_s: float) -> tuple[float, ...]:
        """Return for how many seconds each program has stood still whose start is over since the last look.

        One that ended before that (it handed over to one that runs) had none.
        """
        self._begun_s = {group: self._begun_s.get(group, now_s) for group in self._groups()}
        over = [group for group, begun_s in self._begun_s.items() if begun_s + START_S <= now_s]
        self._begun_s |= dict.fromkeys(over, math.inf)
        stood_us = (stalled_us(self._tree, f"{self._place}/{group}/io.pressure") for group in over)
        return tuple(each / 1e6 for each in stood_us if each is not None)

    def _groups(self) -> Iterator[str]:
        for name in self._tree.names(self._place):
            inner = self._tree.names(f"{self._place}/{name}") if name.endswith(".slice") else ()
            for group in (name, *(f"{name}/{each}" for each in inner)):
                if group.rpartition("/")[2].startswith(_PROGRAMS) and group.endswith(_ENDINGS):
                    yield group
