# SPDX-License-Identifier: GPL-3.0-or-later
"""Stacks of block devices: partitions, device-mapper, md, bcache and NVMe paths, down to the disks."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from functools import cached_property

from disktuner.block.sysfs import Tree

MAX_DEPTH = 32  # deeper than any real stack: ends loops in broken trees
_HEAD = re.compile(r"nvme(\d+)n(\d+)")
_PATH = re.compile(r"nvme(\d+)c\d+n(\d+)")
_DEVNO = re.compile(r"\d{1,10}:\d{1,10}")


class Stack:
    """A snapshot of the block devices, with the chains from each down to the disks."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._parents: dict[str, str | None] = {}
        self._below: dict[str, tuple[str, ...]] = {}

    @cached_property
    def names(self) -> tuple[str, ...]:
        """All whole block devices in sysfs, including hidden NVMe paths, in natural order."""
        return tuple(sorted(self._tree.names("sys/block"), key=natural))

    @cached_property
    def known(self) -> frozenset[str]:
        """``names`` as a set."""
        return frozenset(self.names)

    @cached_property
    def _nvme_paths(self) -> Mapping[tuple[str, str], tuple[str, ...]]:
        paths_by_head: dict[tuple[str, str], list[str]] = {}
        for name in self.names:
            match = _PATH.fullmatch(name)
            if match:
                paths_by_head.setdefault((match[1], match[2]), []).append(name)
        return {key: tuple(paths) for key, paths in paths_by_head.items()}

    @cached_property
    def _by_mapper_name(self) -> Mapping[str, str]:
        names = (name for name in self.names if name.startswith("dm-"))
        pairs = ((self._tree.text(f"sys/block/{name}/dm/name"), name) for name in names)
        return {mapped: name for mapped, name in pairs if mapped}

    def device(self, devno: str) -> str | None:
        """Return the kernel's name of a device number (``8:1`` → ``sda1``), including partitions."""
        if not _DEVNO.fullmatch(devno) or devno.startswith("0:"):
            return None
        target = self._tree.link(f"sys/dev/block/{devno}")
        if target is None:
            return self._by_devno.get(devno)
        return self._remember(target)

    @cached_property
    def _by_devno(self) -> Mapping[str, str]:
        """Names by device number, for trees without ``/sys/dev/block``."""
        names_by_devno: dict[str, str] = {}
        for name in self.names:
            names_by_devno[self._tree.text(f"sys/block/{name}/dev") or ""] = name
            for part in self.partitions(name):
                names_by_devno[self._tree.text(f"sys/block/{name}/{part}/dev") or ""] = part
        return names_by_devno

    def partitions(self, disk: str) -> list[str]:
        """Return the partitions of a disk, in natural order."""
        names = [name for name in self._tree.names(f"sys/block/{disk}") if name.startswith(disk)]
        for name in names:
            self._parents.setdefault(name, disk)
        return sorted(names, key=natural)

    def named(self, source: str) -> str | None:
        """Return the kernel's name of a ``/dev/…`` path, such as ``/dev/mapper/NAME``, ``/dev/VG/LV`` or a link."""
        if not source.startswith("/dev/"):
            return None
        if target := self._tree.link(source.removeprefix("/")):
            source = os.path.normpath(target if target.startswith("/") else f"{source}/../{target}")
        rest = source.removeprefix("/dev/")
        if rest.startswith("mapper/"):
            return self._by_mapper_name.get(rest.removeprefix("mapper/"))
        kernel_name = rest.replace("/", "!")
        if kernel_name in self.known or self.parent(kernel_name) is not None:
            return kernel_name
        volume_group, slash, volume = rest.partition("/")
        if not slash:
            return None
        # device-mapper doubles the dashes of LVM names to distinguish them from the one between group and volume.
        return self._by_mapper_name.get(f"{volume_group.replace('-', '--')}-{volume.replace('-', '--')}")

    def parent(self, name: str) -> str | None:
        """Return a partition's disk; None for anything else."""
        if name in self.known:
            return None
        if name not in self._parents:
            target = self._tree.link(f"sys/class/block/{name}")
            if target is None:
                self._parents[name] = self._parent_by_name(name)
            else:
                self._remember(target)
        return self._parents.get(name)

    def _parent_by_name(self, name: str) -> str | None:
        stem = name.rstrip("0123456789")
        for disk in (stem, stem.removesuffix("p")):
            if disk in self.known and self._tree.is_folder(f"sys/block/{disk}/{name}"):
                return disk
        return None

    def below(self, name: str) -> tuple[str, ...]:
        """Return the devices directly below: a partition's disk, or the members of a stacked device."""
        if name not in self._below:
            self._below[name] = self._look_below(name)
        return self._below[name]

    def _look_below(self, name: str) -> tuple[str, ...]:
        parent = self.parent(name)
        if parent is not None:
            return (parent,)
        match = _HEAD.fullmatch(name)
        if match:
            return self._nvme_paths.get((match[1], match[2]), ())
        slaves = self._tree.names(f"sys/block/{name}/slaves")
        for slave in slaves:
            target = self._tree.link(f"sys/block/{name}/slaves/{slave}")
            if target is not None:
                self._remember(target)
        return tuple(sorted(slaves, key=natural))

    def _remember(self, target: str) -> str:
        """Note the parent from a link like ``…/block/sda/sda2``, and return the device's name."""
        parts = target.rsplit("/", 3)
        name = parts[-1]
        if name not in self._parents:
            parent = parts[-2] if len(parts) >= 2 else ""
            self._parents[name] = parent if name not in self.known and parent in self.known else None
        return name

    def chains(self, name: str) -> tuple[tuple[str, ...], ...]:
        """Return all chains from a device, which it begins, down to a device with nothing below."""
        chains: list[tuple[str, ...]] = []
        self._descend((name,), chains)
        return tuple(chains)

    def _descend(self, chain: tuple[str, ...], chains: list[tuple[str, ...]]) -> None:
        below = [name for name in self.below(chain[-1]) if name not in chain]
        if not below or len(chain) >= MAX_DEPTH or len(chains) >= 4096:
            chains.append(chain)
            return
        for name in below:
            self._descend((*chain, name), chains)


def natural(name: str) -> tuple[int | str, ...]:
    """Return a sort key that puts ``sdb`` before ``sdaa``, and ``nvme2n1`` before ``nvme10n1``."""
    stem, *rest = re.split(r"([0-9]+)", name)
    by_letters = len(stem) if stem.startswith(("sd", "vd", "xvd", "hd")) else 0
    return by_letters, stem, *(int(part[:18]) if part.isdecimal() else part for part in rest)
