# SPDX-License-Identifier: GPL-3.0-or-later
"""The sentences of preparing and running measurements: what is announced, why a run does not count, what stops it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

_Texts: TypeAlias = Mapping[str, str | tuple[str, str]]

_REASONS: _Texts = {
    "cpu-hot": (
        "The CPU slowed itself down once during the run, because of heat.",
        "The CPU slowed itself down {count} times during the run, because of heat.",
    ),
    "cpu-limited": "A CPU limit held the programs back for {held:time} during the run.",
    "cpu-stolen": "The hypervisor took {share:percent} of the CPU during the run.",
    "cut-short": "The run was ended after {took:time}, several times what it takes with the quickest scheduler. "
    "It would have taken longer still.",
    "disk-gone": "The disk vanished during the run.",
    "disk-hot": "{disk} is at {warm:digits} °C, its maker's limit is {limit:digits} °C, so it may slow itself down.",
    "host-cache": "{rate:rate} came from a disk that moves {ceiling:rate} at most: a cache of the host answered.",
    "impossible-value": "{metric} came out as {value}, which cannot be.",
    "not-written": "The program wrote {claimed:bytes}, but only {moved:bytes} reached the disk: compression, "
    "deduplication or a copy that shares its blocks.",
    "o-direct-ignored": "This file system keeps in memory what a program asked to read from the disk (O_DIRECT).",
    "on-battery": "The machine ran on battery and may have slowed down to save it.",
    "other-io": "Other processes moved {moved:bytes} on the disk during the run.",
    "page-cache": "The program read {claimed:bytes}, but the disk delivered only {moved:bytes}: the rest came from the "
    "page cache, or was compressed.",
    "read-only": "The file system became read-only during the run.",
    "run-failed": "The run failed: {error!s}.",
    "scheduler-changed": "The scheduler of {disk} changed: it was {found:scheduler} instead of {expected:scheduler}.",
    "stopped": "{program} was stopped for {stopped:time} during the run.",
    "suspended": "The machine slept for {slept:time} during the run.",
    "too-short": "The measured part took only {took:time}, which is very short.",
    "tunable-changed": "{tunable} of {disk} changed from {before} to {after}.",
    "unmounted": "The folder was unmounted or renamed during the run.",
}

_WARNINGS: _Texts = {
    "run-invalid": "{reason!s}. The run does not count and is repeated if there is time.",
    "runs-invalid": "{reason!s}. Such runs do not count and are repeated if there is time.",
    "run-disturbed": "{reason!s}. Such runs count, because this disturbs all schedulers alike; they only vary more.",
    "level-shifted": "In the second half of the rounds all schedulers came out at {factor:factor} of their values "
    "before in {metric}: because of heat, used-up burst credit, a full fast cache or other work. That favours none "
    "of them, as they are compared round by round.",
    "time-is-up": "The time was up before all planned rounds were done: the disk is slow, or was busy with something "
    "else. Close other programs that use the disk, or choose a larger budget.",
    "bytes-are-used-up": "All that was announced to be written was written before all planned rounds were done. A "
    "larger budget may write more.",
}

_BEFORE: _Texts = {
    "battery-now": "The machine runs on battery and may slow down to save it: runs vary more, so small differences "
    "may stay undecided. Plug it in before you start, if you can.",
    "cpu-limit-now": "A CPU limit of this control group held the programs back just now: runs vary more, so small "
    "differences may stay undecided. Raise the limit (CPUQuota of the service, --cpus of the container), or start "
    "outside of it.",
    "cpu-stolen-now": "The host of this virtual machine took {share:percent} of the CPU just now: runs vary more, so "
    "small differences may stay undecided. Measure when the host has less to do.",
    "continues-another-disk": "{disk} is not the disk of the result {result}. Name a folder on that disk, or start a "
    "new comparison.",
    "continues-what-is-settled": "More rounds would hardly change the answer of the result {result}. Start a new "
    "comparison if the disk or what it is used for has changed.",
    "continues-too-much": "The result {result}, or one run of it, is too large to be measured on within this budget. "
    "Choose a larger budget, or start a new comparison.",
    "continues-nothing": "The result {result} does not hold what is needed to measure on. Start a new comparison.",
    "tunes-another-disk": "{disk} is not the disk of the result {result}. Name a folder on that disk, or tune without "
    "--after.",
    "nothing-to-tune": "There is nothing to tune on {disk} for this goal: no setting that is worth trying would change "
    "it. Choose another goal, or compare settings of your own with --settings.",
    "declared-load": "What is written beside it is held at {rate:rate}: at full speed this disk would take more than "
    "the budget of bytes or its free room allows.",
    "few-rounds": (
        "The disk is so slow that there is time for one round only, which is hardly enough for a verdict. Choose a "
        "larger budget, fewer schedulers or fewer workloads.",
        "The disk is so slow that there is time for {count} rounds only, which is hardly enough for a verdict. Choose "
        "a larger budget, fewer schedulers or fewer workloads.",
    ),
    "kept-until-then": "What was measured until then is kept. To measure on: disktuner compare --continue {result}",
    "mixed-schedulers": "The disks below the folder have different schedulers now ({had:list}): all are compared with "
    "{baseline:scheduler} on all of them, which is not what you have. Give them the same scheduler first to compare "
    "with what you have.",
    "virtual-disk": "{disk} is a virtual disk: its host orders and caches the work too. Compare schedulers only with "
    "each other, not with other machines.",
}

_PHASES: _Texts = {
    "cleaning": "Removing the scratch files…",
    "measuring": "Measuring…",
    "preparing": "Writing the files that all runs share…",
    "probing": "Taking a short look at the disk…",
    "tidying": "Removing {size:bytes} that an interrupted measurement left in {folder}…",
    "warming-up": "Running each workload once with each scheduler, without counting it…",
}

_REFUSALS: _Texts = {
    "as-root": "Benchmarks do not run as root. Start it as an ordinary user, for example: "
    "runuser -u YOUR_NAME -- disktuner …; only switching the scheduler asks for rights.",
    "folder-closed": "You may not look into {folder}. Choose a folder of your own.",
    "folder-not-writable": "You may not write in {folder}. Choose a folder of your own on that disk.",
    "no-baseline-for-all": "{disk} uses {baseline:scheduler}, which {lacking} below the same folder does not offer, so "
    "there is nothing to compare with. Give all of them a scheduler that they share first.",
    "no-folder": "There is no folder {folder}. Make it first, or name a disk from 'disktuner list'.",
    "no-writable-file-system": "{disk} has no file system that you may write to. Mount one, or make a folder of your "
    "own there and name that folder instead (mounted now: {mounts:list}).",
    "not-mounted": "{disk} has no file system that is mounted. Mount one, or name a folder on another disk.",
    "no-workload-runs": "None of the workloads can run here. {reason}",
    "nothing-to-compare": "Name a scheduler other than {baseline:scheduler}, which the disk has now, to compare it "
    "with.",
    "nothing-writable": "Nothing can be written in {folder}: {why!s}. Choose a folder of your own.",
    "too-little-room": "{folder} has too little room: {needed:bytes} are needed, and {usable:bytes} may be used so "
    "that the file system stays at most 90 % full. Free some room there, or choose another folder.",
}

_ENDS: _Texts = {
    "cancelled": "Cancelled. The disk has its scheduler back, and the scratch files are removed.",
    "disk-failed": "Measuring in {folder} failed: {why!s}. Look for errors in the system's log (dmesg), free some "
    "room, or choose another folder.",
    "disk-vanished": "{disks:or} vanished. Connect it again and start anew.",
    "folder-read-only": "{folder} became read-only. Look for errors in the system's log (dmesg), then start anew.",
    "folder-unmounted": "{folder} was unmounted or renamed. Mount it again where it was and start anew.",
    "no-run-counted": "No run counted. {reason} Remove the cause and start anew.",
    "nothing-measured": "Nothing was measured. Choose a larger budget and start anew.",
    "runs-failed": (
        "{count} run failed. {reason} Remove the cause and start anew.",
        "{count} runs in a row failed. {reason} Remove the cause and start anew.",
    ),
    "scratch-renamed": "Somebody renamed the scratch folder. It was emptied; remove it: rmdir {place}",
}

_WORKLOADS: _Texts = {
    # workloads: why one cannot run here
    "no-such-workload": "There is no workload {workload}. Choose one of: {known}.",
    "program-missing": "{program} is not installed: install the package {package}, then start again.",
    "postgresql-missing": "PostgreSQL's server is not installed: install the package {package}, then start again.",
    "raw-read-no-disk": "raw-read reads one whole disk, and below this folder there is none. Leave it out.",
    "raw-read-several-disks": (
        "raw-read reads one whole disk, and below this folder there are several ({disks:list}). "
        "Leave it out, or name a folder on a single disk."
    ),
    "raw-read-not-allowed": (
        "Nobody allowed Disktuner to read the disk {disk} directly. "
        "Try again with an administrator's password, or leave raw-read out."
    ),
    "udisks-could-not-open": (
        "udisks could not open {disk} ({error}). Install the package {package}, or leave raw-read out."
    ),
    "udisks-does-not-know-disk": "udisks does not know the disk {disk}. Leave raw-read out, or restart udisks.",
    "udisks-opened-something-else": (
        "What udisks opened is not {disk} for reading past the page cache. Leave raw-read out, or update {package}."
    ),
    # workloads: why one run yields no number
    "program-failed": "{program} failed with status {status} and printed: “{output}”.",
    "program-failed-silently": "{program} failed with status {status} and printed nothing.",
    "program-not-started": "{program} could not be started: {error}.",
    "program-too-slow": "{program} was ended because it took longer than {limit:time}.",
    "output-not-understood": "The output of {program} could not be understood: “{output}”.",
    "still-cached": "{share:percent} of {file} stays in the page cache although nothing uses it.",
    "nothing-finished": "Nothing was finished in the time of the run. Give it more time (--budget thorough).",
    "raw-disk-empty": "The disk has nothing to read.",
    "server-ended": "The private {server} server ended with status {status} and printed: “{output}”.",
    "server-stopped": "The private {server} server stopped before the run was done.",
    "server-did-not-end": "The private {server} server did not end when it was told to.",
    "server-too-slow": "The private {server} server took no connections within {waited:time}.",
    "server-not-made": (
        "No private {server} server could be made, because {program} failed: “{output}”. "
        "Remove the cause (is there room on the disk?) or choose another folder."
    ),
}

TEXTS: _Texts = {
    **_WORKLOADS,
    **_REASONS,
    **_WARNINGS,
    **_BEFORE,
    **_PHASES,
    **_REFUSALS,
    **_ENDS,
}
