# SPDX-License-Identifier: GPL-3.0-or-later
"""Who a disk is, by what udev read from it: for a rule to hold on to, and for people to recognise it."""

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from disktuner_helper import contract, errors, files

# In the order of trust: the first that is usable and that no other disk has.
KEYS = {"ID_WWN": "its WWN", "ID_SERIAL": "its serial number", "ID_PATH": "its port: any disk there gets the same"}
# What bridges, emulators and cheap controllers say for lack of a number of their own.
_PLACEHOLDERS = re.compile(r"(.)\1*|.{0,3}|deadbeef|0?123456789(0|abcdef|0abcdef|012)?|abcdef(0123456789)?")
_PREFIX = re.compile(r"^(0x|eui\.|naa\.|nvme\.|uuid\.|t10\.)+")


def properties(root: Path, disk: str) -> dict[str, str]:
    """What udev's database holds about a disk; nothing where udev does not run. (GUdev would know no other root.)"""
    with suppress(errors.HelperError):
        stored = files.read(root / "run/udev/data" / f"b{_attribute(root, disk, 'dev')}")
        lines = stored.decode("utf-8", "surrogateescape").split("\n")
        return {key: value for key, _, value in (line[2:].partition("=") for line in lines if line.startswith("E:"))}
    return {}


def everybody(root: Path) -> dict[str, dict[str, str]]:
    """The same of all whole disks of this computer."""
    return {entry.name: properties(root, entry.name) for entry in sorted((root / "sys/block").iterdir())}


def identify(root: Path, disk: str) -> tuple[str, str]:
    """The udev property (out of KEYS) by which a rule can know the disk, and its value. Raises NotUnique."""
    disks = everybody(root)
    own = disks.pop(disk, {})
    for key in KEYS:
        value = own.get(key, "")
        if _trusted(key, value, own) and all(other.get(key) != value for other in disks.values()):
            return key, value
    raise errors.NotUnique("no-identity" if own else "unknown-to-udev", disk=disk)


def title(root: Path, disk: str) -> tuple[str, str]:
    """Model and serial number as harmless text; empty where unknown."""
    own = properties(root, disk)
    model = own.get("ID_MODEL", "").replace("_", " ") or _attribute(root, disk, "device/model")
    return contract.harmless(model), contract.harmless(own.get("ID_SERIAL_SHORT") or own.get("ID_SERIAL", ""))


def details(root: Path, disks: Sequence[str]) -> Mapping[str, str]:
    """What polkit's prompt and an administrator's rules may know about the disks of a call (none: all disks)."""
    real = {name: title(root, name) for name in disks if _attribute(root, name, "dev")}
    titles = (f"{model} ({name})" if model else name for name, (model, _) in real.items())
    return {
        "disk.title": ", ".join(titles) or ("unknown" if disks else "all disks"),
        "disk.names": " ".join(disks) or "all",
        "disk.model": " ".join(model for model, _ in real.values()) if disks else "all",
        "disk.serial": " ".join(serial for _, serial in real.values()) if disks else "all",
        "disk.device": " ".join("/dev/" + name.replace("!", "/") for name in real) if disks else "all",
    }


def _attribute(root: Path, disk: str, path: str) -> str:
    if not contract.DISK_NAME.fullmatch(disk):
        return ""
    return files.read(root / f"sys/block/{disk}/{path}").decode("ascii", "replace").strip()


def _trusted(key: str, value: str, own: Mapping[str, str]) -> bool:
    short = own.get("ID_SERIAL_SHORT", value) if key == "ID_SERIAL" else value
    harmless = all(map(contract.IDENTITY.fullmatch, (value, short)))
    placeholder = key != "ID_PATH" and _PLACEHOLDERS.fullmatch(_PREFIX.sub("", short.lower()))
    return harmless and not placeholder
