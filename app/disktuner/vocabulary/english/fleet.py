# SPDX-License-Identifier: GPL-3.0-or-later
"""The sentences of summaries of many machines' results."""

from __future__ import annotations

from collections.abc import Mapping

_COMMAND: Mapping[str, str | tuple[str, str]] = {
    "help-summary": "draw one verdict per disk model from the result files of many machines",
    "help-summary-folder": "the folder with the result files; subfolders are read, too",
    "help-summary-goal": "count only what was measured for this goal: {goals:or} (default: all, each separately)",
    "no-folder-of-results": "There is no folder {folder}. Name the one that the result files were copied to.",
    "help-summary-html": "write a page that can be published anywhere: one file, without scripts or file names",
    "help-summary-personal": "name the files on the page; they may name machines",
    "help-summary-hwdb": "write the clear verdicts as defaults for udev (a hardware database and a rule) into this "
    "folder",
    "machines-none": "No file counts. Add result files that 'disktuner compare --out FILE' wrote.",
    "left-out-file": "{file}: {why}",
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
        "{count} machine disagrees with the others and does not count. Find out what is different there: {files}.",
        "{count} machines disagree with the others and do not count. Find out what is different there: {files}.",
    ),
    "machines-unknown": (
        "{count} file does not say which disk it is about. It counts as one machine.",
        "{count} files do not say which disk they are about. As it may be the same one, together they count as one "
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
    "column-advice": "answer",
    "column-estimate": "estimate",
    "column-machines": "machines",
    "forest-title": "{scheduler:scheduler} against {baseline:scheduler}: {label}",
    "forest-legend": "In the pictures, each line is a machine's score with its own 95 % interval, the last one is all "
    "together. From the dashed line on, a change is worth it. A machine with a hollow mark disagrees with the others.",
    "forest-some": (
        "{shown} of {count} machine are drawn, evenly chosen.",
        "{shown} of {count} machines are drawn, evenly chosen.",
    ),
    "machine-number": "machine {number}",
    "machines-together": "together",
    "what-was-left-out": "Left out",
    "left-out-reason": ("{count} file: {why}", "{count} files: {why}"),
    "how-computed": "How this was computed",
    "machines-method-pooled": "Each machine counts once, with its score: the weighted mean of what is gained over all "
    "that decides. Machines truly differ, so what is shown is the typical score (random effects: Paule and Mandel's "
    "variance, Hartung and Knapp's error). “At least” holds for all schedulers together, with 95 % confidence.",
    "machines-method-odd": "A machine whose score is farther from the others than they differ among each other is "
    "named and does not count; in at most one group of twenty one is named by chance.",
    "machines-method-choice": "A verdict follows the rule of a single result: switch if a gain that is worth it is "
    "proved and every price is within what the goal tolerates. It tells of the model as measured, not of each machine.",
}

_DEFAULTS: Mapping[str, str | tuple[str, str]] = {
    "defaults-of-several-goals": "There are clear verdicts for several goals ({goals:list}), but a disk has one "
    "default. Choose with --goal.",
    "defaults-none": "No verdict to switch is clear, so no default was written to {folder}. Measure more machines.",
    "defaults-odd-model": "{model} is not among the defaults: its name contains characters that udev changes.",
    "defaults-tunables": "{model} is not among the defaults: {setting:setting} sets tunables, which defaults do not "
    "cover. Compare plain schedulers.",
    "defaults-about": "Which I/O scheduler suits a disk model for {goal:named}, as measured with Disktuner.",
    "defaults-when": "Sets it when the disk appears; later rules, such as 90-disktuner.rules, may set another one.",
    "defaults-entry": "{model}, {facts}: {answer}. {why}",
    "defaults-use": "To use them: copy {hwdb} to /etc/udev/hwdb.d and {rules} to /etc/udev/rules.d, then run "
    "'systemd-hwdb update' and 'udevadm control --reload'.",
}

_UNDECIDED: Mapping[str, str | tuple[str, str]] = {
    "one-machine": (
        "Only one machine was measured; at least {count} more is needed.",
        "Only one machine was measured; at least {count} more are needed.",
    ),
    "more-machines": ("About {count} more machine would tell.", "About {count} more machines would tell."),
    "machines-differ-too-much": (
        "The machines differ too much to decide: even {count} more would not be enough. Measure on each what is "
        "best there.",
        "The machines differ too much to decide: even {count} more would not be enough. Measure on each what is "
        "best there.",
    ),
    "machines-nothing-in-common": "The machines have measured no scheduler in common. Measure the same ones on all.",
}

_UNFIT = {
    "unfit-baseline": "Its baseline is {own:scheduler}, that of most disks of its model {baseline:scheduler}, which "
    "was not measured here. Measure both.",
    "unfit-few-rounds": "No two rounds of what decides have both the baseline and another scheduler. Measure more "
    "rounds.",
    "unfit-folder": "This folder cannot be read: {why}. Check its rights.",
    "unfit-goal": "It was not measured for a goal that this version knows. Measure with 'disktuner compare --goal'.",
    "unfit-kernel": "It does not say which kernel it was measured with. Measure with 'disktuner compare'.",
    "unfit-link": "It is a symbolic link. Copy the file itself here.",
    "unfit-many": "It compares too many settings (at most {most}). Compare fewer.",
    "unfit-no-file": "It is not a regular file. Take it out of the folder.",
    "unfit-no-model": "Its disk has no model (as loop devices and many virtual disks), so it says nothing about "
    "others. Measure a disk that has one.",
    "unfit-odd-model": "Its disk's model has too many characters (at most {most}), or some that cannot be printed. "
    "Measure a disk with a proper name.",
    "unfit-own": "It measures a program of somebody's own, which says nothing about other machines. Measure for a "
    "goal.",
    "unfit-same": "It holds the same measurement as {other}. Keep one of them.",
    "unfit-same-id": "Several files have its id, {result}, but not the same samples: somebody has changed some. Copy "
    "the original here.",
    "unfit-stand-in": "It measured only a substitute for what decides on others of its model. Install the programs "
    "that 'disktuner workloads' names, and measure again.",
    "unfit-tuning": "It tunes the winner of an earlier comparison. Copy the result of that one here.",
    "unfit-unreadable": "It cannot be read: {why}. Check its rights.",
}

_IMPLAUSIBLE = {
    "implausible-date": "“{created}” is not a date. Use the original file, or measure again.",
    "implausible-future": "It is dated {created}, which is in the future. Set that machine's clock and measure again.",
    "implausible-metric": "It measures “{metric}”, which this version does not know. Update Disktuner, or measure "
    "again.",
    "implausible-name": "“{name}” cannot be the name of a scheduler or setting. Use the original file, or measure "
    "again.",
    "implausible-rate": "“{label:named}” is {rate:rate}; such a disk's bus moves {ceiling:rate} at most. Measure "
    "again with more data than the memory holds.",
    "implausible-time": "“{label:named}” took longer than {longest:duration}, which cannot be. Measure again.",
    "implausible-unit": "“{label:named}” has another unit or direction than Disktuner gives it. Use the original file, "
    "or measure again.",
}

TEXTS: Mapping[str, str | tuple[str, str]] = {
    **_COMMAND,
    **_GROUPS,
    **_PAGE,
    **_DEFAULTS,
    **_UNDECIDED,
    **_UNFIT,
    **_IMPLAUSIBLE,
}
