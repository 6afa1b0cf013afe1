# SPDX-License-Identifier: GPL-3.0-or-later
"""The sentences of the helper's client and of changes."""

from __future__ import annotations

from collections.abc import Mapping

TEXTS: Mapping[str, str | tuple[str, str]] = {
    # There is no answer of the helper's own.
    "no-system-bus": "There is no system bus ({why!s}), so Disktuner's helper cannot be reached. Start Disktuner from "
    "its checkout with ./dev run, which brings its own.",
    "helper-not-installed": "Disktuner's helper is not installed. Install Disktuner, or start it from its checkout "
    "with ./dev run.",
    "helper-not-started": "Disktuner's helper could not be started ({why!s}). If another Disktuner is running on this "
    "computer, close it; else `journalctl -u disktuner-helper` says more. Then try again.",
    "helper-ended": "Disktuner's helper ended before it answered. Disks that were being measured have their schedulers "
    "back; `disktuner status` shows whether anything else was changed. Then try again.",
    "helper-silent": "Disktuner's helper no longer answers. systemd restarts it within half a minute, and disks that "
    "are being measured get their schedulers back. Try again after that.",
    "helper-began-again": "Disktuner's helper had ended and was started again. The disks had their own schedulers "
    "back meanwhile; any run that this affected is repeated.",
    "helper-ended-meanwhile": "Disktuner's helper ended meanwhile, so the disks have their schedulers back. To go on, "
    "an administrator has to agree again.",
    "helper-of-another-version": "Disktuner's helper is of another version than this program. Install both from one "
    "source.",
    "helper-not-reached": "Disktuner's helper cannot be reached ({why!s}). Install Disktuner, or start it from its "
    "checkout with ./dev run.",
    "helper-call-cancelled": "Cancelled.",
    "bus-too-busy": "The system bus takes no more calls of yours for now. Wait until those under way have ended, then "
    "try again.",
    # The helper's reasons, each by the helper's own word for it; nobody is authorised.
    "refused-nobody-to-ask": "Nobody could be asked for a password. Use a desktop with a polkit agent, or log in on a "
    "terminal.",
    "refused-not-agreed": "No administrator agreed to it: try again or ask one.",
    "refused-no-answer": "polkit, which decides who may change disks, did not answer within {seconds:seconds}. Try "
    "again.",
    "refused-not-asked": "polkit, which decides who may change disks, could not be asked. Check that it is running, "
    "then try again.",
    "refused-caller-left": "The program that asked has left the system bus. Start it again.",
    # There is no such disk, scheduler or tunable.
    "refused-not-a-disk-name": "That is not the name of a disk. Use the kernel's name, such as sda.",
    "refused-no-such-disk": "There is no disk {disk}. Look at the list of disks again.",
    "refused-another-disk": "{disk} is another disk by now. Look at the list of disks again.",
    "refused-disk-not-opened": "{disk} cannot be opened ({cause}). Look at the list of disks again.",
    "refused-no-disks": "No disk was named. Choose at least one.",
    "refused-too-many-disks": "Too many disks at once (at most {most}), or one of them twice. Choose fewer, and each "
    "only once.",
    "refused-no-scheduler": "The kernel offers no scheduler for {disk}. Tune the disks below.",
    "refused-scheduler-ignored": "The kernel accepted the scheduler of {disk} and ignored it. Tune the disks below.",
    "refused-no-such-scheduler": "The kernel has no such scheduler for {disk}. Choose one that is listed for it.",
    "refused-tunable-not-listed": "Disktuner sets no such tunable with this scheduler. Choose one that `disktuner list "
    "--json` shows for the disk.",
    "refused-tunable-out-of-range": "{name} takes a whole number from {low} to {high}.",
    "refused-same-limit-twice": "bdi/max_bytes and bdi/max_ratio set the same limit. Choose one of them.",
    "refused-value-refused": "{disk} has no {name} with this scheduler, or the kernel refuses the value. Choose "
    "another value.",
    # The kernel or a file system refuses.
    "refused-value-altered": "The kernel set {name} of {disk} to another value, so the old settings are back. Choose "
    "another value.",
    "refused-write-refused": "The kernel refused to set {file} of {disk} ({cause}), so the old settings are back. "
    "Choose another value, or try again.",
    "refused-not-taken-back": "The kernel did not take back all settings of {disk}. Choose another scheduler, then go "
    "back again.",
    "refused-not-put-back": "Not restored, because they are gone or the kernel refuses it: {disks}. Look at the list "
    "of disks again; `disktuner revert DISK` tries once more.",
    "refused-file-not-read": "{file} cannot be read ({cause}). Put that right, then try again.",
    "refused-file-not-written": "{file} cannot be written ({cause}). Put that right, then try again.",
    "refused-file-not-removed": "{file} cannot be removed ({cause}). Put that right, then try again.",
    "refused-file-not-ordinary": "{file} is no ordinary file, or too big. Remove it if you did not make it.",
    "refused-another-disktuner-runs": "Another Disktuner is running on this computer. Close it, then try again.",
    "refused-unexpected": "Disktuner's helper failed unexpectedly; `journalctl -u disktuner-helper` says where.",
    # Rules for every start.
    "refused-no-identity": "{disk} has no serial number or port of its own that a rule could match. Choose its "
    "scheduler until the next restart instead.",
    "refused-unknown-to-udev": "udev knows nothing of {disk} that a rule could match. Choose its scheduler until the "
    "next restart instead.",
    "refused-nothing-to-forget": "There is no such disk, and nothing is chosen for good for a disk of that name. "
    "`disktuner status` shows what is.",
    # Trials.
    "refused-disk-in-trial": "{disk} is being measured. Try again when that has ended.",
    "refused-too-many-calls": "Too many calls are waiting for Disktuner's helper. Answer the open questions for "
    "passwords, then try again.",
    "refused-too-many-trials": "Too many comparisons are running on this computer. Try again when one has ended.",
    "refused-not-in-trial": "The disk is not part of this comparison. Start one with it.",
    "refused-no-such-trial": "This comparison has ended, and its disks are restored. Start a new one.",
    # The reason is of another version.
    "refused-otherwise": "Disktuner's helper refuses this: {said!s}. Where that does not help, install Disktuner and "
    "its helper from one source, then try again.",
}
