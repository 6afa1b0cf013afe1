# SPDX-License-Identifier: GPL-3.0-or-later
"""What to try first, before anything was measured: a starting point with its reason and source, never a finding."""

from __future__ import annotations

from dataclasses import dataclass

from disktuner.block.disk import Disk, Kind, Suggestion

GOALS = ("desktop", "copying", "database", "media", "server")
BFQ_DOC = "the kernel's documentation of bfq"
KYBER_DOC = "the kernel's documentation of kyber"
BLOCK_DOC = "the kernel's default for such disks"
ICPE = "measurements at ICPE 2024"
FEW_REQUESTS = 2  # usb-storage passes on one request at a time, and lets one more wait (drivers/usb/storage)


@dataclass(frozen=True, slots=True)
class Situation:
    """What the suggestion rests on. ``goal`` is the id of a goal (``desktop``, …).

    ``requests`` is how many may wait (``queue/nr_requests``); None where that is not known.
    """

    kind: Kind
    tunable: bool
    zoned: str
    current: str | None
    choices: tuple[str, ...]
    requests: int | None = None
    goal: str = "desktop"


def suggestion_for(disk: Disk, goal: str) -> Suggestion | None:
    """What to try first on a disk for a goal; ``Disk.suggestion`` is that for the desktop."""
    requests = disk.tunables.get("queue/nr_requests")
    choices = (*disk.schedulers, *disk.loadable)
    known = requests if isinstance(requests, int) else None
    return suggest(Situation(disk.kind, disk.tunable, disk.zoned, disk.scheduler, choices, known, goal))


def suggest(situation: Situation) -> Suggestion | None:
    """A scheduler worth trying first that this disk can have; None where there is nothing to choose."""
    if not situation.tunable or situation.current is None:
        return None
    if situation.requests is not None and situation.requests <= FEW_REQUESTS:
        return Suggestion(situation.current, _FEW)
    for scheduler, why in _wishes(situation):
        if scheduler in situation.choices:
            return Suggestion(scheduler, f"{why} A starting point: only measuring on this disk tells.")
    return Suggestion(
        situation.current,
        "Nothing that is known of such disks speaks for a change. A starting point: only measuring tells.",
    )


def _wishes(situation: Situation) -> list[tuple[str, str]]:
    if situation.zoned == "host-managed":
        why = f"A zoned disk must be written in order, which mq-deadline has kept longest ({BLOCK_DOC})."
        return [("mq-deadline", why)]
    goal = situation.goal if situation.goal in ("database", "server", "copying") else "desktop"
    return _WISHES.get((situation.kind, goal)) or _WISHES.get((situation.kind, "any"), [])


_FEW = (
    f"Its driver lets {FEW_REQUESTS} requests wait (nr_requests; usb-storage does so), which leaves next to nothing to "
    "put in order, whatever the scheduler. A starting point: only measuring on this disk tells."
)
_NVME_NONE = (
    "none",
    f"A fast NVMe disk orders its own work, and a scheduler costs it up to 63 % of its speed ({ICPE}); "
    "try kyber or bfq only if something stutters while the disk is busy.",
)
_HDD_BFQ = (
    "bfq",
    f"On a turning disk bfq lets programs start while others write, at the price of some speed ({BFQ_DOC}).",
)
_HDD_DEADLINE = (
    "mq-deadline",
    f"A turning disk gains from sorted requests, and mq-deadline keeps the waits of databases short ({BLOCK_DOC}).",
)
_SSD_BFQ = (
    "bfq",
    f"On an SSD of moderate speed bfq keeps programs quick while files are copied ({BFQ_DOC}).",
)
_SSD_DEADLINE = (
    "mq-deadline",
    f"An SSD seeks for nothing; mq-deadline costs little and puts reads before writes ({BLOCK_DOC}).",
)
_FLASH_BFQ = (
    "bfq",
    f"Slow flash stalls for long while it writes; bfq holds the writers back for the readers ({BFQ_DOC}).",
)
_VIRTUAL = (
    "none",
    "The host orders the requests of a virtual disk already; ordering them twice seldom helps "
    "(the tuning guides of Red Hat and SUSE).",
)
_REMOTE = (
    "none",
    "The storage at the other end orders the requests of all its users; ordering them here too seldom helps "
    "(the tuning guides of Red Hat and SUSE).",
)
_ARRAY = (
    "mq-deadline",
    f"The controller orders the work of its disks itself; a light scheduler in front is enough ({BLOCK_DOC}).",
)
_LOOP = (
    "none",
    f"The disk below the file orders the work already; ordering it twice seldom helps ({BLOCK_DOC}).",
)

_WISHES: dict[tuple[Kind, str], list[tuple[str, str]]] = {
    (Kind.NVME_SSD, "any"): [_NVME_NONE],
    (Kind.HDD, "desktop"): [_HDD_BFQ, _HDD_DEADLINE],
    (Kind.HDD, "any"): [_HDD_DEADLINE],
    (Kind.USB_HDD, "any"): [_HDD_BFQ, _HDD_DEADLINE],
    (Kind.SATA_SSD, "desktop"): [_SSD_BFQ, _SSD_DEADLINE],
    (Kind.SATA_SSD, "any"): [_SSD_DEADLINE],
    (Kind.SAS_SSD, "any"): [_SSD_DEADLINE],
    (Kind.USB_SSD, "any"): [_SSD_BFQ, _SSD_DEADLINE],
    (Kind.USB_FLASH, "any"): [_FLASH_BFQ, _SSD_DEADLINE],
    (Kind.SD_CARD, "any"): [_FLASH_BFQ, _SSD_DEADLINE],
    (Kind.EMMC, "any"): [_FLASH_BFQ, _SSD_DEADLINE],
    (Kind.VIRTUAL, "any"): [_VIRTUAL],
    (Kind.NETWORK, "any"): [_REMOTE],
    (Kind.RAID, "any"): [_ARRAY],
    (Kind.LOOP, "any"): [_LOOP],
    (Kind.DEVICE_MAPPER, "any"): [_LOOP],
}
