# SPDX-License-Identifier: GPL-3.0-or-later
"""The sentences about what other programs roll out to many machines."""

from __future__ import annotations

from collections.abc import Mapping

TEXTS: Mapping[str, str | tuple[str, str]] = {
    "help-as": "write files to the folder OUT that set the winner on all machines with such a disk: {engines:or}",
    # why a result is not rolled out
    "roll-out-other-scheduler": "{scheduler:scheduler} is not part of Linux today. Machines whose kernel lacks it keep "
    "their current scheduler: make sure that every machine offers it.",
    "keep-is-no-roll-out": "This result says to keep {baseline:scheduler}, so there is nothing to roll out. Export a "
    "result that says to switch.",
    "trade-off-is-no-roll-out": "This result is a trade-off: {winner:scheduler} gains, but at a price that you have to "
    "weigh. Set it on single machines with 'disktuner set', or compare for a goal that allows the price.",
    "conditional-is-no-roll-out": "{winner:scheduler} gains, but its price is not certain yet. Continue with "
    "'disktuner compare --continue {result}', then export again.",
    "undecided-is-no-roll-out": "This result is undecided, so there is nothing to roll out yet. Continue with "
    "'disktuner compare --continue {result}', then export again.",
    "no-model-to-roll-out": "The disk of this result has no model name to recognise it by on other machines. Set it on "
    "each machine: disktuner set DISK {setting} --persist",
    "odd-model-to-roll-out": "The model name “{model}” contains characters with a special meaning for other programs. "
    "Set it on each machine: disktuner set DISK {setting} --persist",
    "odd-setting-to-roll-out": "The winner, “{winner}”, cannot be set by this version of Disktuner. Update Disktuner, "
    "then export again.",
    "tunable-not-for-tuned": "TuneD cannot set {names:list} by disk model. Export {setting:scheduler} with '--as "
    "udev'.",
    # what to do with what was written
    "how-to-use-rule": "To use it on a machine, copy {file} to its /etc/udev/rules.d and run: udevadm control --reload "
    "&& udevadm trigger --action=change --subsystem-match=block",
    "how-to-use-profile": "The profile includes {parents:list}, which this machine uses. To use it on machines with "
    "the same profile, copy the folder {profile} to /etc/tuned/profiles (before TuneD 2.23: /etc/tuned) and run: "
    "tuned-adm profile {profile}",
    "how-to-use-profile-for-card": "TuneD from before July 2025 leaves memory cards and eMMC alone (its issue 776), so "
    "update it first. {how}",
    "how-to-use-collection": "It needs the collection disktuner.disktuner in the same folder. To see what it would "
    "change: ANSIBLE_COLLECTIONS_PATH={folder} ansible-playbook -i INVENTORY -e @{choices} --check --diff "
    "disktuner.disktuner.roll_out",
    "how-to-use-profile-beside": "The profile includes no other, because this machine uses none. To use it on a "
    "machine, copy the folder {profile} to /etc/tuned/profiles (before TuneD 2.23: /etc/tuned) and run, with the "
    "machine's current profile as ACTIVE: tuned-adm profile ACTIVE {profile}",
}
