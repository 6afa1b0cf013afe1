# SPDX-License-Identifier: GPL-3.0-or-later
"""How much may wait in memory to be written to a disk, and who set the machine's limit (vm.dirty_*)."""

from __future__ import annotations

from dataclasses import dataclass

from disktuner.block.disk import Disk
from disktuner.block.machine import available_bytes
from disktuner.block.sysfs import Tree, as_number, lines_of, named
from disktuner.block.tuned import active_profile
from disktuner.vocabulary.tunables import BYTE_LIMIT, RATIO_LIMIT

_USUAL_RATIO = 20  # vm_dirty_ratio in mm/page-writeback.c
_FOLDERS = ("etc/sysctl.d", "run/sysctl.d", "usr/local/lib/sysctl.d", "usr/lib/sysctl.d")


@dataclass(frozen=True, slots=True)
class WriteBack:
    """``may_wait_bytes`` is the disk's share; ``limit`` is the machine's (``vm.dirty_ratio``), set to ``value``.

    ``place`` and ``who`` are the line that set it; empty if none was found.
    """

    may_wait_bytes: int
    limit: str
    value: int
    place: str = ""
    who: str = ""

    @property
    def is_usual(self) -> bool:
        """Whether it is the kernel's default."""
        return (self.limit, self.value) == ("vm.dirty_ratio", _USUAL_RATIO)


def read_write_back(tree: Tree, disk: Disk) -> WriteBack | None:
    """Return how much may wait for a disk; None if the kernel does not show its limits."""
    ratio, most = (as_number(tree.text(f"proc/sys/vm/{name}") or "") for name in ("dirty_ratio", "dirty_bytes"))
    limit, value = ("vm.dirty_bytes", most) if most else ("vm.dirty_ratio", ratio)
    waiting = _may_wait(tree, disk, most, ratio)
    return WriteBack(waiting, limit, value, *_line_that_sets(tree, limit, value)) if value and waiting else None


def _may_wait(tree: Tree, disk: Disk, most: int, ratio: int) -> int:
    """Return the disk's limit as the kernel shows it (since Linux 6.2), or else its share of the machine's."""
    if isinstance(limit_bytes := disk.tunables.get(BYTE_LIMIT), int):
        return limit_bytes
    share = disk.tunables.get(RATIO_LIMIT, 100)
    for_all = most or available_bytes(tree) * ratio // 100
    return for_all * share // 100 if isinstance(share, int) else for_all


def _line_that_sets(tree: Tree, limit: str, value: int) -> tuple[str, str]:
    """Return the last line that sets the limit to its value, and who applies it: TuneD comes after sysctl.d(5)."""
    origin = ("", "")
    for path in (*named(tree, _FOLDERS, ".conf"), "etc/sysctl.conf"):
        for number, line in lines_of(tree, path):
            name, _, given = line.lstrip("-").partition("=")
            if name.strip().replace("/", ".") == limit and given.strip() == str(value):
                origin = f"/{path}:{number}", "sysctl"
    for option in active_profile(tree).options:
        if (option.section, option.key, option.value) == ("sysctl", limit, str(value)):
            origin = f"{option.file}:{option.line}", "tuned"
    return origin
