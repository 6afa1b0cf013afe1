# SPDX-License-Identifier: GPL-3.0-or-later
"""Other names in place of those that people, makers and installers chose: of the same shape, and always the same."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable

_WORD = re.compile(r"[^\W_]+")
_OCTAL = re.compile(r"\\[0-7]{3}")
_NAMED = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|(?<![^/])md_[^/]+")
"""What in the kernel's own names of devices is not its own: Hyper-V's numbers, and arrays that a person named."""

_RELEASE = re.compile(r"\d{1,9}|(?:rc|deb|fc|el|arch|zen|rpi|v)\d+|x86|amd64|arm64|aarch64|armhf|generic|cloud|rt|lts|"
                      r"lowlatency|azure|aws|gcp|oem|default|pve|raspi")  # fmt: skip
_FUSE = frozenset(
    {"sshfs", "rclone", "s3fs", "davfs", "mfs", "glusterfs", "vmhgfs-fuse", "portal", "lxcfs", "snapfuse"}
)
# Words that every system has: they tell nothing about anybody.
_COMMON = frozenset({"", "boot", "efi", "home", "var", "usr", "opt", "srv", "mnt", "media", "tmp", "root", "run", "log",
                     "lib", "data", "dev", "proc", "sys", "pts", "shm", "fs", "cgroup", "mapper", "swap", "vg",
                     "luks", "LVM", "CRYPT", "LUKS1", "LUKS2", "mpath", "t10", "naa", "eui"})  # fmt: skip


class Pseudonyms:
    """Replaces words by others made of them and of a salt, which is forgotten: nobody can go back.

    ``is_device`` says whether the kernel has a device of a name.
    """

    def __init__(self, salt: bytes, is_device: Callable[[str], bool]) -> None:
        self._salt = salt
        self._is_device = is_device

    def text(self, text: str) -> str:
        """The same length and shape, other letters and digits: what is unsafe in a rule stays unsafe."""
        return _WORD.sub(lambda match: self._word(match[0]), text)

    def words(self, text: str) -> list[str]:
        """The words of a text that ``text`` replaces."""
        return [word for word in _WORD.findall(text) if word not in _COMMON]

    def path(self, path: str) -> str:
        """A path; folders that every system has stay."""
        parts = _OCTAL.sub("_", path).split("/")
        return "/".join(part if part in _COMMON else self.text(part) for part in parts)

    def source(self, source: str) -> str:
        """What is mounted: ``/dev/sda1`` tells nothing; ``/dev/mapper/NAME`` and ``HOST:/PATH`` people chose."""
        if not source.startswith("/dev/"):
            return self.path(source)
        return ":".join(map(self._device, source.split(":")))

    def file_system(self, fstype: str) -> str:
        """File systems are the kernel's; what stands behind ``fuse.`` is any program."""
        kernel, dot, program = fstype.partition(".")
        return f"{kernel}.{self.text(program)}" if dot and program not in _FUSE else fstype

    def kernel(self, path: str) -> str:
        """A path with the kernel's names of devices, which tell nothing but for parts that came from elsewhere."""
        return _NAMED.sub(lambda match: self._named(match[0]), path)

    def release(self, release: str) -> str:
        """A kernel's version; what its builder called it is replaced."""
        return _WORD.sub(lambda match: match[0] if _RELEASE.fullmatch(match[0]) else self._word(match[0]), release)

    def _device(self, source: str) -> str:
        name = source.removeprefix("/dev/")
        known = source.startswith("/dev/") and (name == "root" or self._is_device(name))
        return self.kernel(source) if known else self.text(source)

    def _named(self, name: str) -> str:
        return f"md_{self.text(name[3:])}" if name.startswith("md_") else self.text(name)

    def _word(self, word: str) -> str:
        if word in _COMMON:
            return word
        digest = hashlib.blake2b(word.encode("utf-8", "surrogateescape"), key=self._salt, digest_size=16).hexdigest()
        other = (digest * (len(word) // len(digest) + 1))[: len(word)]
        return "".join(new if old.isascii() else "é" for old, new in zip(word, other, strict=True))
