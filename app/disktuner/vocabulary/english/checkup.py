# SPDX-License-Identifier: GPL-3.0-or-later
"""The sentences of a check-up: what is set, what the kernel would choose, who set it, why that slows a disk."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

_Texts: TypeAlias = Mapping[str, str | tuple[str, str]]

_CHECKS: _Texts = {
    "check-read-ahead-huge": "Read-ahead is {value} KiB.",
    "check-read-ahead-huge-why": "That is far above the usual 128 KiB: a program that reads here and there makes the "
    "disk read {value} KiB around each place.",
    "check-read-ahead-huge-cost": "Scattered reads of mapped files (databases, programs that start) become many times "
    "slower, and what is read in vain pushes other data out of memory.",
    "check-read-ahead-off": "Read-ahead is off (0 KiB).",
    "check-read-ahead-off-why": "Nothing is fetched before a program asks for it.",
    "check-read-ahead-off-cost": "Reading a file from beginning to end waits for the disk at every step, often at a "
    "fraction of its speed.",
    "check-flash-said-to-rotate": "The kernel takes it for a rotating disk (rotational is 1).",
    "check-flash-said-to-rotate-why": "It is flash, which has no head to move.",
    "check-flash-said-to-rotate-cost": "Background writes may delay reads by 75 ms instead of 2 ms, bfq waits for "
    "requests nearby, and kernels from 6.17 on read far too much ahead.",
    "check-rotation-not-told": "The kernel takes it for flash (rotational is 0).",
    "check-rotation-not-told-why": "It reports {rpm} rpm.",
    "check-rotation-not-told-cost": "Background writes are held back for a latency that a rotating disk cannot "
    "reach, bfq saves it no seeks, and file systems place data as on an SSD.",
    "check-few-requests": (
        "Only {count} request may wait (nr_requests).",
        "Only {count} requests may wait (nr_requests).",
    ),
    "check-few-requests-why": "So few leave the scheduler hardly anything to put in order, and keep the disk's own "
    "queue of {depth} from filling.",
    "check-few-requests-cost": "Programs that use the disk at once wait for a place, and throughput falls.",
    "check-many-requests": (
        "{count} request may wait (nr_requests).",
        "{count} requests may wait (nr_requests).",
    ),
    "check-many-requests-why": "That is many times what the kernel allows such a disk.",
    "check-many-requests-cost": "A large copy can fill the queue, and each read then waits behind it.",
    "check-no-command-queue": "It takes one command at a time (queue_depth is 1).",
    "check-no-command-queue-why": "Its controller can queue 32 (NCQ), as nearly every disk of the last fifteen years "
    "can.",
    "check-no-command-queue-cost": "The disk cannot put scattered requests in order itself; an SSD does a fraction of "
    "what it could.",
    "check-uas-off": "It is driven by usb-storage, one command at a time.",
    "check-uas-off-why": "A setting keeps the faster UAS driver from it.",
    "check-no-command-queue-do": "Where the kernel command line says so, take that option out and restart. Else this "
    "command switches it on until the next restart:",
    "check-uas-off-do": "With a backup at hand, take this disk's numbers out of usb-storage.quirks on the kernel "
    "command line and restart.",
    "check-uas-off-cost": "Scattered reads and writes wait for each other; an SSD loses most of its advantage. UAS is "
    "switched off for bridges that fail with it: try it only with a backup.",
    "check-throttling-off": "Writeback throttling is off (wbt_lat_usec is 0).",
    "check-throttling-off-why": "Background writes may fill the disk's queue, and no scheduler here limits "
    "them for the sake of reads as bfq does.",
    "check-throttling-off-cost": "Programs stutter while files are saved or copied; large writes alone may be faster.",
    "check-throttling-odd": "Writeback throttling aims at {value} µs (wbt_lat_usec).",
    "check-throttling-odd-why": "That is not a latency that such a disk is meant to keep.",
    "check-throttling-odd-cost": "Far too low a target throttles all background writes, far too high a one none.",
    "check-merges-off": "Requests are not merged (nomerges is {value}).",
    "check-merges-off-why": "Neighbouring requests go to the disk one by one.",
    "check-merges-off-cost": "Reading and writing in small pieces takes more commands and CPU time.",
    "check-write-cache-off": "Its write cache is off.",
    "check-write-cache-off-why": "The disk has one, and the kernel flushes it wherever data must be safe.",
    "check-write-cache-off-cost": "Every write waits for the medium: hard disks write several times slower, SSDs also "
    "wear faster.",
    "check-write-cache-off-do": "This command switches it on until the disk loses power; write_cache = on in "
    "/etc/hdparm.conf keeps it on:",
    "check-write-cache-denied": "The kernel was told that there is no write cache (queue/write_cache is “write "
    "through”).",
    "check-write-cache-denied-why": "The disk says that it has one, and so nothing is flushed where a program asks for "
    "it.",
    "check-write-cache-denied-cost": "A power failure can lose data that was reported safe, and damage the file "
    "system.",
    "check-write-cache-claimed": "The kernel was told that there is a write cache (queue/write_cache is “write back”).",
    "check-write-cache-claimed-why": "The disk says that it has none, so it is flushed in vain.",
    "check-write-cache-claimed-cost": "Databases and other programs that save safely wait longer each time.",
    "check-set-back": "{setting} was set to {chosen!s} for good with Disktuner, and does not stay so. {when}",
    "check-set-back-why": "{place} sets it to {other!s} after Disktuner's own rule.",
    "check-set-back-cost": "The disk works with what nobody chose, and what was measured says nothing about it.",
    "check-much-unwritten": "Up to {waiting:bytes} may wait in memory to be written to it ({limit} is {value:count}).",
    "check-much-unwritten-why": "A disk that keeps up {rate:rate} needs {needed:duration} for that.",
    "check-much-unwritten-cost": "A copy seems to have ended long before it has: removing the disk safely takes that "
    "long, and who pulls it out before loses data.",
    "check-much-unwritten-do": "Disktuner limits what waits for this disk, where the kernel can (Linux 6.2). This "
    "command limits what waits for all disks until the next restart, which Disktuner never does:",
    "check-no-scheduler": "It has no scheduler (“none”).",
    "check-no-scheduler-why": "A hard disk with one queue gains from sorted requests, and from reads that go first.",
    "check-no-scheduler-cost": "Several programs at once make the head jump; reads can wait for seconds behind writes.",
    "check-partition-misaligned": "Misaligned: {partitions:list}.",
    "check-partition-misaligned-why": "The disk works in blocks of {physical} bytes and imitates ones of {logical}: "
    "the partitions do not begin at the edge of a block.",
    "check-partition-misaligned-cost": "Many writes make the disk read a block, change part of it and write it back: "
    "on a hard disk that takes a whole turn.",
    "check-partition-misaligned-do": "Save the data, make the partitions anew from a whole MiB on, as every current "
    "partitioning program does by itself, and put the data back.",
    "check-zoned-unordered": "A zoned disk, which must be written in order, has the scheduler {value:scheduler}.",
    "check-zoned-unordered-why": "Before Linux 6.10 only mq-deadline keeps the order of its writes.",
    "check-zoned-unordered-cost": "Writes fail whenever two of them overtake each other.",
    "check-discard-at-once": "{path} is mounted with “discard”.",
    "check-discard-at-once-why": "Every deletion tells the disk at once which blocks are free. {timer}",
    "check-discard-at-once-cost": "Deleting many files stalls other work on disks that take such a command only alone; "
    "once a week for all free blocks (fstrim.timer) does as well.",
    "check-discard-at-once-do": "Take “discard” out of this mount's options, mostly in /etc/fstab. These commands do "
    "it until the next restart, and tell the disk once a week instead:",
    "check-pcie-link-slow": "Its PCIe link runs at {speed:digits} GT/s ×{lanes}.",
    "check-pcie-link-slow-why": "Disk and slot can do {best_speed:digits} GT/s ×{best_lanes}.",
    "check-pcie-link-slow-cost": "Large transfers reach {share:percent} of the speed at most. Look at how it is "
    "seated, at a riser or adapter, and at the firmware's settings.",
    "check-sata-link-slow": "Its SATA link runs at {speed:digits} Gb/s.",
    "check-sata-link-slow-why": "Disk and port can do {best_speed:digits} Gb/s.",
    "check-sata-link-slow-cost": "Large transfers reach {share:percent} of the speed at most. The kernel lowers it "
    "after errors: try another cable or port.",
    "check-usb-link-slow": "It is connected at {speed:digits} Mb/s.",
    "check-usb-link-slow-why": "The disk can do {best_speed:digits} Mb/s.",
    "check-usb-link-slow-cost": "Large transfers reach {share:percent} of the speed at most. Try another port, another "
    "cable, and no hub between.",
    "check-media-errors": ("It reports {count} bad sector.", "It reports {count} bad sectors."),
    "check-media-errors-why": "Sectors that cannot be read, or were replaced, often become more.",
    "check-media-errors-cost": "Reading near them takes seconds, and data can be lost. Check the backup now.",
    "check-disk-failing": "It says of itself that it is failing ({warnings:list}).",
    "check-disk-failing-why": "That is the disk's own verdict (SMART).",
    "check-disk-failing-cost": "It may stop at any time. Save the data and replace it.",
    "check-worn-out": "{used:percent} of its write endurance is used up.",
    "check-worn-out-why": "That is the chip's own estimate, as an upper bound.",
    "check-worn-out-cost": "Worn flash becomes slow and in the end read-only. Plan to replace it.",
}

_RULES: _Texts = {
    "rule-read-ahead-default": "The kernel reads 128 KiB ahead.",
    "rule-read-ahead-optimal": "Since Linux 5.10, the kernel reads ahead twice the optimal I/O size that the disk "
    "reports, here {kernel} KiB.",
    "rule-read-ahead-rotational": "Since Linux 6.17, the kernel reads ahead twice the largest request where a disk "
    "rotates and reports no optimal I/O size, here {kernel} KiB.",
    "rule-rotational": "The kernel believes what the disk reports of its rotation, and takes one that reports nothing "
    "for rotating.",
    "rule-requests": "With a scheduler, the kernel lets twice the queue of the hardware wait, 256 at most, here "
    "{kernel}.",
    "rule-requests-none": "Without a scheduler, the kernel lets as many wait as the hardware queues, here {kernel}.",
    "rule-command-queue": "The kernel uses up to 32 commands at once where disk and controller can.",
    "rule-uas": "The kernel prefers UAS where disk and port offer it.",
    "rule-throttling": "Since Linux 4.10, the kernel aims at {kernel} µs for such a disk (2,000 for flash, 75,000 for "
    "rotating ones).",
    "rule-merges": "The kernel merges requests (0).",
    "rule-write-cache": "The kernel believes what the disk reports of its cache.",
    "rule-write-back": "The kernel lets 20 % of the free memory wait, for all disks together and for any one of them.",
    "rule-scheduler": "Since Linux 5.0, the kernel gives mq-deadline to disks with one queue.",
    "rule-scheduler-zoned": "The kernel gives mq-deadline to such disks.",
    "rule-partition": "The kernel takes a partition where the table puts it.",
    "rule-discard": "Without the option, the kernel tells a disk nothing of deleted files.",
    "rule-pcie-link": "Disk and slot agree on the fastest that both can.",
    "rule-sata-link": "Disk and port agree on the fastest that both can; the kernel lowers it after errors.",
    "rule-usb-link": "Disk and port agree on the fastest that both can.",
}

_ORIGINS: _Texts = {
    "set-by-kernel": "Linux {version} chose it itself.",
    "set-by-disk": "The disk or its bridge reports it so.",
    "set-by-line": "{place} ({who:named}) sets it.",
    "set-by-line-perhaps": "{place} ({who:named}) may have set it.",
    "set-by-command-line": "The kernel command line sets it ({option}).",
    "set-by-hand": "Somebody set it by hand, or a program that left no trace.",
    "set-by-disktuner": "Disktuner's own rule sets it.",
    "set-by-partitioning": "The partition table was written so.",
    "set-by-mount": "Somebody mounted it so by hand, or a program that left no trace.",
    "set-by-link": "Disk and port agreed on it; the cable, the port or a hub may be why.",
    "set-by-lowering": "The kernel allows no more than {speed:digits} Gb/s, after errors or because the firmware "
    "says so.",
    "set-by-quirk": "The kernel's list of disks that fail with it, the disk itself, or somebody by hand.",
    "set-by-wear": "What was written so far.",
}

_MENDINGS: _Texts = {
    "mend-tuned": "By a profile of TuneD, {profile}, that includes {parent} and leaves this disk to Disktuner. Whoever "
    "chooses another profile later, chooses its scheduler, too.",
    "mend-tlp-line": "By hand: write “keep” for this disk into {place}, and run tlp start.",
    "mend-rule-after": "By a link, {link}, that has Disktuner's rule read once more after {file}. The last word "
    "counts.",
    "mend-unit": "By no longer starting {unit}, which does nothing else.",
    "mend-by-hand": "By hand: take out what {place} ({who:named}) says of this disk, or leave this disk out there.",
}

TEXTS: _Texts = {
    **_CHECKS,
    **_RULES,
    **_ORIGINS,
    "set-back-now": "It is {value!s} now.",
    "set-back-at-start": "It is set back at the next start.",
    **_MENDINGS,
    "timer-too": "Here fstrim.timer does the same once a week, too.",
    "timer-not": "Here fstrim.timer is not switched on; enable it in exchange.",
    # disktuner check
    "help-check": "look for what slows the disks, and who set it",
    "help-check-disk": "only this disk (default: all)",
    "checkup-severity-note": "Note",
    "checkup-severity-caution": "Caution",
    "checkup-severity-bad": "Bad",
    "checkup-heading": ("{disk}: {count} thing to look at", "{disk}: {count} things to look at"),
    "checkup-what": "{severity}: {what}",
    "checkup-set-by": "Set by: {set_by}",
    "checkup-kernel": "Kernel: {kernel}",
    "checkup-why": "Why: {why}",
    "checkup-cost": "Cost: {cost}",
    "checkup-measure": "To measure it:",
    "checkup-by-hand": "To do: {what}",
    "by-hand-until-restart": "This command sets it until the next restart:",
    "checkup-mend": "To end it where it is set: {what}",
    "checkup-mend-commands": "To do it:",
    "checkup-mend-undo": "To take it back:",
    "checkup-source": "Source: {source}.",
    "checkup-sources": "Sources: {source}; {rule}.",
    "checkup-fine": ("{count} disk checked: nothing to look at.", "{count} disks checked: nothing to look at."),
    "checkup-nothing": "No disk here can be checked.",
    "checkup-not-this": "{disk} is not looked at: it lies in memory or in a file, passes its requests on to several "
    "disks, or has no medium. Check the disks below it, if there are any.",
    "checkup-rest-fine": "Nothing to look at: {disks:list}.",
    "health-not-read": "What disks say of their own health was not looked at: udisks does not run here.",
}
