# SPDX-License-Identifier: GPL-3.0-or-later
"""Records this machine's disks as an anonymised tree that reproduces a report of a defect."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

from disktuner.block.anonymous import (
    FILES,
    GROUPS,
    SERVICES,
    Pseudonyms,
    Settings,
    is_of_a_package,
    joined,
)
from disktuner.block.queue import loadable_schedulers
from disktuner.block.sysfs import Tree
from disktuner.block.udev import HOLD, HOLDS, RULES_FILE
from disktuner.block.writers.scripts import GOOGLE, UNITS
from disktuner.block.writers.services import PROFILES
from disktuner.block.writers.writer import UNIT_FOLDERS, Group
from disktuner.vocabulary.errors import UsageError
from disktuner.vocabulary.tunables import TUNABLES

_ATTRIBUTES = (
    "dev", "diskseq", "size", "removable", "hidden", "ro", "stat", "serial", "wwid", "partition", "dm/name", "dm/uuid",
    "loop/backing_file", "md/level", "device/model", "device/vendor", "device/type", "device/name", "device/serial",
    "device/wwid", "device/transport", "device/vpd_pgb1", "queue/scheduler", "queue/rotational", "queue/zoned",
    "queue/logical_block_size", "queue/discard_max_bytes", "queue/physical_block_size", "queue/optimal_io_size",
    "queue/max_sectors_kb", "queue/write_cache", "alignment_offset", "mq/0/nr_tags", "device/queue_depth",
    "device/life_time", *(each.name for each in TUNABLES if each.scheduler is None),
)  # fmt: skip
_UDEV = re.compile(
    r"E:(ID_(?:MODEL|MODEL_ENC|VENDOR|BUS|TYPE|ATA_ROTATION_RATE_RPM|SERIAL|SERIAL_SHORT|SCSI_SERIAL|WWN|WWN_WITH_EXTENSION"
    r"|ATA_WRITE_CACHE|ATA_WRITE_CACHE_ENABLED|FS_TYPE|FS_LABEL|PATH)|DM_UUID|DEVTYPE)=(.*)"
)
_HAS_LINK = re.compile(r"[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]|\d+-[\d.]+")
_OF_A_LINK = ("current_link_speed", "current_link_width", "max_link_speed", "max_link_width", "speed", "version")
_SECRET_KEYS = re.compile(r"SERIAL|WWN|LABEL|UUID|ID_PATH")
_FLAGS = frozenset({"rw", "ro", "relatime", "noatime", "strictatime", "nodiratime", "lazytime", "nosuid", "nodev",
                    "noexec", "nosymfollow", "idmapped"})  # fmt: skip
_PROPAGATION = re.compile(r"(?:shared|master|propagate_from):\d+|unbindable")


@dataclass(frozen=True, slots=True)
class Recorded:
    """What was written: the disks, and how many files."""

    folder: Path
    disks: tuple[str, ...]
    files: int


class Recorder:
    """Copies what `disktuner list` and `status` look at, and nothing of a name that a person may have chosen.

    Serials, labels, names of folders, hosts, volumes and files, and unknown words in settings are replaced. A
    replacement is the same wherever the same word stood, so that duplicate serials stay duplicate; it cannot
    be reversed, as the salt is forgotten. Nothing is read that an ordinary user may not read.
    """

    def __init__(self, root: Path, salt: bytes) -> None:
        self._tree = Tree(root)
        self._root = root
        self._files = 0
        self._hide = Pseudonyms(salt, lambda name: self._tree.link(f"sys/class/block/{name}") is not None)
        self._reduced = Settings(self._hide.text)

    def record(self, folder: Path) -> Recorded:
        """Write the tree. Raises UsageError unless the folder is new, or empty and closed to others."""
        folder.mkdir(0o755, parents=True, exist_ok=True)
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            with os.scandir(handle) as entries:
                if any(entries):
                    raise UsageError("folder-not-empty", folder=str(folder))
            status = os.fstat(handle)
            if status.st_uid != os.geteuid() or status.st_mode & 0o022:
                raise UsageError("folder-open-to-others", folder=str(folder))
            disks = self._record(Path(f"/proc/self/fd/{handle}"))  # this one, whatever others rename meanwhile
            return Recorded(folder, disks, self._files)
        finally:
            os.close(handle)

    def _record(self, folder: Path) -> tuple[str, ...]:
        disks = tuple(self._tree.names("sys/block"))
        for disk in disks:
            self._disk(folder, disk)
        self._btrfs(folder)
        self._modules(folder)
        self._mounts(folder)
        self._swaps(folder)
        self._settings(folder)
        self._services(folder)
        return disks

    # ---- devices ---------------------------------------------------------------------------------------

    def _disk(self, folder: Path, disk: str) -> None:
        target = self._tree.link(f"sys/block/{disk}")
        if target is None:
            return
        place = f"sys/{target.removeprefix('../')}"
        self._link(folder, f"sys/block/{disk}", target)
        self._link(folder, f"sys/class/block/{disk}", f"../{target}")
        self._device(folder, place)
        names = self._tree.names(f"sys/block/{disk}")
        for part in (name for name in names if name.startswith(disk) and name != disk):
            self._link(folder, f"sys/class/block/{part}", f"../{target}/{part}")
            self._device(folder, f"{place}/{part}")
        host = re.search(r"/host(\d+)/", target)
        if host:
            self._attribute(folder, f"sys/class/scsi_host/host{host[1]}/proc_name")
            self._attribute(folder, f"sys/class/scsi_host/host{host[1]}/ahci_host_caps")
        self._links(folder, target)

    def _links(self, folder: Path, target: str) -> None:
        """How a disk is connected: what its PCIe functions, its SATA port and its USB device show."""
        place = ""
        for part in f"sys/{target.removeprefix('../')}".split("/"):
            place = f"{place}/{part}".lstrip("/")
            for attribute in _OF_A_LINK if _HAS_LINK.fullmatch(part) else ():
                self._attribute(folder, f"{place}/{attribute}")
            if re.fullmatch(r"\d+-[\d.]+:\d+\.\d+", part) and (driver := self._tree.link(f"{place}/driver")):
                self._link(folder, f"{place}/driver", driver)
        if port := re.search(r"/ata(\d+)/", target):
            for attribute in ("sata_spd", "sata_spd_limit"):
                self._attribute(folder, f"sys/class/ata_link/link{port[1]}/{attribute}")
            self._identified(folder, f"sys/class/ata_device/dev{port[1]}.0/id")

    def _identified(self, folder: Path, path: str) -> None:
        """Of what an ATA disk says of itself the word with its speeds: the others hold its serial number, too."""
        words = (self._tree.text(path) or "").split()
        if len(words) > 76 and re.fullmatch(r"[0-9a-f]{4}", words[76]):
            self._write(folder, path, " ".join(["0000"] * 76 + [words[76]]) + "\n")

    def _device(self, folder: Path, place: str) -> None:
        for attribute in (
            *_ATTRIBUTES,
            *(f"queue/iosched/{name}" for name in self._tree.names(f"{place}/queue/iosched")),
        ):
            self._attribute(folder, f"{place}/{attribute}")
        if self._tree.is_folder(f"{place}/mq"):
            self._folder(folder, f"{place}/mq")
            for queue in filter(str.isdecimal, self._tree.names(f"{place}/mq")):
                self._folder(folder, f"{place}/mq/{queue}")
        for name in self._tree.names(f"{place}/device/scsi_disk"):
            self._attribute(folder, f"{place}/device/scsi_disk/{name}/cache_type")
        for slave in self._tree.names(f"{place}/slaves"):
            link = self._tree.link(f"{place}/slaves/{slave}")
            if link is not None:
                self._link(folder, f"{place}/slaves/{slave}", link)
        devno = self._tree.text(f"{place}/dev")
        if devno and re.fullmatch(r"\d+:\d+", devno):
            self._link(folder, f"sys/dev/block/{devno}", "../../" + place.removeprefix("sys/"))
            self._udev(folder, devno)

    def _attribute(self, folder: Path, path: str) -> None:
        content = self._tree.octets(path)
        if content is None:
            return
        text, name = content.decode("utf-8", "surrogateescape"), path.rpartition("/")[2]
        if name in ("serial", "wwid", "uuid") or path.endswith("/dm/name"):
            text = self._secret(text.strip()) + "\n"
        elif name == "backing_file":
            text = self._hide.path(text.strip()) + "\n"
        elif name in ("model", "vendor"):
            self._reduced.known.update(self._hide.words(text))
        self._write(folder, path, text)

    def _btrfs(self, folder: Path) -> None:
        """Which devices belong to one file system: the kernel links them, an empty folder says the same."""
        for uuid in self._tree.names("sys/fs/btrfs"):
            for member in self._tree.names(f"sys/fs/btrfs/{uuid}/devices"):
                self._folder(folder, f"sys/fs/btrfs/{self._hide.text(uuid)}/devices/{member}")

    def _modules(self, folder: Path) -> None:
        """The kernel's version, and the schedulers that could be loaded: their aliases alone."""
        release = self._tree.text("proc/sys/kernel/osrelease") or ""
        called = self._hide.release(release)
        if called and "/" not in called:
            self._write(folder, "proc/sys/kernel/osrelease", called + "\n")
            lines = [f"alias {name}-iosched {name}\n" for name in loadable_schedulers(self._tree)]
            if lines:
                self._write(folder, f"lib/modules/{called}/modules.alias", "".join(lines))

    def _udev(self, folder: Path, devno: str) -> None:
        path = f"run/udev/data/b{devno}"
        lines = (self._tree.text(path) or "").splitlines()
        kept = []
        for match in filter(None, map(_UDEV.fullmatch, lines)):
            key, value = match[1], match[2]
            is_secret = _SECRET_KEYS.search(key) is not None
            if not is_secret:
                self._reduced.known.update(self._hide.words(value))
            kept.append(f"E:{key}={self._secret(value) if is_secret else value}")
        if kept:
            self._write(folder, path, "\n".join(kept) + "\n")

    # ---- file systems ----------------------------------------------------------------------------------

    def _mounts(self, folder: Path) -> None:
        rooms, lines = [], []
        for line in (self._tree.text("proc/self/mountinfo") or "").splitlines():
            before, _, after = line.partition(" - ")
            words, tail = before.split(" "), after.split(" ")
            if len(words) < 6 or len(tail) < 2:
                continue
            room = self._room(words[4])
            words[3], words[4] = self._hide.path(words[3]), self._hide.path(words[4])
            words[5] = ",".join(flag for flag in words[5].split(",") if flag in _FLAGS) or "rw"
            words[6:] = filter(_PROPAGATION.fullmatch, words[6:])
            kind = self._hide.file_system(tail[0])
            source = kind if tail[1] == tail[0] else self._hide.source(tail[1])
            kept = map(self._kept_option, ",".join(tail[2:]).split(","))
            lines.append(f"{' '.join(words)} - {kind} {source} {','.join(filter(None, kept)) or 'rw'}")
            rooms.append(f"{room} {words[4]}")
        self._write(folder, "proc/self/mountinfo", "\n".join(lines) + "\n")
        self._write(folder, "disktuner-record/room", "\n".join(rooms) + "\n")

    def _kept_option(self, option: str) -> str:
        """Options that lead to another disk or folder, or say that nothing can be written; else nothing."""
        name, _, value = option.partition("=")
        if name in ("logdev", "rtdev"):
            return f"{name}={self._hide.source(value)}"
        if name == "upperdir":
            return f"{name}={self._hide.path(value)}"
        return option if option in ("rw", "ro", "discard") else ""

    def _secret(self, text: str) -> str:
        """Hide a text whose words must not stand anywhere else either."""
        self._reduced.secrets.update(self._hide.words(text))
        return self._hide.text(text)

    def _room(self, path: str) -> str:
        try:
            room = os.statvfs(self._root / path.lstrip("/"))
        except (OSError, ValueError):
            return "0 0"
        return f"{room.f_blocks * room.f_frsize} {room.f_bavail * room.f_frsize}"

    def _swaps(self, folder: Path) -> None:
        lines = (self._tree.text("proc/swaps") or "").splitlines()
        if lines:
            areas = [line.split() for line in lines[1:]]
            kept = ["\t".join([self._hide.source(words[0]), *words[1:]]) for words in areas if len(words) >= 3]
            self._write(folder, "proc/swaps", "\n".join(["Filename\tType\tSize\tUsed\tPriority", *kept]) + "\n")

    # ---- settings of other programs ----------------------------------------------------------------------

    def _settings(self, folder: Path) -> None:
        profiles = {place: self._tree.names(place) for place in PROFILES}
        for place in filter(is_of_a_package, PROFILES):
            self._reduced.known.update(word for name in profiles[place] for word in self._hide.words(name))
        for path in FILES:
            self._setting(folder, path, path)
        for group in GROUPS:
            self._group(folder, group)
        for place, names in profiles.items():
            for name in names:
                called = f"{place}/{self._reduced.words(name)}/tuned.conf"
                self._setting(folder, f"{place}/{name}/tuned.conf", called)

    def _group(self, folder: Path, group: Group) -> None:
        there = {place: [n for n in self._tree.names(place) if n.endswith(group.suffix)] for place in group.folders}
        own = {name for place, names in there.items() if is_of_a_package(place) for name in names}
        every = [name for names in there.values() for name in names]
        called = self._reduced.names(group, every, {*own, *SERVICES, RULES_FILE.rpartition("/")[2]})
        for place, names in there.items():
            for name in names:
                # One that says nothing may still hide another of its name.
                self._setting(folder, f"{place}/{name}", f"{place}/{called[name]}", hides=every.count(name) > 1)

    def _setting(self, folder: Path, path: str, called: str, hides: bool = False) -> None:
        text = (self._tree.octets(path) or b"").decode("utf-8", "replace")
        kept = self._reduced.kept(path, text)
        if path.startswith(UNITS):
            kept = self._with_scripts(folder, text, kept)
        if kept or hides:
            self._write(folder, called, kept or "#\n")

    def _with_scripts(self, folder: Path, text: str, kept: str) -> str:
        """A unit together with the scripts that it starts, where those are about queues."""
        lines = kept.splitlines() or [""] * len(text.splitlines())
        for number, line in enumerate(text.splitlines()):
            starts = self._reduced.starts(line)
            content = (self._tree.octets(starts[1], 65_536) or b"") if starts else b""
            script = self._reduced.script(content.decode("utf-8", "replace"))
            if starts and script:
                lines[number] = starts[0]
                self._write(folder, self._reduced.words(starts[1]), script)
        return joined(lines)

    def _services(self, folder: Path) -> None:
        """Who is started with the machine, who is masked, and what Disktuner itself set until the next restart."""
        for base in UNIT_FOLDERS:
            for wants in (name for name in self._tree.names(base) if name.endswith((".wants", ".requires"))):
                for name in set(SERVICES).intersection(self._tree.names(f"{base}/{wants}")):
                    stem, _, suffix = wants.rpartition(".")  # by which systemd knows the folder
                    self._write(folder, f"{base}/{self._reduced.words(stem)}.{suffix}/{name}", "")
            for name in SERVICES:
                if self._tree.link(f"{base}/{name}") == "/dev/null":
                    self._link(folder, f"{base}/{name}", "/dev/null")
        for name in SERVICES:
            if self._tree.exists(f"sys/fs/cgroup/system.slice/{name}"):
                self._folder(folder, f"sys/fs/cgroup/system.slice/{name}")
        for name in filter(HOLD.fullmatch, self._tree.names(HOLDS)):
            text = self._tree.text(f"{HOLDS}/{name}") or ""
            self._write(folder, f"{HOLDS}/{name}", self._reduced.words(text) + "\n")
        product = self._tree.text("sys/class/dmi/id/product_name")
        if product is not None:
            self._write(folder, "sys/class/dmi/id/product_name", GOOGLE if product == GOOGLE else "another")

    # ---- writing ----------------------------------------------------------------------------------------

    def _write(self, folder: Path, path: str, text: str) -> None:
        place = folder / self._hide.kernel(path)
        place.parent.mkdir(parents=True, exist_ok=True)
        if not place.is_symlink():
            place.write_bytes(text.encode("utf-8", "surrogateescape"))
            self._files += 1

    def _folder(self, folder: Path, path: str) -> None:
        (folder / self._hide.kernel(path)).mkdir(parents=True, exist_ok=True)

    def _link(self, folder: Path, path: str, target: str) -> None:
        place = folder / self._hide.kernel(path)
        place.parent.mkdir(parents=True, exist_ok=True)
        if not place.is_symlink():
            place.symlink_to(self._hide.kernel(target))
