# SPDX-License-Identifier: GPL-3.0-or-later
"""A disk as the kernel describes it, the central value of all floors, and its JSON form."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from disktuner.vocabulary import kinds
from disktuner.vocabulary.kinds import Kind
from disktuner.vocabulary.messages import Message, named, say
from disktuner.vocabulary.schedulers import compiled_out
from disktuner.vocabulary.tunables import WRITE_LIMIT

MAY_HANG = "zoned-may-hang"
"""Why a zoned disk is not tunable: changing its queue during writes may hang."""

_IDENTITY = ("wwn", "serial", "vendor", "model", "size_bytes")


def kernel_name(given: str) -> str:
    """Return the kernel's name of a disk for what a person types: ``/dev/sda`` or ``sda``.

    sysfs and the helper write ``!`` for a slash in a name (``cciss!c0d0`` is ``/dev/cciss/c0d0``).
    """
    return given.removeprefix("/dev/").replace("/", "!")


def udev_name(name: str) -> str:
    """Return a disk's name as udev's rules know it (``KERNEL``)."""
    return name.replace("!", "/")


def device_node(name: str) -> str:
    """Return the path of a disk's device node."""
    return f"/dev/{udev_name(name)}"


class Transport(StrEnum):
    """How a disk is attached."""

    NVME = "nvme"
    SATA = "sata"
    SAS = "sas"
    SCSI = "scsi"
    USB = "usb"
    MMC = "mmc"
    VIRTIO = "virtio"
    XEN = "xen"
    LOOP = "loop"
    NONE = "none"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Mount:
    """A mounted file system whose data is, wholly or partly, on a disk.

    ``via`` are the block devices between the file system and the disk, top first (``("dm-0", "sda2")``).
    """

    path: str
    fstype: str
    source: str
    via: tuple[str, ...]
    size_bytes: int
    free_bytes: int
    options: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PersistentChoice:
    """What Disktuner's rule in ``file`` sets at every start, for the disk whose udev property ``key`` is ``value``."""

    scheduler: str
    tunables: Mapping[str, str | int]
    key: str = ""
    value: str = ""
    file: str = ""

    @property
    def by_port(self) -> bool:
        """Whether it identifies the disk only by its port, so that any disk plugged in there gets the same."""
        return self.key == "ID_PATH"

    def is_for(self, udev: Mapping[str, str]) -> bool:
        """Whether it is for the disk with these properties."""
        return udev.get(self.key) == self.value


@dataclass(frozen=True, slots=True)
class UntilRestart:
    """A scheduler set with Disktuner until the next restart; ``since`` is UTC, ISO 8601."""

    scheduler: str
    since: str


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A starting point before anything was measured, never a finding.

    ``limit`` suggests a limit to what may wait in memory for the disk, if any.
    """

    scheduler: str
    why: Message
    limit: Message | None = None


@dataclass(frozen=True, slots=True)
class Disk:
    """One block device with its own queue (a whole disk, never a partition).

    ``devno`` is empty for the hidden paths of an NVMe disk, which have no device node. ``scheduler`` is None if the
    kernel offers no choice; ``schedulers`` are those it offers now, ``loadable`` those whose module it would load
    first. ``why_not`` says why a disk is not ``tunable``, ``why_not_kept`` why no choice can outlast a restart,
    ``kind_doubt`` why ``kind_certain`` is false. Tunables are named ``queue/NAME``, ``bdi/NAME``, ``device/NAME`` and
    ``iosched/NAME``, with integers as values, or the kernel's text if it is no integer. ``below`` are the disks to
    which a stacked device (device-mapper, md, NVMe multipath) passes its requests; ``alias`` is another name: a
    device-mapper name, or the file behind a loop disk. ``actuators`` move independently, each over its own range.
    ``queue_limit`` is how many commands the disk says that it takes at once, 0 if it does not say. ``is_declared``: the
    system generates its rules from its configuration (NixOS), so that none can be added by hand.
    """

    name: str
    devno: str
    diskseq: int
    model: str
    vendor: str
    serial: str
    wwn: str
    size_bytes: int
    kind: Kind
    transport: Transport
    rotational: bool
    kind_certain: bool
    removable: bool
    zoned: str
    scheduler: str | None
    schedulers: tuple[str, ...]
    loadable: tuple[str, ...]
    tunable: bool
    why_not: Message | None
    tunables: Mapping[str, int | str] = field(default_factory=dict)
    mounts: tuple[Mount, ...] = ()
    persistent: PersistentChoice | None = None
    suggestion: Suggestion | None = None
    kind_doubt: Message | None = None
    below: tuple[str, ...] = ()
    alias: str = ""
    until_restart: UntilRestart | None = None
    actuators: int = 1
    queue_limit: int = 0
    is_declared: bool = False
    why_not_kept: Message | None = None

    @property
    def title(self) -> str:
        """Vendor and model, or else its kind, with the kernel's name."""
        known = " ".join(part for part in (self.vendor, self.model) if part)
        return f"{known or named(self.kind.name)} ({self.name})"

    @property
    def may_hang(self) -> bool:
        """Whether it is tuned only on request, as changing its queue may hang."""
        return self.why_not is not None and self.why_not.id == MAY_HANG

    @property
    def can_be_unplugged(self) -> bool:
        """Whether people unplug it from a running machine: a stick, a card, a USB disk, but not an optical drive."""
        pulled = self.removable or self.transport == Transport.USB or self.kind == kinds.SD_CARD
        return pulled and self.kind != kinds.OPTICAL

    def is_same_as(self, other: Disk) -> bool:
        """Whether both describe the same device, as a name may belong to another one by now.

        The kernel counts attached disks (``diskseq``, since Linux 5.15); a disk that was unplugged and plugged in again
        has another number, and is recognised by its WWN or serial number.
        """
        if self.diskseq and self.diskseq == other.diskseq:
            return True
        known = bool(self.wwn or self.serial) or not (self.diskseq or other.diskseq)
        return known and all(getattr(self, name) == getattr(other, name) for name in _IDENTITY)

    def is_described_by(self, form: Mapping[str, Any]) -> bool:
        """Whether ``form`` (by ``disk_to_json``) describes this device, by its WWN or serial number."""
        return bool(self.wwn or self.serial) and all(getattr(self, name) == form.get(name) for name in _IDENTITY)

    def may_be(self, form: Mapping[str, Any]) -> bool:
        """Whether ``form`` describes this device, or one without identity of the same name, model and size.

        Virtual disks often have neither a WWN nor a serial number.
        """
        is_anonymous = not any((self.wwn, self.serial, form.get("wwn"), form.get("serial")))
        alike = all(getattr(self, name) == form.get(name) for name in ("name", "model", "vendor", "size_bytes"))
        return self.is_described_by(form) or (is_anonymous and alike)

    @property
    def compiled_out(self) -> tuple[str, ...]:
        """Linux's own schedulers that this kernel lacks, built in or as a module.

        None for a zoned disk: before Linux 6.10 it is offered only those that can serve it (``elevator_match()``).
        """
        is_told = self.scheduler is not None and self.zoned == "none"
        return compiled_out(self.schedulers, self.loadable) if is_told else ()


def full_name(fact: Callable[[str], object]) -> str:
    """Return a disk's name in results and their list, from a function that returns its facts; may be empty."""
    return " ".join(str(known) for name in ("vendor", "model", "name") if (known := fact(name)))


def disk_to_json(disk: Disk) -> dict[str, Any]:
    """Return a disk as ``disktuner list --json`` prints it and result files keep it."""
    form = _fields_of(disk)
    form["kind"] = disk.kind.id
    form["transport"] = disk.transport.value
    form["tunables"] = dict(disk.tunables)
    form["mounts"] = [_fields_of(mount) for mount in disk.mounts]
    if (kept := disk.persistent) is not None:
        form["persistent"] = {"scheduler": kept.scheduler, "tunables": dict(kept.tunables), "by_port": kept.by_port}
    if (until := disk.until_restart) is not None:
        form["until_restart"] = _fields_of(until)
    if (first := disk.suggestion) is not None:
        form["suggestion"] = {
            "scheduler": first.scheduler,
            "why": say(first.why),
            "tunables": dict(WRITE_LIMIT) if first.limit else {},
            "tunables_why": say(first.limit) if first.limit else None,
        }
    for name in ("why_not", "why_not_kept", "kind_doubt"):
        form[name] = None if form[name] is None else say(form[name])
    form["compiled_out"] = list(disk.compiled_out)
    return form


def _fields_of(value: Disk | Mount | UntilRestart) -> dict[str, Any]:
    fields = ((field.name, getattr(value, field.name)) for field in dataclasses.fields(value))
    return {name: list(field) if isinstance(field, tuple) else field for name, field in fields}
