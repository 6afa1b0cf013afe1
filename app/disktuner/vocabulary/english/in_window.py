# SPDX-License-Identifier: GPL-3.0-or-later
"""What the window says otherwise: its own ways, where the sentence of the id after ``in-window-`` names a command."""

from __future__ import annotations

from collections.abc import Mapping

TEXTS: Mapping[str, str | tuple[str, str]] = {
    "in-window-disk-without-tunable": "{disk} has no {name}. Choose one that Change… offers, on the disk's card.",
    "in-window-exhausted-already": "{disk} writes at {now:rate} now, but at {fast:rate} when rested (measured "
    "{created}): its fast cache seems to be used up, for example by a recent copy. Let it rest for some minutes and "
    "start again, or measure with the fast cache used up (Options).",
    "in-window-exhausted-without-end": "The portrait of {disk} ({created}) shows fast writing throughout {size:bytes}, "
    "so there is nothing to use up. Start a new comparison, or make a new portrait: Portrait…, on the disk's card.",
    "in-window-exhausted-without-portrait": "It is not known where the fast cache of {disk} ends. Make a portrait "
    "first: Portrait…, on the disk's card.",
    "in-window-helper-ended": "Disktuner's helper stopped before it answered. The schedulers of disks being measured "
    "are restored; the disks' cards show other changes. Then try again.",
    "in-window-no-folder": "There is no folder {folder}. Create it first, or choose another one.",
    "in-window-no-such-disk": "There is no disk {disk}. Check the list of disks.",
    "in-window-no-such-result": "There is no result {result}. Check the history.",
    "in-window-nothing-to-tune": "There is nothing to tune on {disk} for this goal: no known setting would make a "
    "difference. Choose another goal.",
    "in-window-refused-disk-in-field-trial": "{disk} is being tried in daily use. End that first: Undo, on the disk's "
    "card.",
    "in-window-refused-not-put-back": "Could not be restored, because they are gone or the kernel rejected it: "
    "{disks}. Check the list of disks; to try again: Undo, on the disk's card.",
}
