# SPDX-License-Identifier: GPL-3.0-or-later
"""The sentences of summaries of many machines' results."""

from __future__ import annotations

from collections.abc import Mapping

_COMMAND: Mapping[str, str | tuple[str, str]] = {
    "help-summary": "draw one verdict per disk model from the result files of many machines",
    "help-summary-folder": "the folder with the result files; folders in it are read, too",
    "help-summary-goal": "count only what was measured for this goal: {goals:or} (default: all, each for itself)",
    "no-folder-of-results": "There is no folder {folder}. Name the one that the result files were copied to.",
    "summary-heading": "{model}, kernel {kernel}, {goal:named}: {answer}",
    "summary-machines": ("{count} machine", "{count} machines"),
    "summary-machine-odd": (
        "{count} machine disagrees with the others and does not count. Look what differs there: {files:list}.",
        "{count} machines disagree with the others and do not count. Look what differs there: {files:list}.",
    ),
    "summary-unknown-disk": (
        "{count} machine's file does not say which disk it is about: take care that it was not measured twice.",
        "{count} machines' files do not say which disk they are about: take care that none was measured twice.",
    ),
    "summary-nothing": "No file in {folder} counts. Copy result files there that 'disktuner compare --out FILE' wrote.",
    "summary-left-out": ("{count} file was left out:", "{count} files were left out:"),
    "summary-left-out-file": "{file}: {why}",
}

_UNDECIDED: Mapping[str, str | tuple[str, str]] = {
    "one-machine": (
        "Only one machine was measured; at least {count} more is needed.",
        "Only one machine was measured; at least {count} more are needed.",
    ),
    "more-machines": (
        "Not enough machines to decide; about {count} more would be enough.",
        "Not enough machines to decide; about {count} more would be enough.",
    ),
    "machines-differ-too-much": (
        "The machines differ too much to decide: even {count} more would not be enough. Measure on each what is "
        "best there.",
        "The machines differ too much to decide: even {count} more would not be enough. Measure on each what is "
        "best there.",
    ),
    "machines-nothing-in-common": "The machines have measured no scheduler in common. Measure the same ones on all.",
}

_UNFIT = {
    "unfit-baseline": "It compares with {own:scheduler}, most of its model with {baseline:scheduler}, which was not "
    "measured here. Measure both.",
    "unfit-few-rounds": "No two rounds of what decides have both the baseline and another scheduler. Measure more "
    "rounds.",
    "unfit-folder": "This folder cannot be read: {why}. Check its rights.",
    "unfit-goal": "It was not measured for a goal that this version knows. Measure with 'disktuner compare --goal'.",
    "unfit-kernel": "It does not say which kernel it was measured with. Measure with 'disktuner compare'.",
    "unfit-link": "It is a symbolic link. Copy the file itself here.",
    "unfit-many": "It compares more than {most} settings. Compare fewer.",
    "unfit-no-file": "It is no regular file. Take it out of the folder.",
    "unfit-no-model": "Its disk has no model (as loop devices and many virtual disks), so it tells of no other one. "
    "Measure a disk that has one.",
    "unfit-odd-model": "Its disk's model is longer than {most} signs or not printable. Measure a disk with a proper "
    "name.",
    "unfit-own": "It measures a program of somebody's own, which tells nothing of other machines. Measure for a goal.",
    "unfit-same": "It holds the same measurement as {other}. Keep one of them.",
    "unfit-same-id": "Several files have its id, {result}, but not the same samples: somebody has changed some. Copy "
    "the original here.",
    "unfit-stand-in": "It measured only what stands in for what decides on others of its model. Install the programs "
    "that 'disktuner workloads' names, and measure again.",
    "unfit-tuning": "It tunes the winner of an earlier comparison. Copy the result of that one here.",
    "unfit-unreadable": "It cannot be read: {why}. Check its rights.",
}

_IMPLAUSIBLE = {
    "implausible-date": "“{created}” is no date. Use the original file, or measure again.",
    "implausible-future": "It is dated {created}, which is still to come. Set that machine's clock and measure again.",
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

TEXTS: Mapping[str, str | tuple[str, str]] = {**_COMMAND, **_UNDECIDED, **_UNFIT, **_IMPLAUSIBLE}
