# SPDX-License-Identifier: GPL-3.0-or-later
"""The sentences of disks, their queues and who else sets them."""

from __future__ import annotations

from collections.abc import Mapping

TEXTS: Mapping[str, str | tuple[str, str]] = {
    # Why a disk cannot be tuned
    "no-medium": "It holds no medium, so there are no requests to schedule. Insert one.",
    "zoned-on-old-kernel": "It is a zoned disk, which must be written in order; kernels before 6.10 can do that only "
    "with mq-deadline. Leave it as it is.",
    "only-one-scheduler": "This kernel has no scheduler but {scheduler:scheduler} for it. Install a kernel that has "
    "bfq, kyber or mq-deadline.",
    "tune-what-lies-below": "It passes its requests on and has no scheduler of its own. Tune what lies below it: "
    "{disks}.",
    "tune-its-disks": "It passes its requests on and has no scheduler of its own. Tune the disks it is made of.",
    "compressed-memory": "It keeps its data in compressed memory, where no request waits. Leave it as it is.",
    "no-choice-of-scheduler": "The kernel offers no choice of scheduler for it. Leave it as it is.",
    # What to try first
    "suggestion": "{reason:named} Source: {source:named}. This is a starting point: only measuring this disk decides.",
    "suggestion-zoned": "A zoned disk must be written in order, which mq-deadline has supported longest. This is a "
    "starting point: only measuring this disk decides.",
    "suggestion-few-requests": (
        "Its driver lets only {count} request wait (nr_requests), which leaves next to nothing to reorder, whatever "
        "the scheduler. This is a starting point: only measuring this disk decides.",
        "Its driver lets only {count} requests wait (nr_requests), which leaves next to nothing to reorder, whatever "
        "the scheduler. This is a starting point: only measuring this disk decides.",
    ),
    "suggestion-none": "Nothing known of such disks speaks for a change. This is a starting point: only measuring this "
    "disk decides.",
    "suggestion-write-limit": "Much may wait in memory for it, long after a copy has seemed to end. With {setting} a "
    "copy ends when it is on the disk. Source: the kernel's documentation of write-back limits (sysfs-class-bdi). This "
    "is a starting point: only measuring this disk decides.",
    # Why the kind is not certain
    "doubt-cached-disk": "The kind is not certain: it is a disk with another one as its cache, and RAID comes closest.",
    "doubt-zfs-volume": "The kind is not certain: it is a ZFS volume, and RAID comes closest.",
    "doubt-nvme-rotates": "The kind is not certain: the kernel reports that it rotates, which hardly any NVMe disk "
    "does.",
    "doubt-card-type": "The kind is not certain: the type of the card cannot be read.",
    "doubt-attachment": "The kind is not certain: how it is attached cannot be read.",
    "doubt-ufs": "The kind is not certain: it is a UFS flash chip, and eMMC comes closest.",
    "doubt-rotates": "The kind is not certain: the kernel reports that it does not rotate, the disk itself reports "
    "{rpm} rpm.",
    "doubt-does-not-rotate": "The kind is not certain: the kernel reports that it rotates, the disk itself reports "
    "that it does not.",
    "doubt-model": "The kind is not certain: the kernel reports that it rotates, but its model is called “{model}”.",
    "doubt-usb-bridge": "The kind is not certain: many USB bridges report a rotating disk when they do not know; it "
    "may be flash.",
    # What waits to be written to a disk that can be unplugged
    "pending-about": "{size:bytes} still to be written",
    "pending-about-time": "{size:bytes} still to be written, about {left:duration}",
    "pending-at-most": "At most {size:bytes} still to be written",
    "pending-at-most-time": "At most {size:bytes} still to be written, {left:duration} or less",
    "pending-unknown": "Can't tell: {size:bytes} are still to be written, here or elsewhere",
    "pending-little": "At most {size:bytes} still to be written: unmount it, it will not take long",
    "pending-unmount": "Everything is written: unmount it, it will not take long",
    "pending-safe": "Safe to unplug",
    # Disks, schedulers and folders that were named
    "no-such-disk": "There is no disk {disk}. `disktuner list` shows the disks there are.",
    "not-tunable": "{disk} cannot be tuned. {why}",
    "no-such-scheduler": "{disk} has no scheduler “{scheduler}”. Choose from: {possible}.",
    "disk-without-tunable": "{disk} has no {name}. Choose one that `disktuner list --json` shows for it.",
    "no-such-scheduler-any-more": "{disk} has no scheduler “{scheduler}”. {became:named} Choose from: {possible}.",
    "no-such-folder": "There is no folder {folder}. Name one that exists.",
    "disk-unreadable": "{disk} cannot be read. Check the device.",
    "folder-on-untunable": "{folder} lies on {disks:list}, which cannot be tuned. {why}",
    "folder-on-network": "{folder} lies on a network file system ({fstype} from {source}), so the server's disks do "
    "the work. Run Disktuner there.",
    "folder-in-memory": "{folder} lies in memory ({fstype}), not on a disk. Choose a folder on a disk.",
    "folder-on-overlay": "{folder} lies on an overlay of other folders, which has no disk of its own. Choose the "
    "folder it lies on.",
    "folder-on-overlay-of": "{folder} lies on an overlay of other folders, which has no disk of its own. Choose "
    "{upper} instead, outside the container.",
    "folder-of-the-host": "{folder} is shared by the host of this virtual machine ({fstype}). Run Disktuner there.",
    "folder-on-zfs": "{folder} lies in the ZFS pool {pool}, whose disks could not be found. Name a disk of the pool "
    "instead (`zpool status` lists them).",
    "folder-of-a-program": "{folder} is served by a program ({fstype}). Choose the folder in which that program keeps "
    "its data.",
    "folder-on-no-disk": "{folder} lies on {fstype}, which has no disk below it. Choose a folder on a disk.",
    # Who else sets a scheduler
    "line-acts": "{place} ({who}) sets {attribute} to {value}.",
    "line-overridden": "{place} ({who}) sets {attribute} to {value}, which does not last.",
    "line-dead": "{place} ({who}) names {value} for {attribute}, and never sets it.",
    "line-open": "{place} ({who}) may set {attribute} to {value}.",
    "line-mentions": "{place} ({who}) mentions {value} for {attribute}.",
    "line-corrected": "As a line that acts: {line}",
    "overridden-by": "{place} has the last word.",
    "open-unseen": "That hangs on {what}, which only root sees.",
    "open-tuned": "Only TuneD itself knows whether it means this disk.",
    "dead-dropped": "udev drops it: {said}",
    "dead-reset": "{place} drops all commands that come before it.",
    "dead-no-shell": "No shell starts it, so it only prints that.",
    "dead-no-attribute": "This disk has no {attribute}.",
    "dead-no-scheduler": "This kernel has no scheduler “{scheduler}”.",
    "dead-no-number": "{attribute} takes numbers, not “{value}”.",
    "dead-after-exit": "The script ends before it comes to that.",
    "dead-not-started": "Nobody starts it.",
    "dead-not-executable": "The file is not executable.",
    "dead-replaced": "systemd runs something else in its place.",
    "dead-masked": "The unit is masked.",
    "elevator-read": "The kernel ignores it; {place} reads it.",
    "distribution-chooses": "The distribution chooses {scheduler:scheduler} ({place}); Disktuner would first try "
    "{ours:scheduler}.",
    "elevator": "elevator= has had no effect since Linux 5.0: remove it and choose a scheduler for each disk.",
    "elevator-old-name": "elevator= has had no effect since Linux 5.0: remove it and choose a scheduler for each disk. "
    "{became:named}",
    "rival-sets-at-start": "{place} ({who:named}) sets the scheduler to {value:scheduler} at every start, after "
    "Disktuner's own rule; the check-up says what ends that.",
    "rival-may-set-at-start": "{place} ({who:named}) may set the scheduler to {value:scheduler} at every start, after "
    "Disktuner's own rule; the check-up says what ends that.",
    "rival-sets-on-change": "{place} ({who:named}) sets the scheduler to {value:scheduler} whenever udev sees the disk "
    "change.",
    "rival-may-set-on-change": "{place} ({who:named}) may set the scheduler to {value:scheduler} whenever udev sees "
    "the disk change.",
    "rival-sets-after-restart": "After a restart, {who:named} sets it to {value:scheduler}, unless you change that.",
    "rival-may-set-after-restart": "After a restart, {who:named} may set it to {value:scheduler}, unless you change "
    "that.",
    "rival-sets-before-restart": "Whenever udev sees the disk change, a rule sets it to {value:scheduler}.",
    "rival-may-set-before-restart": "Whenever udev sees the disk change, a rule may set it to {value:scheduler}.",
}
