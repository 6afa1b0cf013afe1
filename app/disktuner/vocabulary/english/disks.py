# SPDX-License-Identifier: GPL-3.0-or-later
"""The sentences of disks, their queues and who else sets them."""

from __future__ import annotations

from collections.abc import Mapping

TEXTS: Mapping[str, str | tuple[str, str]] = {
    # Why a disk cannot be tuned
    "no-medium": "It has no medium. Insert one.",
    "zoned-on-old-kernel": "It is a zoned disk, which must be written in order; before Linux 6.10, only mq-deadline "
    "can do that. Leave it as it is.",
    "zoned-may-hang": "It is a zoned disk. Changing its queue while something is written to it has hung in Linux 6.10 "
    "to 6.12, and below dm-crypt up to 6.15 (blktests zbd/012 and zbd/013). Leave it as it is; `disktuner set "
    "--insist` changes it while nothing is written.",
    "only-one-scheduler": "This kernel offers only {scheduler:scheduler} for it. Install a kernel with bfq, kyber or "
    "mq-deadline.",
    "tune-what-lies-below": "It passes requests on and has no scheduler of its own. Tune the disks below it: {disks}.",
    "tune-its-disks": "It passes requests on and has no scheduler of its own. Tune the disks it consists of.",
    "compressed-memory": "It is compressed memory, where no request waits. Leave it as it is.",
    "no-choice-of-scheduler": "The kernel offers no schedulers for it. Leave it as it is.",
    # What to try first
    "suggestion": "{reason:named} Source: {source:named}. Measure to be sure.",
    "suggestion-zoned": "A zoned disk must be written in order, which mq-deadline has supported longest. Measure to be "
    "sure.",
    "suggestion-few-requests": (
        "Its driver queues only {count} request (nr_requests), so hardly anything can be reordered. Measure to be "
        "sure.",
        "Its driver queues only {count} requests (nr_requests), so hardly anything can be reordered. Measure to be "
        "sure.",
    ),
    "suggestion-actuators": "It has {count} actuators that move independently. Since Linux 6.3, bfq keeps all of them "
    "busy; other schedulers do not tell them apart. Source: bfq_actuator_index in block/bfq-iosched.c. Measure to be "
    "sure.",
    "disk-actuators": "It has {count} actuators that move independently, each over a part of the disk. Of the "
    "schedulers, only bfq tells them apart (since Linux 6.3).",
    "suggestion-none": "No other scheduler is known to be better for such disks. Measure to be sure.",
    "suggestion-write-limit": "Much data may wait in memory for it, long after a copy seems done. With "
    "{setting:setting}, a copy is not done until it is on the disk. Source: the kernel's documentation of write-back "
    "limits (sysfs-class-bdi).",
    # Why the kind is not certain
    "doubt-cached-disk": "The kind is uncertain: it is a disk with another disk as its cache, closest to RAID.",
    "doubt-zfs-volume": "The kind is uncertain: it is a ZFS volume, closest to RAID.",
    "doubt-nvme-rotates": "The kind is uncertain: it is marked as rotating, but kernels before 6.13 do not ask NVMe "
    "disks whether they rotate, so somebody set that.",
    "doubt-card-type": "The kind is uncertain: the card's type cannot be read.",
    "doubt-attachment": "The kind is uncertain: its connection cannot be read.",
    "doubt-ufs": "The kind is uncertain: it is a UFS flash chip, closest to eMMC.",
    "doubt-rotates": "The kind is uncertain: the kernel reports that it does not rotate, but the disk reports {rpm} "
    "rpm.",
    "doubt-does-not-rotate": "The kind is uncertain: the kernel reports that it rotates, but the disk reports that it "
    "does not.",
    "doubt-model": "The kind is uncertain: the kernel reports that it rotates, but its model is called “{model}”.",
    "doubt-usb-bridge": "The kind is uncertain: many USB bridges report a rotating disk when they do not know; it may "
    "be flash.",
    "doubt-usb-without-cache": "The kind is uncertain: it reports that it rotates, but no write cache, which nearly "
    "every hard disk has. It is probably flash.",
    # What waits to be written to a disk that can be unplugged
    "pending-about": "{size:bytes} still to be written",
    "pending-about-time": "{size:bytes} still to be written, {left:duration} left",
    "pending-at-most": "At most {size:bytes} still to be written",
    "pending-at-most-time": "At most {size:bytes} still to be written, {left:duration} or less",
    "pending-unknown": "Can't tell: {size:bytes} are still to be written, here or elsewhere",
    "pending-little": "At most {size:bytes} still to be written; unmounting will not take long",
    "pending-unmount": "Everything is written; unmounting will not take long",
    "pending-safe": "Safe to unplug",
    # Disks, schedulers and folders that were named
    "no-such-disk": "There is no disk {disk}. See `disktuner list`.",
    "partition-no-disk": "{partition} is a partition of {disk}. A scheduler belongs to a whole disk: use {disk}.",
    "not-tunable": "{disk} cannot be tuned. {why}",
    "no-such-scheduler": "{disk} has no scheduler “{scheduler}”. Choose from: {possible}.",
    "disk-without-tunable": "{disk} has no {name}. Choose one from `disktuner list --json`.",
    "no-such-scheduler-any-more": "{disk} has no scheduler “{scheduler}”. {became:named} Choose from: {possible}.",
    "disk-unreadable": "{disk} cannot be read. Check the disk.",
    "folder-on-untunable": "{folder} is on {disks:list}, which cannot be tuned. {why}",
    "folder-on-network": "{folder} is on a network file system ({fstype} from {source}), so the server's disks do the "
    "work. Run Disktuner there.",
    "folder-in-memory": "{folder} is in memory ({fstype}), not on a disk. Choose a folder on a disk.",
    "folder-on-overlay": "{folder} is on an overlay file system, which has no disk of its own. Choose one of the "
    "folders below it.",
    "folder-on-overlay-of": "{folder} is on an overlay file system, which has no disk of its own. Choose {upper} "
    "instead, outside the container.",
    "folder-of-the-host": "{folder} is shared by the host of this virtual machine ({fstype}). Run Disktuner on the "
    "host.",
    "folder-on-zfs": "{folder} is on the ZFS pool {pool}, whose disks could not be found. Name a disk of the pool "
    "instead (see `zpool status`).",
    "folder-of-a-program": "{folder} is provided by a program ({fstype}). Choose the folder where that program stores "
    "its data.",
    "folder-on-no-disk": "{folder} is on {fstype}, which has no disk below it. Choose a folder on a disk.",
    # Who else sets a scheduler
    "line-acts": "{place} ({who}) sets {attribute} to {value}.",
    "line-overridden": "{place} ({who}) sets {attribute} to {value}, but is overridden.",
    "line-dead": "{place} ({who}) names {value} for {attribute}, but never sets it.",
    "line-open": "{place} ({who}) might set {attribute} to {value}.",
    "line-mentions": "{place} ({who}) mentions {value} for {attribute}.",
    "line-alias": "The kernel takes {name} for {scheduler:scheduler}.",
    "line-corrected": "Corrected line: {line}",
    "overridden-by": "{place} has the last word.",
    "open-unseen": "This depends on {what}, which only root can read.",
    "open-service": "Only {who:named} knows which disks hold its data; it sets them at each start.",
    "open-tuned": "Only TuneD knows whether this applies to the disk.",
    "dead-dropped": "udev ignores it: {said}",
    "dead-reset": "{place} drops all earlier commands.",
    "dead-no-shell": "No shell runs it, so it is only printed.",
    "dead-no-attribute": "This disk has no {attribute}.",
    "dead-no-scheduler": "This kernel has no scheduler “{scheduler}”.",
    "dead-old-scheduler": "This kernel has no scheduler “{scheduler}”. {became:named}",
    "dead-after-exit": "The script ends before this line.",
    "dead-not-started": "Nothing starts it.",
    "dead-replaced": "systemd runs something else instead.",
    "dead-masked": "The unit is masked.",
    "elevator-read": "The kernel ignores it; {place} reads it.",
    "distribution-chooses": "The distribution uses {scheduler:scheduler} ({place}); Disktuner would try "
    "{ours:scheduler} first.",
    "elevator": "elevator= has had no effect since Linux 5.0. Remove it, and choose a scheduler for each disk.",
    "rival-sets-at-start": "{place} ({who:named}) sets the scheduler to {value:scheduler} at every start, after "
    "Disktuner's rule; the check-up shows the fix.",
    "rival-may-set-at-start": "{place} ({who:named}) might set the scheduler to {value:scheduler} at every start, "
    "after Disktuner's rule; the check-up shows the fix.",
    "rival-sets-tunable-at-start": "{place} ({who:named}) sets {name} to {value!s} at every start, after Disktuner's "
    "rule; the check-up shows the fix.",
    "rival-may-set-tunable-at-start": "{place} ({who:named}) might set {name} to {value!s} at every start, after "
    "Disktuner's rule; the check-up shows the fix.",
    "rival-sets-tunable-on-change": "{place} ({who:named}) sets {name} to {value!s} whenever udev reports a change of "
    "the disk.",
    "rival-may-set-tunable-on-change": "{place} ({who:named}) might set {name} to {value!s} whenever udev reports a "
    "change of the disk.",
    "nixos-keeps-no-rule": "NixOS makes its udev rules from its configuration, so no rule can be added here. To keep "
    "this, add to configuration.nix:\n{lines}",
    "rival-sets-on-change": "{place} ({who:named}) sets the scheduler to {value:scheduler} whenever udev reports a "
    "change of the disk.",
    "rival-may-set-on-change": "{place} ({who:named}) might set the scheduler to {value:scheduler} whenever udev "
    "reports a change of the disk.",
}
