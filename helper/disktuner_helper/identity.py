# SPDX-License-Identifier: GPL-3.0-or-later
"""Who a disk is, by what udev read from it: for a rule to hold on to, and for people to recognise it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass

from disktuner_helper import files
from disktuner_helper.contract import Places, harmless, is_disk_name, is_identity
from disktuner_helper.errors import HelperError, NotUnique

# In the order of trust: the first that is usable and that no other disk has.
KEYS = {
    "ID_WWN": "its WWN",
    "ID_SERIAL": "its serial number",
    "ID_PATH": "its port only, another disk there gets the same",
}
# What bridges, emulators and cheap controllers say for lack of a number of their own.
_PLACEHOLDERS = re.compile(r"(.)\1*|.{0,3}|deadbeef|0?123456789(0|abcdef|0abcdef|012)?|abcdef(0123456789)?")
_PREFIX = re.compile(r"^(0x|eui\.|naa\.|nvme\.|uuid\.|t10\.)+")


@dataclass(frozen=True, slots=True)
class Identity:
    """A udev property and the value that only this disk has."""

    key: str
    value: str


def properties(places: Places, disk: str) -> dict[str, str]:
    """What udev's database holds about a disk; nothing where udev does not run."""
    if not is_disk_name(disk):
        return {}
    with suppress(OSError, HelperError):
        devno = (places.sys_block / disk / "dev").read_text("ascii", "replace").strip()
        stored = (files.read(places.udev_data / f"b{devno}") or b"").decode("utf-8", "surrogateescape")
        pairs = (line[2:].partition("=") for line in stored.split("\n") if line.startswith("E:"))
        return {key: value for key, _, value in pairs}
    return {}


def identify(places: Places, disk: str) -> Identity:
    """The best identity of a disk. Raises NotUnique where no rule could hold on to it."""
    own = properties(places, disk)
    others = [properties(places, name) for name in disk_names(places) if name != disk]
    for key in KEYS:
        value = own.get(key, "")
        if _trusted(key, value, own) and all(other.get(key) != value for other in others):
            return Identity(key, value)
    raise NotUnique("This disk has no identity of its own that a rule could hold on to; use it until the next restart.")


def disks_with(places: Places, identity: Identity) -> list[str]:
    """The disks here that a rule for this identity matches."""
    return [name for name in disk_names(places) if properties(places, name).get(identity.key) == identity.value]


def disk_names(places: Places) -> list[str]:
    """All whole disks of this computer."""
    with suppress(OSError):
        return sorted(entry.name for entry in places.sys_block.iterdir())
    return []


def title(places: Places, disk: str) -> tuple[str, str]:
    """Model and serial number as harmless text; empty where unknown."""
    own = properties(places, disk)
    model = own.get("ID_MODEL", "").replace("_", " ") or _attribute(places, disk, "device/model")
    serial = own.get("ID_SERIAL_SHORT", "") or own.get("ID_SERIAL", "")
    return harmless(model), harmless(serial)


def details(places: Places, disks: tuple[str, ...]) -> Mapping[str, str]:
    """What polkit's prompt and an administrator's rules may know about the disks of a call."""
    real = [name for name in disks if is_disk_name(name) and (places.sys_block / name).is_dir()]
    known = [title(places, name) for name in real]
    titles = [f"{model} ({name})" if model else name for name, (model, _) in zip(real, known, strict=True)]
    return {
        "disk.title": ", ".join(titles) or "unknown",
        "disk.names": " ".join(real),
        "disk.model": " ".join(model for model, _ in known),
        "disk.serial": " ".join(serial for _, serial in known),
        "disk.device": " ".join("/dev/" + name.replace("!", "/") for name in real),
    }


ALL_DISKS = {
    "disk.title": "all disks",
    "disk.names": "all",
    "disk.model": "all",
    "disk.serial": "all",
    "disk.device": "all",
}


def _attribute(places: Places, disk: str, path: str) -> str:
    with suppress(OSError, ValueError):
        if is_disk_name(disk):
            return (places.sys_block / disk / path).read_bytes()[:256].decode("ascii", "replace")
    return ""


def _trusted(key: str, value: str, own: Mapping[str, str]) -> bool:
    if not is_identity(value):
        return False
    if key == "ID_PATH":
        return True
    short = own.get("ID_SERIAL_SHORT", value) if key == "ID_SERIAL" else value
    bare = _PREFIX.sub("", short.lower())
    return is_identity(short) and _PLACEHOLDERS.fullmatch(bare) is None
