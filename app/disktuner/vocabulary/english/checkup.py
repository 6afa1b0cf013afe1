# SPDX-License-Identifier: GPL-3.0-or-later
"""The sentences of a check-up: what is set, what the kernel would choose, who set it, why that slows a disk."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

_Texts: TypeAlias = Mapping[str, str | tuple[str, str]]

_CHECKS: _Texts = {
    "check-read-ahead-huge": "Read-ahead is {value} KiB.",
    "check-read-ahead-huge-why": "This is far above the usual 128 KiB: each scattered read makes the disk read {value} "
    "KiB.",
    "check-read-ahead-huge-cost": "Scattered reads of mapped files (databases, programs that start) become many times "
    "slower, and unneeded data pushes other data out of memory.",
    "check-read-ahead-off": "Read-ahead is off (0 KiB).",
    "check-read-ahead-off-why": "Data is only read when a program asks for it.",
    "check-read-ahead-off-cost": "Sequential reads wait for the disk at every step, often at a fraction of its speed.",
    "check-flash-said-to-rotate": "The kernel treats it as a rotating disk (rotational is 1).",
    "check-flash-said-to-rotate-why": "It is flash, which does not rotate.",
    "check-flash-said-to-rotate-cost": "Background writes may delay reads by 75 ms instead of 2 ms, bfq waits for "
    "nearby requests, and kernels from 6.17 on read far too much ahead.",
    "check-rotation-not-told": "The kernel treats it as flash (rotational is 0).",
    "check-rotation-not-told-why": "It reports {rpm} rpm.",
    "check-rotation-not-told-cost": "Background writes are throttled for a latency that a rotating disk cannot reach, "
    "bfq does not avoid seeks, and file systems place data as on an SSD.",
    "check-few-requests": (
        "Its queue holds only {count} request (nr_requests).",
        "Its queue holds only {count} requests (nr_requests).",
    ),
    "check-few-requests-why": "This leaves the scheduler little to sort, and does not fill the disk's own queue of "
    "{depth}.",
    "check-few-requests-cost": "Programs that use the disk at the same time wait for a free slot, and throughput "
    "falls.",
    "check-many-requests": (
        "Its queue holds {count} request (nr_requests).",
        "Its queue holds {count} requests (nr_requests).",
    ),
    "check-many-requests-why": "This is many times the kernel's value for such a disk.",
    "check-many-requests-cost": "A large copy can fill the queue, and every read then waits behind it.",
    "check-no-command-queue": "It takes one command at a time (queue_depth is 1).",
    "check-no-command-queue-why": "Its controller can queue 32 (NCQ), and so can nearly every disk of the last fifteen "
    "years.",
    "check-no-command-queue-cost": "The disk cannot sort scattered requests itself; an SSD reaches a fraction of its "
    "speed.",
    "check-command-queue-limited": (
        "A configuration line limits it to {count} command at a time (queue_depth).",
        "A configuration line limits it to {count} commands at a time (queue_depth).",
    ),
    "check-command-queue-limited-why": "This may be deliberate: some hard disks prefer sequential requests in their "
    "own queue and leave scattered reads waiting for seconds. It makes other disks slower.",
    "check-command-queue-limited-cost": "A disk that does not need the limit serves scattered reads more slowly, as it "
    "has less to sort; an SSD becomes many times slower. Measure both before you change the line.",
    "check-uas-off": "It uses usb-storage, one command at a time.",
    "check-uas-off-why": "A setting disables the faster UAS driver for it.",
    "check-no-command-queue-do": "If an option on the kernel command line does this, remove it and restart. Otherwise "
    "this command enables the queue until the next restart:",
    "check-uas-off-do": "Back up the data, remove this disk's ids from usb-storage.quirks on the kernel command line, "
    "and restart.",
    "check-uas-off-cost": "Scattered reads and writes wait for each other; an SSD loses most of its advantage. UAS is "
    "disabled for bridges that fail with it, so have a backup before you try it.",
    "check-throttling-off": "Writeback throttling is off (wbt_lat_usec is 0).",
    "check-throttling-off-why": "Background writes may fill the disk's queue, and the current scheduler, unlike bfq, "
    "does not hold them back for reads.",
    "check-throttling-off-cost": "Programs stutter while files are saved or copied; large writes alone may be faster.",
    "check-throttling-odd": "Writeback throttling has a target of {value} µs (wbt_lat_usec).",
    "check-throttling-odd-why": "This is not a sensible latency for such a disk.",
    "check-throttling-odd-cost": "A target that is far too low throttles all background writes; one that is far too "
    "high throttles none.",
    "check-merges-off": "Requests are not merged (nomerges is {value}).",
    "check-merges-off-why": "Adjacent requests are sent to the disk one by one.",
    "check-merges-off-cost": "Small reads and writes need more commands and more CPU time.",
    "check-write-cache-off": "Its write cache is off.",
    "check-write-cache-off-why": "The disk has one, and the kernel flushes it whenever data must be safe.",
    "check-write-cache-off-cost": "Every write waits for the medium: hard disks write several times slower, and SSDs "
    "also wear faster.",
    "check-write-cache-off-do": "This command enables it until the disk loses power; write_cache = on in "
    "/etc/hdparm.conf makes that permanent:",
    "check-write-cache-denied": "The kernel assumes no write cache (queue/write_cache is “write through”).",
    "check-write-cache-denied-why": "The disk reports that it has one, but the kernel does not flush it, even when a "
    "program asks.",
    "check-write-cache-denied-cost": "A power failure can lose data that was reported as saved, and damage the file "
    "system.",
    "check-write-cache-claimed": "The kernel assumes a write cache (queue/write_cache is “write back”).",
    "check-write-cache-claimed-why": "The disk reports that it has none, so flushes are wasted.",
    "check-write-cache-claimed-cost": "Databases and other programs that save safely wait longer each time.",
    "check-set-back": "{setting} was permanently set to {chosen!s} with Disktuner, but is overridden. {when}",
    "check-set-back-why": "{place} sets it to {other!s} after Disktuner's rule.",
    "check-set-back-cost": "The disk uses a setting that you did not choose, and your measurements do not apply to it.",
    "check-much-unwritten": "Up to {waiting:bytes} may wait in memory to be written to it ({limit} is {value:count}).",
    "check-much-unwritten-why": "At {rate:rate}, writing that takes {needed:duration}.",
    "check-much-unwritten-cost": "A copy seems done long before it is: safe removal takes that long, and unplugging "
    "earlier loses data.",
    "check-much-unwritten-do": "From Linux 6.2 on, Disktuner can limit this disk alone. This command limits all disks "
    "until the next restart:",
    "check-weight-ignored": "A unit has the weight {value:count} (IOWeight), which has no effect on this disk.",
    "check-weight-ignored-why": "Of the schedulers, only bfq shares a disk by weight; {scheduler:scheduler} does "
    "not, and the kernel's cost model (io.cost) is off for it.",
    "check-weight-ignored-cost": "The unit gets as much of the disk as any other, whatever its weight.",
    "check-weight-ignored-do": "Measure bfq, and use it if it is good enough here; or enable the cost model "
    "(io.cost.qos, see iocost of systemd); or remove the line.",
    "check-no-scheduler": "It has no scheduler (“none”).",
    "check-no-scheduler-why": "A hard disk gains from sorted requests and from prioritised reads.",
    "check-no-scheduler-cost": "Several programs at once make the head jump; reads can wait for seconds behind writes.",
    "check-partition-misaligned": "Misaligned: {partitions:list}.",
    "check-partition-misaligned-why": "The disk works in blocks of {physical} bytes and emulates blocks of {logical}: "
    "the partitions do not start on a block boundary.",
    "check-partition-misaligned-cost": "Many writes make the disk read a block, change part of it and write it back, "
    "which takes a hard disk a full rotation.",
    "check-partition-misaligned-do": "Back up the data, create the partitions again on whole MiB boundaries, as "
    "current partitioning programs do by default, and restore the data.",
    "check-zoned-unordered": "This zoned disk must be written in order, but has the scheduler {value:scheduler}.",
    "check-zoned-unordered-why": "Before Linux 6.10, only mq-deadline keeps writes in order.",
    "check-zoned-unordered-cost": "Writes fail whenever one overtakes another.",
    "check-discard-at-once": "{path} is mounted with “discard”.",
    "check-discard-at-once-why": "Each deletion immediately tells the disk which blocks are free. {timer}",
    "check-discard-at-once-cost": "Deleting many files stalls other work on disks that cannot queue such commands; a "
    "weekly fstrim.timer is enough.",
    "check-discard-at-once-do": "Remove “discard” from the options of this mount, usually in /etc/fstab. These "
    "commands disable it until the next restart and enable the weekly timer:",
    "check-pcie-link-slow": "Its PCIe link runs at {speed:digits} GT/s ×{lanes}.",
    "check-pcie-link-slow-why": "Disk and slot support {best_speed:digits} GT/s ×{best_lanes}.",
    "check-pcie-link-slow-cost": "Large transfers reach at most {share:percent} of the possible speed. Check the "
    "seating, any riser or adapter, and the firmware settings.",
    "check-sata-link-slow": "Its SATA link runs at {speed:digits} Gb/s.",
    "check-sata-link-slow-why": "Disk and port support {best_speed:digits} Gb/s.",
    "check-sata-link-slow-cost": "Large transfers reach at most {share:percent} of the possible speed. The kernel "
    "lowers it after errors: try another cable or port.",
    "check-usb-link-slow": "It is connected at {speed:digits} Mb/s.",
    "check-usb-link-slow-why": "The disk supports {best_speed:digits} Mb/s.",
    "check-usb-link-slow-cost": "Large transfers reach at most {share:percent} of the possible speed. Try another port "
    "or cable, without a hub.",
    "check-card-queue-stuck": (
        "Its command queue had to recover {count} time since the start.",
        "Its command queue had to recover {count} times since the start.",
    ),
    "check-card-queue-stuck-why": "The card did not answer in time, so the kernel emptied the queue and began anew.",
    "check-card-queue-stuck-cost": "Everything on the card freezes for seconds each time. No scheduler fixes that.",
    "check-card-queue-stuck-do": "On a Raspberry Pi, add dtparam=sd_cqe=0 to config.txt and restart; elsewhere, use "
    "another card. The problem is fixed when “running CQE recovery” no longer appears in the kernel log.",
    "check-card-queue-unused": "It is an A2 card, but is used without its command queue.",
    "check-card-queue-unused-why": "Class A2 is only promised with the command queue, which this kernel or card reader "
    "does not use.",
    "check-card-queue-unused-cost": "Scattered reads may be no faster than those of an A1 card. No scheduler changes "
    "that. Compare with an A1 card before you buy another A2 one.",
    "check-uas-resets": (
        "It was reset {count} time since the start, because it did not answer (UAS).",
        "It was reset {count} times since the start, because it did not answer (UAS).",
    ),
    "check-uas-resets-why": "The bridge, its cable or its power supply fails under load.",
    "check-uas-resets-cost": "Everything on the disk freezes for half a minute each time. No scheduler fixes that.",
    "check-uas-resets-do": "Try another port, cable or power supply first. If that does not help, "
    "usb-storage.quirks={ids}:u on the kernel command line disables UAS for it after a restart. The problem is fixed "
    "when the kernel log shows no more resets.",
    "check-retries-outlast-timeout": "The kernel waits {seconds} s for its answers (device/timeout).",
    "check-retries-outlast-timeout-why": "It is part of an array and cannot be told to give up a bad sector early (no "
    "error recovery control), so it may retry for up to two minutes.",
    "check-retries-outlast-timeout-cost": "While it retries, everything freezes, and one bad sector can get the whole "
    "disk thrown out of the array. No scheduler changes that.",
    "check-media-errors": ("It reports {count} bad sector.", "It reports {count} bad sectors."),
    "check-media-errors-why": "Once some sectors are unreadable or replaced, others often follow.",
    "check-media-errors-cost": "Reads near them take seconds, and data can be lost. Check your backup now.",
    "check-disk-failing": "It reports that it is failing ({warnings:list}).",
    "check-disk-failing-why": "This is the disk's own assessment (SMART).",
    "check-disk-failing-cost": "It may stop working at any time. Save the data and replace it.",
    "check-worn-out": "{used:percent} of its write endurance is used up.",
    "check-worn-out-why": "This is the chip's own estimate, an upper bound.",
    "check-worn-out-cost": "Worn flash becomes slow and finally read-only. Plan to replace it.",
}

_RULES: _Texts = {
    "rule-read-ahead-default": "The kernel reads 128 KiB ahead.",
    "rule-read-ahead-optimal": "Since Linux 5.10, the kernel reads ahead twice the optimal I/O size reported by the "
    "disk, here {kernel} KiB.",
    "rule-read-ahead-rotational": "Since Linux 6.17, the kernel reads ahead twice the largest request on rotating "
    "disks without an optimal I/O size, here {kernel} KiB.",
    "rule-rotational": "The kernel trusts what the disk reports; a disk that reports nothing is treated as rotating.",
    "rule-requests": "With a scheduler, the kernel queues twice as many requests as the hardware, at most 256, here "
    "{kernel}.",
    "rule-requests-none": "Without a scheduler, the kernel queues as many requests as the hardware, here {kernel}.",
    "rule-command-queue": "The kernel uses up to 32 commands at once if disk and controller can.",
    "rule-uas": "The kernel prefers UAS if disk and port support it.",
    "rule-throttling": "Since Linux 4.10, the kernel's target for such a disk is {kernel} µs (2,000 for flash, 75,000 "
    "for rotating disks).",
    "rule-merges": "The kernel merges requests (0).",
    "rule-write-cache": "The kernel trusts what the disk reports.",
    "rule-scheduler": "Since Linux 5.0, the kernel uses mq-deadline for disks with a single queue and none for "
    "others, such as NVMe.",
    "rule-scheduler-zoned": "The kernel uses mq-deadline for such disks.",
    "rule-partition": "The kernel uses partitions as the table defines them.",
    "rule-discard": "Without this option, the kernel does not tell the disk about deleted files.",
    "rule-pcie-link": "Disk and slot negotiate the fastest speed that both support.",
    "rule-sata-link": "Disk and port negotiate the fastest speed that both support; the kernel lowers it after errors.",
    "rule-timeout": "The kernel gives up on a command after 30 s.",
    "rule-usb-link": "Disk and port negotiate the fastest speed that both support.",
    "rule-write-back": "The kernel lets unwritten data fill up to 20 % of the free memory, whether for one disk or for "
    "all together.",
}

_ORIGINS: _Texts = {
    "set-by-kernel": "Default of Linux {version}.",
    "set-by-disk": "Reported by the disk or its bridge.",
    "set-by-line": "{place} ({who:named}).",
    "set-by-line-perhaps": "Possibly {place} ({who:named}).",
    "set-by-command-line": "The kernel command line ({option}).",
    "set-by-hand": "By hand, or by an unknown program.",
    "set-by-disktuner": "Disktuner's rule.",
    "set-by-partitioning": "The partition table.",
    "set-by-mount": "Mounted by hand, or by an unknown program.",
    "set-by-link": "Negotiated by disk and port; the cable, the port or a hub may be the cause.",
    "set-by-lowering": "The kernel limits it to {speed:digits} Gb/s, because of errors or the firmware.",
    "set-by-quirk": "The kernel's list of disks that need this, the disk itself, or a manual setting.",
    "set-by-wear": "Everything written so far.",
}

_FIXES: _Texts = {
    "fix-tuned": "A TuneD profile, {profile}, that includes {parent} and leaves this disk to Disktuner. If another "
    "profile is selected later, it sets the scheduler again.",
    "fix-tlp-line": "Set this disk to “keep” in {place}, and run tlp start.",
    "fix-old-rules": "{file} is from an older Disktuner, which kept all permanent choices in it. Move it aside, then "
    "choose again.",
    "fix-rule-after": "A link, {link}, makes udev read Disktuner's rule once more after {file}, so that it has the "
    "last word.",
    "fix-unit": "Disable {unit}, which does nothing else.",
    "fix-nixos": "{place} sets it. NixOS makes its udev rules from its configuration: set the scheduler there "
    "(hardware.block), or add these lines, which are read last:\n{lines}",
    "fix-database": "Tell {who:named} in {place} not to tune disks. It has a scheduler of its own and was tuned to run "
    "without the kernel's, so measure first.",
    "fix-cloud-agent": "Set the metadata key disable-io-scheduler of this virtual machine to true; without it, "
    "Google's guest agent sets all disks to none at each of its starts.",
    "fix-by-hand": "Remove this disk's settings from {place} ({who:named}), or exclude the disk there.",
}

TEXTS: _Texts = {
    **_CHECKS,
    **_RULES,
    **_ORIGINS,
    "set-back-now": "It is now {value!s}.",
    "set-back-at-start": "It changes at the next start.",
    **_FIXES,
    "timer-too": "Here, fstrim.timer already does this once a week.",
    "timer-not": "Here, fstrim.timer is disabled; enable it instead of “discard”.",
    # disktuner check
    "help-check": "find what slows the disks down, and what set it",
    "help-check-disk": "check only this disk (default: all)",
    "checkup-severity-note": "Note",
    "checkup-severity-caution": "Caution",
    "checkup-severity-bad": "Bad",
    "checkup-heading": ("{disk}: {count} finding", "{disk}: {count} findings"),
    "checkup-what": "{severity}: {what}",
    "checkup-set-by": "Set by: {set_by}",
    "checkup-kernel": "Kernel: {kernel}",
    "checkup-why": "Why: {why}",
    "checkup-cost": "Cost: {cost}",
    "checkup-measure": "Measure it:",
    "checkup-see": "Run before and after the fix, to see what it changes:",
    "checkup-by-hand": "Fix: {what}",
    "by-hand-until-restart": "This command sets it until the next restart:",
    "checkup-fix": "Permanent fix: {what}",
    "checkup-fix-commands": "To apply it:",
    "checkup-fix-undo": "To undo it:",
    "checkup-source": "Source: {source}.",
    "checkup-sources": "Sources: {source}; {rule}.",
    "checkup-fine": ("{count} disk checked: no findings.", "{count} disks checked: no findings."),
    "checkup-nothing": "There is no disk here to check.",
    "checkup-not-this": "{disk} cannot be checked: it is in memory or in a file, consists of several disks, or has no "
    "medium. Check the disks below it, if there are any.",
    "checkup-rest-fine": "No findings: {disks:list}.",
    "health-not-read": "Disk health was not checked: udisks is not running.",
}
