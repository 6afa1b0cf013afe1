# SPDX-License-Identifier: GPL-3.0-or-later
"""The sentences about what other programs roll out to many machines."""

from __future__ import annotations

from collections.abc import Mapping

TEXTS: Mapping[str, str | tuple[str, str]] = {
    "help-as": "write what rolls the winner out to all machines with such a disk into the folder OUT: {engines:or}",
    # why a result is not rolled out
    "roll-out-other-scheduler": "{scheduler:scheduler} is not one of the schedulers that come with Linux today. Where "
    "a machine's kernel lacks it, disks keep what they have: make sure that every machine offers it.",
    "keep-is-no-roll-out": "This result says to keep {baseline:scheduler}, so there is nothing to roll out. Export a "
    "result that says to switch.",
    "trade-off-is-no-roll-out": "This result is a trade-off: {winner:scheduler} gains, but at a price that somebody "
    "has to weigh. Set it on single machines with 'disktuner set', or compare for a goal that allows the price.",
    "conditional-is-no-roll-out": "{winner:scheduler} gains, but what it costs is not settled yet. Measure on with "
    "'disktuner compare --continue {result}', then export again.",
    "undecided-is-no-roll-out": "This result is undecided, so there is nothing to roll out yet. Measure on with "
    "'disktuner compare --continue {result}', then export again.",
    "no-model-to-roll-out": "The disk of this result has no model name by which others of its kind could be "
    "recognised. Set it on each machine: disktuner set DISK {setting} --persist",
    "odd-model-to-roll-out": "The model “{model}” contains characters that other programs would interpret. Set "
    "it on each machine: disktuner set DISK {setting} --persist",
    "odd-setting-to-roll-out": "“{winner}” won, which this version of Disktuner cannot set. Update Disktuner, then "
    "export again.",
    "tunable-not-for-tuned": "TuneD does not set {names:list} by a disk's model. Export {setting:scheduler} with "
    "'--as udev'.",
    # what to do with what was written
    "how-to-use-rule": "To use it on a machine, copy {file} to /etc/udev/rules.d there and run: udevadm control "
    "--reload && udevadm trigger --action=change --subsystem-match=block",
    "how-to-use-profile": "It includes {parents:list}, active on this machine. To use it where the same is active, "
    "copy the folder {profile} to /etc/tuned/profiles (before TuneD 2.23: /etc/tuned) there and run: tuned-adm profile "
    "{profile}",
    "how-to-use-collection": "Beside it lies the collection disktuner.disktuner. To see what it would change: "
    "ANSIBLE_COLLECTIONS_PATH={folder} ansible-playbook -i INVENTORY -e @{choices} --check --diff "
    "disktuner.disktuner.roll_out",
    "how-to-use-profile-beside": "No profile of TuneD is active on this machine, so it includes none. To use it on a "
    "machine, copy the folder {profile} to /etc/tuned/profiles (before TuneD 2.23: /etc/tuned) there and run, with the "
    "name of what is active there for ACTIVE: tuned-adm profile ACTIVE {profile}",
}
