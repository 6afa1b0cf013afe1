# SPDX-License-Identifier: GPL-3.0-or-later
"""What udev and the helper recorded about disks: their identities, and settings until the next restart."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from disktuner.block.disk import UntilRestart
from disktuner.block.sysfs import Folder, Tree, shown
from disktuner.vocabulary.messages import Message, message

HOLDS = "run/disktuner/hold"
HOLD = re.compile(r"(\d+:\d+)-(\d*)-until-restart")
_ESCAPE = re.compile(r"\\x([0-9a-fA-F]{2})")


@dataclass(frozen=True, slots=True)
class Identity:
    """Strings chosen by the device's maker, safe to print; empty if missing."""

    model: str
    vendor: str
    serial: str
    wwn: str


def udev_properties(tree: Tree, devno: str) -> Mapping[str, str]:
    """Return udev's properties of a block device; empty without udev."""
    lines = (tree.text(f"run/udev/data/b{devno}") or "").splitlines()
    pairs = (line[2:].partition("=") for line in lines if line.startswith("E:"))
    return {key: value for key, _, value in pairs}


def identify(disk: Folder, udev: Mapping[str, str]) -> Identity:
    """Return the identity in udev's database, which ``lsblk`` prefers too, or else in sysfs."""
    if not udev and not disk.has("device"):
        return Identity("", "", shown(disk.text("serial")), shown(disk.text("wwid")))  # made by software
    serial = udev.get("ID_SCSI_SERIAL") or udev.get("ID_SERIAL_SHORT") or udev.get("ID_SERIAL")
    wwn = udev.get("ID_WWN_WITH_EXTENSION") or udev.get("ID_WWN")
    model = _plain(udev.get("ID_MODEL_ENC", "")) or disk.text("device/model") or disk.text("device/name")
    return Identity(
        shown(model or udev.get("ID_MODEL", "").replace("_", " ")),
        _vendor(disk.text("device/vendor"), udev),
        shown(serial or disk.text("device/serial") or disk.text("serial")),
        shown(wwn or _world_wide(disk.text("wwid") or disk.text("device/wwid"))),
    )


def _world_wide(wwid: str | None) -> str | None:
    """Return a WWN; None for a ``t10.`` designator of vendor, model and serial number (SPC-4, 7.8.6.4)."""
    return None if wwid is None or wwid.startswith("t10.") else wwid


def _plain(encoded: str) -> str:
    """Decode udev's ``\\x20``. It has the full name of an ATA disk, of which sysfs shows 16 letters."""
    text = _ESCAPE.sub(lambda match: chr(int(match[1], 16)), encoded) if "\\x" in encoded else encoded
    return " ".join(text.split())


def _vendor(sysfs: str | None, udev: Mapping[str, str]) -> str:
    """Return the vendor; libata's "ATA" is none, nor are PCI and virtio numbers."""
    if sysfs and sysfs != "ATA" and not sysfs.startswith("0x"):
        return shown(sysfs)
    if sysfs is None:
        return shown(udev.get("ID_VENDOR", "").replace("_", " "))
    return ""


def why_not_kept(name: str, udev: Mapping[str, str]) -> Message | None:
    """Return why no rule can identify a disk: udev has neither numbers nor a port. The helper checks them further."""
    known = not udev or any(udev.get(key) for key in ("ID_WWN", "ID_SERIAL", "ID_PATH"))
    return None if known else message("refused-no-identity", disk=name)


def read_holds(tree: Tree) -> Mapping[tuple[str, int], UntilRestart]:
    """Return what was set until the next restart, by device number and diskseq (0 if the kernel has none).

    The helper keeps a file for each such disk, which suspends our rule.
    """
    holds = {}
    for name in tree.names(HOLDS):
        words = (tree.text(f"{HOLDS}/{name}") or "").split()
        if (match := HOLD.fullmatch(name)) and len(words) == 2:
            holds[match[1], int(match[2] or 0)] = UntilRestart(*words)
    return holds
