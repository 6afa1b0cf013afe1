# SPDX-License-Identifier: GPL-3.0-or-later
"""The sentences of the helper's client and of changes."""

from __future__ import annotations

from collections.abc import Mapping

TEXTS: Mapping[str, str | tuple[str, str]] = {
    # There is no answer of the helper's own.
    "no-system-bus": "There is no system bus ({why!s}), so Disktuner's helper cannot be reached. Start dbus; or, if "
    "this is a container without it, run Disktuner outside.",
    "no-system-bus-in-checkout": "There is no system bus ({why!s}), so Disktuner's helper cannot be reached. Start "
    "Disktuner from its checkout with ./dev run, which provides one.",
    "helper-not-installed": "Disktuner's helper is not installed. Install it from the same source as this program, "
    "then try again.",
    "helper-not-installed-in-checkout": "Disktuner's helper is not installed. Install Disktuner, or start it from its "
    "checkout with ./dev run.",
    "helper-not-started": "Disktuner's helper could not be started ({why!s}). If another Disktuner is running on this "
    "computer, close it; otherwise see `journalctl -u disktuner-helper`. Then try again.",
    "helper-ended": "Disktuner's helper stopped before it answered. The schedulers of disks being measured are "
    "restored; see `disktuner status` for other changes. Then try again.",
    "switch-waits": "The kernel has not finished the change after a minute. It first waits for all requests of the "
    "disk and, since Linux 6.16, for disks that are being added or removed. The schedulers are restored as soon as it "
    "answers; try again then.",
    "helper-silent": "Disktuner's helper does not respond. systemd restarts it within 30 seconds, and the schedulers "
    "of disks being measured are restored. Then try again.",
    "helper-began-again": "Disktuner's helper was restarted. While it was down, the disks had their original "
    "schedulers; affected runs are repeated.",
    "helper-ended-meanwhile": "Disktuner's helper stopped, so the schedulers are restored. To continue, authorisation "
    "is needed again.",
    "helper-of-another-version": "Disktuner's helper has a different version than this program. Install both from the "
    "same source.",
    "helper-not-reached": "Disktuner's helper cannot be reached ({why!s}). Check that dbus is running and that the "
    "helper is installed, then try again.",
    "helper-not-reached-in-checkout": "Disktuner's helper cannot be reached ({why!s}). Install Disktuner, or start it "
    "from its checkout with ./dev run.",
    "bus-too-busy": "Too many of your calls are waiting on the system bus. Wait until they have ended, then try again.",
    # The helper's reasons, each by the helper's own word for it; nobody is authorised.
    "refused-nobody-to-ask": "There was no way to ask for a password. Use a desktop with a polkit agent, or log in on "
    "a terminal.",
    "refused-not-agreed": "Not authorised: try again, or ask an administrator.",
    "refused-no-answer": "polkit, which authorises changes to disks, did not answer within {seconds:seconds}. Try "
    "again.",
    "refused-not-asked": "polkit, which authorises changes to disks, cannot be reached. Check that it is running, then "
    "try again.",
    "refused-caller-left": "The calling program has left the system bus. Start it again.",
    # There is no such disk, scheduler or tunable.
    "refused-not-a-disk-name": "This is not the name of a disk. Use the kernel's name, such as sda.",
    "refused-no-such-disk": "There is no disk {disk}. Check the list of disks.",
    "refused-another-disk": "{disk} is now another disk. Check the list of disks.",
    "refused-disk-not-opened": "{disk} cannot be opened ({cause}). Check the list of disks.",
    "refused-no-disks": "No disk was named. Choose at least one.",
    "refused-too-many-disks": "More than {most} disks, or one disk twice. Choose fewer, and each only once.",
    "refused-no-scheduler": "The kernel offers no scheduler for {disk}. Tune the disks below it.",
    "refused-zoned-may-hang": "{disk} is a zoned disk. Changing its queue while something is written to it has hung in "
    "Linux 6.10 to 6.12, and below dm-crypt up to 6.15, until the next restart. Leave it as it is; or, while nothing "
    "is written to it, use `disktuner set {disk:word} SCHEDULER --insist`.",
    "refused-zoned-is-written": "Something is being written to {disk}, a zoned disk, whose queue may hang if it is "
    "changed now. Stop what writes, or unmount it, then try again.",
    "refused-scheduler-ignored": "The kernel ignores the scheduler of {disk}. Tune the disks below it.",
    "refused-no-such-scheduler": "The kernel does not offer this scheduler for {disk}. Choose a listed one.",
    "refused-tunable-not-listed": "Disktuner cannot set this tunable with this scheduler. Choose one from `disktuner "
    "list --json`.",
    "refused-tunable-out-of-range": "{name} must be a whole number from {low} to {high}.",
    "refused-value-refused": "{disk} has no {name} with this scheduler, or the kernel rejects the value. Choose "
    "another value.",
    "refused-same-limit-twice": "bdi/max_bytes and bdi/max_ratio set the same limit. Choose one of them.",
    # The kernel or a file system refuses.
    "refused-value-altered": "The kernel set {name} of {disk} to another value, so the old settings are restored. "
    "Choose another value.",
    "refused-write-refused": "The kernel rejected {file} of {disk} ({cause}), so the old settings are restored. Choose "
    "another value, or try again.",
    "refused-not-taken-back": "Not all settings of {disk} could be undone. Choose another scheduler, then undo again.",
    "refused-not-put-back": "Could not be restored, because they are gone or the kernel rejected it: {disks}. Check "
    "the list of disks; to try again: `disktuner revert DISK`.",
    "refused-file-not-read": "{file} cannot be read ({cause}). Fix this, then try again.",
    "refused-file-not-written": "{file} cannot be written ({cause}). Fix this, then try again.",
    "refused-file-not-removed": "{file} cannot be removed ({cause}). Fix this, then try again.",
    "refused-file-not-ordinary": "{file} is not a regular file owned by root, or it is too large. Remove it if you did "
    "not create it.",
    "refused-rule-not-ours": "{file} is not in the form that this version of Disktuner writes, so it is left as it is. "
    "Remove or rename it by hand, then try again.",
    "refused-another-disktuner-runs": "Another Disktuner is running on this computer. Close it, then try again.",
    "refused-unexpected": "Disktuner's helper failed unexpectedly; see `journalctl -u disktuner-helper`.",
    # Rules for every start.
    "refused-no-identity": "{disk} has no serial number or port for a rule to match. Set its scheduler until the next "
    "restart instead.",
    "refused-unknown-to-udev": "udev knows nothing about {disk} for a rule to match. Set its scheduler until the next "
    "restart instead.",
    "refused-nothing-to-forget": "There is no such disk, and no permanent choice for a disk of that name. See "
    "`disktuner status`.",
    # Trials.
    "refused-disk-in-trial": "{disk} is being measured. Try again when the measurement has ended.",
    "refused-too-many-calls": "Too many calls are waiting for Disktuner's helper. Answer the open password dialogs, "
    "then try again.",
    "refused-too-many-trials": "Too many comparisons are running on this computer. Try again when one has ended.",
    "refused-not-in-trial": "The disk is not part of this comparison. Start a new one with it.",
    "refused-no-such-trial": "This comparison has ended, and its disks are restored. Start a new one.",
    "refused-nothing-tried": "Nothing has been tried on these disks yet, so there is nothing to keep. Choose a "
    "scheduler first.",
    # Trials in daily use.
    "refused-disk-in-field-trial": "{disk} is being tried in daily use. End that first: `disktuner revert "
    "{disk:word}`.",
    "refused-not-one-disk": "Only one disk can be tried in daily use at a time. Choose one.",
    "refused-not-two-settings": "Two different settings can be tried in daily use. Choose two.",
    "refused-not-until-then": "A trial in daily use can last {days} days at most. Choose fewer.",
    "refused-known-by-port": "{disk} has no serial number: another disk could take its place unnoticed. Compare its "
    "schedulers with `disktuner compare {disk:word}` instead.",
    "refused-field-trial-is-over": "This trial in daily use is over. Start a new one.",
    "refused-no-such-setting": "This is not one of the two settings of the trial in daily use. Start a new trial.",
    # The reason is of another version.
    "refused-otherwise": "Disktuner's helper refuses: {said!s}. If this makes no sense, install Disktuner and its "
    "helper from the same source, then try again.",
}
