# SPDX-License-Identifier: GPL-3.0-or-later
"""What a recording keeps of names and settings: pseudonyms for what people chose, and only the lines about queues.

A pseudonym has the shape of what it replaces, and is always the same. Anybody may write anything into files of
settings. So nothing is looked for that must go: a line stays where the program reads it, a word where it is one of the
field, and all other words are replaced.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field

from disktuner.block.udev import logical_lines
from disktuner.block.writers import scripts, services
from disktuner.block.writers.udev_rules import RULES, Token, tokens_of
from disktuner.block.writers.writer import Group
from disktuner.vocabulary.schedulers import SCHEDULERS
from disktuner.vocabulary.tunables import TUNABLES

_WORD = re.compile(r"[^\W_]+")
_OCTAL = re.compile(r"\\[0-7]{3}")
_NAMED = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|(?<![^/])md_[^/]+")
"""What in the kernel's own names of devices is not its own: Hyper-V's numbers, and arrays that a person named."""

_RELEASE = re.compile(r"\d{1,9}|(?:rc|deb|fc|el|arch|zen|rpi|v)\d+|x86|amd64|arm64|aarch64|armhf|generic|cloud|rt|lts|"
                      r"lowlatency|azure|aws|gcp|oem|default|pve|raspi")  # fmt: skip
_FUSE = frozenset(
    {"sshfs", "rclone", "s3fs", "davfs", "mfs", "glusterfs", "vmhgfs-fuse", "portal", "lxcfs", "snapfuse"}
)
# Words that every system has: they identify nobody.
_COMMON = frozenset({"", "boot", "efi", "home", "var", "usr", "opt", "srv", "mnt", "media", "tmp", "root", "run", "log",
                     "lib", "data", "dev", "proc", "sys", "pts", "shm", "fs", "cgroup", "mapper", "swap", "vg",
                     "luks", "LVM", "CRYPT", "LUKS1", "LUKS2", "mpath", "t10", "naa", "eui"})  # fmt: skip

Hide = Callable[[str], str]

FILES = (*scripts.FILES, *services.FILES)
GROUPS = (RULES, *scripts.GROUPS, *services.GROUPS)
SERVICES = (*services.SERVICES, scripts.GOOGLE_SERVICE)
"""The services whose start decides who acts; their names are the distributions' own."""

_OF_PACKAGES = ("usr/", "lib/")
_KEPT = re.compile(
    r"queue/|^\[|^(?:elevator|readahead|include|type|devices|devices_udev_regex|enabled|priority|replace|drop"
    r"|cpuinfo_regex|uname_regex|profile_dirs)\s*=|^(?:TLP_ENABLE|TLP_DISABLE_DEFAULTS|DISK_DEVICES|DISK_IOSCHED)\b"
    r"|^ExecStart=\S*google"
)
_IDENTITY = re.compile(
    r"(?:ENV\{(?:ID_\w*(?:SERIAL|WWN|LABEL|UUID|PATH)\w*|DM_\w+)\}|ATTRS?\{[\w/]*(?:serial|wwid|uuid|dm/name)\}).*"
)
_BY_ID = r"\b(?P<bus>(?:ata|usb|nvme|scsi|wwn|mmc|virtio)-)(?P<serial>[^\s\"']+?)(?P<part>-part\d+)?(?=[\s\"']|$)"
_ADDRESS = r"\d+(?:\.\d+){3}|[0-9A-Fa-f]{2}(?::[0-9A-Fa-f]{2}){5}"
_PIECE = re.compile(rf"{_BY_ID}|(?P<address>{_ADDRESS})|[^\W_]+")
_DEVICE = re.compile(
    r"(?:sd|hd|vd|xvd)[a-z]{0,3}\d{0,3}|nvme\d*(?:c\d+)?(?:n\d+)?(?:p\d+)?|mmcblk\d*(?:p\d+|boot\d|rpmb)?"
    r"|(?:loop|md|sr|zram|nbd|ram|pmem|bcache|dm|rbd|drbd)\d*(?:p\d+)?"
)
_USUAL = """
    ACTION add change remove KERNEL KERNELS SUBSYSTEM SUBSYSTEMS DRIVER DRIVERS ATTR ATTRS ENV DEVPATH DEVNAME
    DEVTYPE NAME TAG TAGS SYMLINK TEST CONST SYSCTL IMPORT PROGRAM RESULT RUN GOTO LABEL MAJOR MINOR DISKSEQ
    program builtin file db cmdline parent virt arch block scsi usb nvme ata mmc virtio pci disk partition end
    ID SERIAL SHORT WWN WITH EXTENSION MODEL ENC VENDOR BUS TYPE ATA ROTATION RATE RPM SCSI FS USAGE VERSION
    PATH UUID DM PART TABLE SCHEME ENTRY device model vendor type name serial wwid removable size ro capability
    devices bus drivers driver subsystem sys class scheduler adios rotational zoned iostats random sectors hw
    io poll delay cache through target priority yes no true false on off auto default keep performance
    powersave bin sbin usr lib local etc sh bash dash echo printf tee sudo if then else fi for do done in exit
    null dev run disktuner hold ExecStart ExecStartPre ExecStartPost google guest agent tuned tlp udev main
    sysfs elevator readahead include regex enabled replace drop cpuinfo uname profile profiles dirs TLP ENABLE
    DISABLE DEFAULTS DISK DEVICES IOSCHED
"""
"""udev's keys, properties and attributes; sysfs and its values; shell and services."""

_KNOWN = frozenset(_WORD.findall(" ".join((_USUAL, *SCHEDULERS, *(each.name for each in TUNABLES)))))

_LONGEST_NUMBER = 8
_SHORTEST_SECRET = 6  # shorter ones would be found in other words too


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
        """What is mounted: ``/dev/sda1`` identifies nobody; ``/dev/mapper/NAME`` and ``HOST:/PATH`` people chose."""
        if not source.startswith("/dev/"):
            return self.path(source)
        return ":".join(map(self._device, source.split(":")))

    def file_system(self, fstype: str) -> str:
        """File systems are the kernel's; what stands behind ``fuse.`` is any program."""
        kernel, dot, program = fstype.partition(".")
        return f"{kernel}.{self.text(program)}" if dot and program not in _FUSE else fstype

    def kernel(self, path: str) -> str:
        """A path with the kernel's names of devices, which identify nobody but for parts that came from elsewhere."""
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


@dataclass(slots=True)
class Settings:
    """Reduces files of settings; ``hide`` replaces a text by another of its shape, always the same.

    ``known`` are words of disks' models and of packages' profiles, which identify nobody; ``secrets`` are words
    that are replaced wherever they stand, being of serial numbers, though they may look like others.
    """

    hide: Hide
    known: set[str] = field(default_factory=set)
    secrets: set[str] = field(default_factory=set)

    def kept(self, path: str, text: str) -> str:
        """What is left of a file, each line in its place and "#" for others; empty where it is not about queues."""
        if path.endswith(".rules"):
            lines = self._rules(text)
        elif path.startswith("etc/tuned/") and path.endswith("_profile"):
            lines = [self.words(line) for line in text.splitlines()]
        else:
            lines = [self._line(path, line) for line in text.splitlines()]
        return joined(lines)

    def script(self, text: str) -> str:
        """What is left of a script that a unit starts; empty where it is not about queues."""
        kept = self.kept("script", text)
        return f"#!{kept}" if kept and text.startswith("#!") else ""

    def starts(self, line: str) -> tuple[str, str] | None:
        """The line of a unit that starts a script, as it is kept, and the script's path."""
        match = scripts.STARTS.match(line.strip())
        return None if match is None else (f"{self.words(match[1])}{self.words(match[2])}", match[2].lstrip("/"))

    def words(self, text: str) -> str:
        """A text with every word replaced that is not known, and all addresses and serial numbers."""
        return _PIECE.sub(self._piece, text)

    def names(self, group: Group, names: Collection[str], own: Collection[str]) -> dict[str, str]:
        """What files are called in a recording: names of packages' files stay, the others keep number and order."""
        found, before = {}, ""
        for rank, name in enumerate(sorted({*own, *names})):
            number = name[: len(name) - len(name.lstrip("0123456789"))]
            if name in own:
                found[name] = before = name.removesuffix(group.suffix)
            elif before and before.startswith(number):
                found[name] = f"{before}_{rank:04}"
            else:
                found[name] = f"{number}-{rank:04}"
        return {name: f"{called}{group.suffix}" for name, called in found.items()}

    def _piece(self, match: re.Match[str]) -> str:
        if match["serial"]:
            return f"{match['bus']}{self.hide(match['serial'])}{match['part'] or ''}"
        known = not match["address"] and self._is_known(match[0])
        return match[0] if known else self.hide(match[0])

    def _is_known(self, word: str) -> bool:
        if word in self.secrets and len(word) >= _SHORTEST_SECRET and word not in self.known:
            return False
        if len(word) == 1 or word in _KNOWN or _DEVICE.fullmatch(word):
            return True
        return (word.isdecimal() and len(word) <= _LONGEST_NUMBER) or (
            len(word) > 2 and any(word in known for known in self.known)
        )

    def _line(self, path: str, line: str) -> str:
        stripped = line.strip()
        if stripped.startswith(("#", ";")):
            return ""
        elevators = [f"elevator={value}" for value in scripts.ELEVATOR.findall(line)]
        if elevators:
            return " ".join(map(self.words, elevators))  # a command line reveals more of a machine than that
        if stripped.startswith("[") and "tuned" not in path:
            return ""
        return self.words(stripped) if _KEPT.search(stripped) else ""

    def _rules(self, text: str) -> list[str]:
        lines = [""] * len(text.splitlines())
        for number, line in logical_lines(text):
            lines[number - 1] = ", ".join(self._tokens(tokens_of(line)))
        sets = any("queue/" in line or "tlp-usb-udev" in line for line in lines)
        return lines if sets else []

    def _tokens(self, tokens: tuple[Token, ...]) -> Iterator[str]:
        """A rule's conditions, and of what it does only what the program looks at; nothing for a rule without that."""
        if any(_acts(token) for token in tokens):
            for token in tokens:
                if token.decides or _acts(token) or token.key == "ATTR":
                    yield self._token(token)

    def _token(self, token: Token) -> str:
        name = f"{{{self.words(token.name)}}}" if token.name else ""
        is_identity = _IDENTITY.fullmatch(f"{token.key}{{{token.name}}}")
        value = self.hide(token.value) if is_identity else self.words(token.value)
        return f'{token.key}{name}{token.operator}{token.flag}"{value}"'


def joined(lines: list[str]) -> str:
    """A file of lines in their places, which no reader may take for others; empty without any."""
    return "".join(f"{line or '#'}\n" for line in lines) if any(lines) else ""


def is_of_a_package(folder: str) -> bool:
    """Whether the names of a folder's files are those that a distribution gave them."""
    return folder.startswith(_OF_PACKAGES)


def _acts(token: Token) -> bool:
    if token.key in ("GOTO", "LABEL"):
        return True
    if token.key == "RUN":
        return "/queue/" in token.value or "tlp-usb-udev" in token.value
    return token.key == "ATTR" and not token.decides and token.name.startswith("queue/")
