# SPDX-License-Identifier: GPL-3.0-or-later
"""The sentences about what a result gives to all disks of its model."""

from __future__ import annotations

from collections.abc import Mapping

TEXTS: Mapping[str, str | tuple[str, str]] = {
    "help-as": "write files to the folder OUT that set the winner on all machines with such a disk: {engines:or}",
    # why a result is not rolled out
    "roll-out-other-scheduler": "{scheduler:scheduler} is not part of mainline Linux today. Machines whose kernel "
    "lacks it keep their current scheduler: make sure that every machine offers it.",
    "keep-is-no-roll-out": "This result says to keep {baseline:scheduler}, so there is nothing to roll out. Export a "
    "result that says to switch.",
    "trade-off-is-no-roll-out": "This result is a trade-off: {winner:scheduler} gains, but at a price that you have to "
    "weigh. Set it on single machines with 'disktuner set', or compare for a goal that allows the price.",
    "conditional-is-no-roll-out": "{winner:scheduler} gains, but its price is not certain yet. Continue with "
    "'disktuner compare --continue {result:word}', then export again.",
    "undecided-is-no-roll-out": "This result is undecided, so there is nothing to roll out yet. Continue with "
    "'disktuner compare --continue {result:word}', then export again.",
    "no-model-to-roll-out": "The disk of this result has no model name to recognise it by on other machines. Set it on "
    "each machine: disktuner set DISK {setting:word} --persist",
    "odd-model-to-roll-out": "The model name “{model}” contains characters with a special meaning for other programs. "
    "Set it on each machine: disktuner set DISK {setting:word} --persist",
    "odd-setting-to-roll-out": "The winner, “{winner}”, cannot be set by this version of Disktuner. Update Disktuner, "
    "then export again.",
    "how-to-use-rule": "To use it on a machine, copy {file} to its /etc/udev/rules.d and run: udevadm control --reload "
    "&& udevadm trigger --action=change --subsystem-match=block",
}
