# SPDX-License-Identifier: GPL-3.0-or-later
"""The sentences about many machines: what their results come to, and what other programs roll out to them."""

from __future__ import annotations

from collections.abc import Mapping

_COMMAND: Mapping[str, str | tuple[str, str]] = {
    "help-fleet": "Combines the results of many machines, and writes the files that roll them out.",
    "help-fleet-export": "write the files that set a result's winner on many machines",
    "help-engine": "the program that sets the winner on all machines with such a disk: {engines:or}",
    "help-to-folder": "the folder to write to",
    "help-summary": "combine the results of many machines: one verdict per disk model",
    "help-summary-folder": "the folder with the result files, searched recursively",
    "help-summary-goal": "use only results for this goal: {goals:or} (default: all, each separately)",
    "no-folder-of-results": "There is no folder {folder}. Name the folder with the result files.",
    "help-summary-html": "write a page for publication: one file, without scripts or file names",
    "help-summary-personal": "show file names on the page; they may identify machines",
    "help-summary-hwdb": "write the clear verdicts to this folder as defaults for udev (a hardware database and a "
    "rule)",
    "machines-none": "There are no usable result files. Add files saved by 'disktuner compare --out FILE'.",
    "left-out-file": "{file}: {why}",
}

_MANUAL: Mapping[str, str | tuple[str, str]] = {
    "manual-fleet-summary": "draw conclusions from the disk measurements of many machines, and roll them out",
    "manual-fleet-what-it-does": "disktuner-fleet reads the result files that 'disktuner compare --out FILE' saved on "
    "many machines, gives one verdict per disk model, kernel series and goal, and names the machines that disagree. It "
    "writes clear verdicts for udev, TuneD and Ansible to roll out.",
    "manual-fleet-example-summary": "Combine the results in the folder {folder}:",
    "manual-fleet-example-export": "Write a result's choice, and the collection for Ansible that rolls it out:",
}

_GROUPS: Mapping[str, str | tuple[str, str]] = {
    "group-heading": "{model}, {facts}: {answer}",
    "goal-name": "{goal:named}",
    "machines": ("{count} machine", "{count} machines"),
    "machines-disagree": (
        "{count} machine disagrees with the others and does not count.",
        "{count} machines disagree with the others and do not count.",
    ),
    "machines-disagree-named": (
        "{count} machine disagrees with the others and does not count. Find out what differs there: {files}.",
        "{count} machines disagree with the others and do not count. Find out what differs there: {files}.",
    ),
    "machines-of-several-disks": (
        "{count} file comes from several disks measured together, of which only the first's model is known.",
        "{count} files come from several disks measured together, of which only the first's model is known.",
    ),
    "machines-unknown": (
        "{count} file does not identify its disk. It counts as one machine.",
        "{count} files do not identify their disk. They may all be from the same disk, so together they count as one "
        "machine.",
    ),
    "too-few-machines": "too few machines",
    "files-left-out": ("{count} file left out", "{count} files left out"),
}

_PAGE: Mapping[str, str | tuple[str, str]] = {
    "machines-title": "Which scheduler for which disk",
    "files-read": ("{count} file read", "{count} files read"),
    "verdicts-drawn": ("{count} verdict", "{count} verdicts"),
    "column-model": "model",
    "column-measured-on": "measured on",
    "column-goal-of-it": "goal",
    "column-advice": "verdict",
    "column-estimate": "estimate",
    "column-machines": "machines",
    "forest-title": "{scheduler:scheduler} against {baseline:scheduler}: {label}",
    "forest-legend": "In the charts, each line is a machine's score with its 95 % interval; the last line is all "
    "machines that count, together. Beyond the dashed line, switching is worth it. Machines with a hollow mark "
    "disagree with the others.",
    "forest-some": (
        "{shown} of {count} machine shown: evenly chosen ones, and those that disagree.",
        "{shown} of {count} machines shown: evenly chosen ones, and those that disagree.",
    ),
    "machine-number": "machine {number}",
    "machines-together": "together",
    "what-was-left-out": "Left out",
    "left-out-reason": ("{count} file: {why}", "{count} files: {why}"),
    "how-computed": "Method",
    "machines-method-pooled": "Each machine counts once, with its score: the weighted mean gain over everything that "
    "counts. Machines really differ, so the typical score is shown (random effects: Paule-Mandel variance, "
    "Hartung-Knapp error). “At least” holds for all schedulers together, with 95 % confidence.",
    "machines-method-odd": "A machine is named and does not count if its score is farther from the others than they "
    "are from each other. By chance, this happens in at most one group of twenty.",
    "machines-method-choice": "Verdicts follow the rule for single results: switch if a gain that is worth it is "
    "proved, and every price is within the limits of the goal. They apply to the model as measured, not to every "
    "machine.",
}

_DEFAULTS: Mapping[str, str | tuple[str, str]] = {
    "defaults-of-several-goals": "There are clear verdicts for several goals ({goals:list}), but a disk can have only "
    "one default. Choose with --goal.",
    "defaults-none": "No verdict clearly says to switch, so no defaults were written to {folder}. Measure more "
    "machines.",
    "defaults-odd-model": "No default for {model}: its name contains characters that udev changes.",
    "defaults-tunables": "No default for {model}: {setting:setting} sets tunables, which defaults do not support. "
    "Compare plain schedulers.",
    "defaults-about": "The best I/O scheduler per disk model for {goal:named}, as measured with Disktuner.",
    "defaults-when": "Sets the scheduler when a disk appears; later rules, such as 90-disktuner-*.rules, take "
    "precedence.",
    "defaults-entry": "{model}, {facts}: {answer}. {why}",
    "defaults-use": "To use the defaults, copy {hwdb} to /etc/udev/hwdb.d and {rules} to /etc/udev/rules.d, then run "
    "'systemd-hwdb update' and 'udevadm control --reload'.",
}

_ENGINES: Mapping[str, str | tuple[str, str]] = {
    "tunable-not-for-tuned": "TuneD cannot set {names:list} by disk model. Export {setting:scheduler} with '--as "
    "udev'.",
    "how-to-use-profile": "The profile includes {parents:list}, which this machine uses. To use it on machines with "
    "the same profile, copy the folder {profile} to /etc/tuned/profiles (before TuneD 2.23: /etc/tuned) and run: "
    "tuned-adm profile {profile:word}",
    "how-to-use-profile-for-card": "TuneD from before July 2025 leaves memory cards and eMMC alone (its issue 776), so "
    "update it first. {how}",
    "other-choices": "{file} holds other choices, which this one would replace. Name another folder, or move that file "
    "away.",
    "how-to-use-collection": "It needs the collection disktuner.disktuner in the same folder. To see what it would "
    "change: ANSIBLE_COLLECTIONS_PATH={folder:word} ansible-playbook -i INVENTORY -e @{choices:word} --check --diff "
    "disktuner.disktuner.roll_out",
    "how-to-use-profile-beside": "The profile includes no other, because this machine uses none. To use it on a "
    "machine, copy the folder {profile} to /etc/tuned/profiles (before TuneD 2.23: /etc/tuned) and run, with the "
    "machine's current profile as ACTIVE: tuned-adm profile ACTIVE {profile:word}",
}

_VERDICTS: Mapping[str, str | tuple[str, str]] = {
    "one-machine": (
        "Only one machine was measured; at least {count} more is needed.",
        "Only one machine was measured; at least {count} more are needed.",
    ),
    "more-machines": ("About {count} more machine should settle it.", "About {count} more machines should settle it."),
    "machines-differ-too-much": (
        "The machines differ too much: even {count} more would not be enough. Choose the best scheduler on each "
        "machine.",
        "The machines differ too much: even {count} more would not be enough. Choose the best scheduler on each "
        "machine.",
    ),
    "mean-gains": "On average over everything that counts, {winner:scheduler} is {difference}.",
    "machines-nothing-in-common": "The machines have no scheduler in common. Measure the same schedulers on all of "
    "them.",
}

_UNFIT = {
    "unfit-baseline": "Its baseline is {own:scheduler}; most disks of its model have {baseline:scheduler}, which was "
    "not measured here. Measure both.",
    "unfit-few-rounds": "Fewer than two rounds contain both the baseline and another scheduler. Measure more rounds.",
    "unfit-folder": "This folder cannot be read: {why}. Check its permissions.",
    "unfit-goal": "Its goal is unknown to this version. Measure with 'disktuner compare --goal'.",
    "unfit-kernel": "It does not say which kernel it was measured on. Measure with 'disktuner compare'.",
    "unfit-link": "It is a symbolic link. Copy the file itself here.",
    "unfit-many": "It compares more than {most} settings. Compare fewer.",
    "unfit-no-file": "It is not a regular file. Remove it from the folder.",
    "unfit-no-model": "Its disk has no model (such as loop devices and many virtual disks), so it does not apply to "
    "others. Measure a disk with a model.",
    "unfit-odd-model": "Its disk's model is longer than {most} characters, or contains some that cannot be printed. "
    "Measure another disk.",
    "unfit-exhausted": "It was measured with the fast cache used up, so it cannot be combined with results of rested "
    "disks. Measure without --state.",
    "unfit-felt": "It measures the effect on another disk, so it does not apply to other machines. Measure for a goal.",
    "unfit-own": "It measures a user's own program, so it does not apply to other machines. Measure for a goal.",
    "unfit-same": "It is the same measurement as {other}. Keep one of them.",
    "unfit-same-id": "Several files have its id, {result}, but different samples: some were edited. Copy the originals "
    "here.",
    "unfit-stand-in": "It measured only a substitute; other disks of its model ran the workloads that count. Install "
    "the programs listed by 'disktuner workloads', and measure again.",
    "unfit-tuning": "It tunes the winner of an earlier comparison. Copy the result of that comparison here.",
    "unfit-unreadable": "It cannot be read: {why}. Check its permissions.",
}

_IMPLAUSIBLE = {
    "implausible-date": "“{created}” is not a date. Use the original file, or measure again.",
    "implausible-future": "Its date is in the future: {created}. Set that machine's clock and measure again.",
    "implausible-metric": "It measures “{metric}”, which is unknown to this version. Update Disktuner, or measure "
    "again.",
    "implausible-name": "“{name}” cannot be the name of a scheduler or setting. Use the original file, or measure "
    "again.",
    "implausible-rate": "“{label:named}” is {rate:rate}, but such a disk reaches at most {ceiling:rate}. Measure again "
    "with more data than fits in memory.",
    "implausible-time": "“{label:named}” took longer than {longest:duration}, which is impossible. Measure again.",
    "implausible-unit": "“{label:named}” has a different unit or direction than in Disktuner. Use the original file, "
    "or measure again.",
}

TEXTS: Mapping[str, str | tuple[str, str]] = {
    **_COMMAND,
    **_MANUAL,
    **_GROUPS,
    **_PAGE,
    **_DEFAULTS,
    **_ENGINES,
    **_VERDICTS,
    **_UNFIT,
    **_IMPLAUSIBLE,
}
