# SPDX-License-Identifier: GPL-3.0-or-later
"""Records this machine's disks as an anonymised tree that reproduces a report of a defect."""

from __future__ import annotations

import hashlib
import os
import re
from dataclasses import dataclass
from pathlib import Path

from disktuner.block.modules import loadable_schedulers
from disktuner.block.record_settings import FILES, FOLDERS, about_queues, is_kept
from disktuner.block.sysfs import Tree
from disktuner.errors import UsageError

_ATTRIBUTES = (
    "dev", "diskseq", "size", "removable", "hidden", "ro", "stat", "serial", "wwid", "uevent", "partition",
    "start", "dm/name", "dm/uuid", "loop/backing_file", "md/level", "device/model", "device/vendor", "device/type",
    "device/name", "device/serial", "device/wwid", "device/transport", "device/vpd_pgb1", "queue/scheduler",
    "queue/rotational", "queue/zoned", "queue/logical_block_size", "queue/discard_max_bytes", "queue/nr_requests",
    "queue/read_ahead_kb", "queue/wbt_lat_usec", "queue/rq_affinity", "queue/nomerges",
)  # fmt: skip
_FILES = ("proc/swaps", "proc/sys/kernel/osrelease", "sys/class/dmi/id/product_name")
_UDEV = re.compile(
    r"E:(ID_(?:MODEL|MODEL_ENC|VENDOR|BUS|TYPE|ATA_ROTATION_RATE_RPM|SERIAL|SERIAL_SHORT|SCSI_SERIAL|WWN|WWN_WITH_EXTENSION"
    r"|FS_TYPE|FS_LABEL|PATH)|DM_UUID|DEVTYPE)=(.*)"
)
_SECRET_KEYS = re.compile(r"SERIAL|WWN|LABEL|UUID|ID_PATH")
_SECRET_LENGTH = 6  # shorter ones would be found in other words too
_WORDS = re.compile(r"[A-Za-z0-9]+")
# Words that every system has: they tell nothing about anybody.
_COMMON = frozenset({"", "boot", "efi", "home", "var", "usr", "opt", "srv", "mnt", "media", "tmp", "root", "run", "log",
                     "lib", "data", "dev", "proc", "sys", "pts", "shm", "fs", "cgroup", "mapper", "swap", "vg",
                     "luks"})  # fmt: skip


@dataclass(frozen=True, slots=True)
class Recorded:
    """What was written: the disks, and how many files."""

    folder: Path
    disks: tuple[str, ...]
    files: int


class Recorder:
    """Copies what `disktuner list` and `status` look at. Serials, labels, names of folders and hosts are replaced.

    A replacement is the same wherever the same word stood, so that duplicate serials stay duplicate; it cannot
    be reversed, as the salt is forgotten. Nothing is read that an ordinary user may not read.
    """

    def __init__(self, root: Path, salt: bytes) -> None:
        self._tree = Tree(root)
        self._root = root
        self._salt = salt
        self._files = 0
        self._secrets: set[str] = set()

    def record(self, folder: Path) -> Recorded:
        """Write the tree. Raises UsageError unless the folder is new, or empty and closed to others."""
        folder.mkdir(0o755, parents=True, exist_ok=True)
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            with os.scandir(handle) as entries:
                if any(entries):
                    raise UsageError(f"{folder} is not empty. Name a folder that does not exist yet.")
            status = os.fstat(handle)
            if status.st_uid != os.geteuid() or status.st_mode & 0o022:
                raise UsageError(f"Others may write in {folder}. Name a folder that does not exist yet.")
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
        for path in _FILES:
            self._copy(folder, path)
        self._settings(folder)
        return disks

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
            self._copy(folder, f"sys/class/scsi_host/host{host[1]}/proc_name")

    def _device(self, folder: Path, place: str) -> None:
        for attribute in _ATTRIBUTES:
            self._copy(folder, f"{place}/{attribute}")
        for attribute in self._tree.names(f"{place}/queue/iosched"):
            self._copy(folder, f"{place}/queue/iosched/{attribute}")
        if self._tree.is_folder(f"{place}/mq"):
            self._folder(folder, f"{place}/mq")
        for slave in self._tree.names(f"{place}/slaves"):
            link = self._tree.link(f"{place}/slaves/{slave}")
            if link is not None:
                self._link(folder, f"{place}/slaves/{slave}", link)
        devno = self._tree.text(f"{place}/dev")
        if devno and re.fullmatch(r"\d+:\d+", devno):
            self._link(folder, f"sys/dev/block/{devno}", "../../" + place.removeprefix("sys/"))
            self._udev(folder, devno)

    def _btrfs(self, folder: Path) -> None:
        """Which devices belong to one file system: the kernel links them, an empty folder says the same."""
        for uuid in self._tree.names("sys/fs/btrfs"):
            for member in self._tree.names(f"sys/fs/btrfs/{uuid}/devices"):
                self._folder(folder, f"sys/fs/btrfs/{self._hidden(uuid)}/devices/{member}")

    def _modules(self, folder: Path) -> None:
        """The schedulers that could be loaded: their aliases alone."""
        release = self._tree.text("proc/sys/kernel/osrelease") or ""
        lines = [f"alias {name}-iosched {name}" for name in loadable_schedulers(self._tree)]
        if lines and "/" not in release:
            self._write(folder, f"lib/modules/{release}/modules.alias", "\n".join(lines) + "\n")

    def _udev(self, folder: Path, devno: str) -> None:
        path = f"run/udev/data/b{devno}"
        lines = (self._tree.text(path) or "").splitlines()
        kept = []
        for match in filter(None, map(_UDEV.fullmatch, lines)):
            key, value = match[1], match[2]
            is_secret = _SECRET_KEYS.search(key) is not None
            if is_secret and len(value) >= _SECRET_LENGTH:
                self._secrets.add(value)
            kept.append(f"E:{key}={self._hidden(value) if is_secret else value}")
        if kept:
            self._write(folder, path, "\n".join(kept) + "\n")

    def _mounts(self, folder: Path) -> None:
        rooms, lines = [], []
        for line in (self._tree.text("proc/self/mountinfo") or "").splitlines():
            before, _, after = line.partition(" - ")
            words, tail = before.split(" "), after.split(" ")
            if len(words) < 6 or len(tail) < 2:
                continue
            rooms.append(self._room(words[4]))
            words[3], words[4] = self._hidden_path(words[3]), self._hidden_path(words[4])
            source = tail[1] if tail[1] == tail[0] else self._hidden_source(tail[1])
            kept = map(self._kept_option, ",".join(tail[2:]).split(","))
            lines.append(f"{' '.join(words)} - {tail[0]} {source} {','.join(filter(None, kept)) or 'rw'}")
            rooms[-1] = f"{rooms[-1]} {words[4]}"
        self._write(folder, "proc/self/mountinfo", "\n".join(lines) + "\n")
        self._write(folder, "disktuner-record/room", "\n".join(rooms) + "\n")

    def _kept_option(self, option: str) -> str:
        """Options that lead to another disk or folder, or say that nothing can be written; else nothing."""
        name, _, value = option.partition("=")
        if name in ("logdev", "rtdev"):
            return f"{name}={self._hidden_source(value)}"
        if name == "upperdir":
            return f"{name}={self._hidden_path(value)}"
        return option if option in ("rw", "ro") else ""

    def _room(self, path: str) -> str:
        try:
            room = os.statvfs(self._root / path.lstrip("/"))
        except (OSError, ValueError):
            return "0 0"
        return f"{room.f_blocks * room.f_frsize} {room.f_bavail * room.f_frsize}"

    def _settings(self, folder: Path) -> None:
        paths = [*FILES]
        for place in FOLDERS:
            paths += self._files_below(place, depth=2)
        for path in paths:
            text = (self._tree.octets(path) or b"").decode("utf-8", "replace")
            if text and (path in FILES or is_kept(path, text)):
                self._write(folder, path, about_queues(text, self._hidden, self._secrets))

    def _files_below(self, place: str, depth: int) -> list[str]:
        found = []
        for name in self._tree.names(place):
            child = f"{place}/{name}"
            if not self._tree.is_folder(child):
                found.append(child)
            elif depth:
                found += self._files_below(child, depth - 1)
        return found

    def _copy(self, folder: Path, path: str) -> None:
        content = self._tree.octets(path)
        if content is None:
            return
        text = content.decode("utf-8", "surrogateescape")
        name = path.rpartition("/")[2]
        if name in ("serial", "wwid", "uuid") or path.endswith("/dm/name"):
            text = self._hidden(text.strip()) + "\n"
        elif name == "backing_file":
            text = self._hidden_path(text.strip()) + "\n"
        elif path == "proc/swaps":
            text = "".join(self._hidden_swap(line) for line in text.splitlines(keepends=True))
        self._write(folder, path, text)

    def _write(self, folder: Path, path: str, text: str) -> None:
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(text.encode("utf-8", "surrogateescape"))
        self._files += 1

    def _folder(self, folder: Path, path: str) -> None:
        (folder / path).mkdir(parents=True, exist_ok=True)

    def _link(self, folder: Path, path: str, target: str) -> None:
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        if not place.is_symlink():
            place.symlink_to(target)

    def _hidden(self, text: str) -> str:
        """The same length and shape, other letters and digits: what is unsafe in a rule stays unsafe."""
        return _WORDS.sub(lambda match: self._word(match[0]), text)

    def _hidden_source(self, source: str) -> str:
        """``/dev/sda1`` tells nothing; ``/dev/mapper/NAME`` and ``/dev/GROUP/VOLUME`` are names that people chose."""
        if not source.startswith("/dev/"):
            return self._hidden_path(source)
        return source if source.count("/") == 2 else self._hidden(source)

    def _word(self, word: str) -> str:
        if word in _COMMON:
            return word
        digest = hashlib.blake2b(word.encode(), key=self._salt, digest_size=16).hexdigest()
        return (digest * (len(word) // len(digest) + 1))[: len(word)]

    def _hidden_path(self, path: str) -> str:
        return "/".join(part if part in _COMMON else self._hidden(part) for part in path.split("/"))

    def _hidden_swap(self, line: str) -> str:
        source, blank, rest = line.partition(" ")
        return self._hidden_source(source) + blank + rest if source.startswith("/") else line
