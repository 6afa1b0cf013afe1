# SPDX-License-Identifier: GPL-3.0-or-later
"""A disk's identity as udev read it: for rules to match, and for people to recognise it."""

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from disktuner_helper import contract, errors, files

# Most trusted first; the first that is usable and unique is taken. A path is a port: any disk there gets the same.
KEYS = ("ID_WWN", "ID_SERIAL", "ID_PATH")
# What bridges, emulators and cheap controllers report for lack of a real number.
_PLACEHOLDERS = re.compile(r"(.)\1*|.{0,3}|deadbeef|0?123456789(0|abcdef|0abcdef|012)?|abcdef(0123456789)?")
_PREFIX = re.compile(r"^(0x|eui\.|naa\.|nvme\.|uuid\.|t10\.)+")


def properties(root: Path, disk: str) -> dict[str, str]:
    """Return a disk's properties in udev's database; none if udev does not run. (GUdev knows no other root.)"""
    with suppress(errors.HelperError):
        stored = files.read(root / "run/udev/data" / f"b{_attribute(root, disk, 'dev')}")
        lines = stored.decode("utf-8", "surrogateescape").split("\n")
        return {key: value for key, _, value in (line[2:].partition("=") for line in lines if line.startswith("E:"))}
    return {}


def everybody(root: Path) -> dict[str, dict[str, str]]:
    """Return the properties of all whole disks by name."""
    return {entry.name: properties(root, entry.name) for entry in sorted((root / "sys/block").iterdir())}


def identify(root: Path, disk: str) -> tuple[str, str]:
    """Return the udev property (one of KEYS) by which a rule can match the disk, and its value. Raises NotUnique."""
    disks = everybody(root)
    record = disks.pop(disk, {})
    for key in KEYS:
        value = record.get(key, "")
        if _trusted(key, value, record) and all(other.get(key) != value for other in disks.values()):
            return key, value
    raise errors.NotUnique("no-identity" if record else "unknown-to-udev", disk=disk)


def title(root: Path, disk: str) -> tuple[str, str]:
    """Return model and serial number as harmless text; empty if unknown."""
    record = properties(root, disk)
    model = record.get("ID_MODEL", "").replace("_", " ") or _attribute(root, disk, "device/model")
    return contract.harmless(model), contract.harmless(record.get("ID_SERIAL_SHORT") or record.get("ID_SERIAL", ""))


def details(root: Path, disks: Sequence[str]) -> Mapping[str, str]:
    """Return details of a call's disks (none: all disks) for polkit's prompt and an administrator's rules."""
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


def _trusted(key: str, value: str, record: Mapping[str, str]) -> bool:
    short = record.get("ID_SERIAL_SHORT", value) if key == "ID_SERIAL" else value
    harmless = all(map(contract.IDENTITY.fullmatch, (value, short)))
    placeholder = key != "ID_PATH" and _PLACEHOLDERS.fullmatch(_PREFIX.sub("", short.lower()))
    return harmless and not placeholder
