# SPDX-License-Identifier: GPL-3.0-or-later
"""The sentences of preparing and running measurements: what is announced, why a run does not count, what stops it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

_Texts: TypeAlias = Mapping[str, str | tuple[str, str]]

_REASONS: _Texts = {
    "cpu-hot": (
        "The CPU throttled once during the run because of heat.",
        "The CPU throttled {count} times during the run because of heat.",
    ),
    "cpu-limited": "A CPU limit held the programs back for {held:time} during the run.",
    "pressure-unconfirmed": "For {share:percent} of the time in use, the kernel counted programs as waiting for the "
    "disk, but nothing confirmed it. This time was left out: since Linux 6.5, a program that sleeps in io_uring counts "
    "as waiting.",
    "cpu-stolen": "The hypervisor took {share:percent} of the CPU during the run.",
    "cut-short": "The run was stopped after {took:time}, several times as long as with the fastest scheduler. It would "
    "have taken even longer.",
    "disk-error": "The kernel reported errors or a reset of {disk} during the run.",
    "disk-gone": "The disk was disconnected during the run.",
    "disk-hot": "{disk} is at {warm:digits} °C; its limit is {limit:digits} °C, so it may throttle.",
    "host-cache": "The disk cannot deliver {rate:rate}, only {ceiling:rate}: the data came from a cache of the host.",
    "impossible-value": "{metric} was {value}, which is impossible.",
    "not-written": "The program wrote {claimed:bytes}, but only {moved:bytes} reached the disk, because of "
    "compression, deduplication or shared blocks.",
    "o-direct-ignored": "This file system caches even direct reads (O_DIRECT).",
    "on-battery": "The computer ran on battery and may have throttled.",
    "other-io": "Other processes read or wrote {moved:bytes} on the disk during the run.",
    "page-cache": "The program read {claimed:bytes}, but only {moved:bytes} came from the disk; the rest came from the "
    "page cache or was compressed.",
    "read-only": "The file system became read-only during the run.",
    "run-failed": "The run failed: {error!s}.",
    "scheduler-changed": "The scheduler of {disk} was changed during the run: {found:scheduler} instead of "
    "{expected:scheduler}.",
    "stopped": "{program} was suspended for {stopped:time} during the run.",
    "suspended": "The computer slept for {slept:time} during the run.",
    "too-short": "The measured part took only {took:time}, which is very short.",
    "tunable-changed": "{tunable} of {disk} was changed while measuring, from {before} to {after}.",
    "unmounted": "The folder was unmounted or renamed during the run.",
}

_WARNINGS: _Texts = {
    "bytes-written": "The disk wrote {written:bytes} while measuring.",
    "run-invalid": "{reason!s}. The run does not count and is repeated if there is time.",
    "runs-invalid": "{reason!s}. Such runs do not count and are repeated if there is time.",
    "run-disturbed": "{reason!s}. Such runs count: all schedulers are affected alike, but values vary more.",
    "level-shifted": "{metric}: in the second half of the rounds, all schedulers' values were {factor:factor} what "
    "they were before, because of heat, used-up burst credit, a full cache on the disk or other programs. The "
    "comparison is still fair, as schedulers are compared round by round.",
    "time-is-up": "Time ran out before all planned rounds were done: the disk is slow, or other programs used it. "
    "Close them, or choose a larger budget.",
    "bytes-are-used-up": "The limit for written data was reached before all planned rounds were done. A larger budget "
    "allows more.",
}

_BEFORE: _Texts = {
    "battery-now": "The computer runs on battery and may throttle, so runs vary more and small differences may stay "
    "undecided. Plug it in first if you can.",
    "cpu-limit-now": "A CPU limit of this control group is in effect, so runs vary more and small differences may stay "
    "undecided. Raise the limit (CPUQuota of the service, --cpus of the container), or run outside it.",
    "cpu-stolen-now": "The host of this virtual machine is taking {share:percent} of the CPU, so runs vary more and "
    "small differences may stay undecided. Measure when the host is less busy.",
    "result-of-another-disk": "{disk} is not the disk of result {result}. Name a folder on that disk, or start a new "
    "comparison.",
    "continues-what-is-settled": "More rounds would hardly change the answer of result {result}. Start a new "
    "comparison if the disk or its use has changed.",
    "continues-too-much": "Result {result}, or a single run of it, is too large for this budget. Choose a larger "
    "budget, or start a new comparison.",
    "continues-nothing": "Result {result} cannot be continued: it lacks the necessary data. Start a new comparison.",
    "nothing-to-tune": "There is nothing to tune on {disk} for this goal: no known setting would make a difference. "
    "Choose another goal, or compare your own settings with --settings.",
    "declared-load": "Background writers are limited to {rate:rate}: at full speed they would exceed the limit for "
    "written data or the free space.",
    "felt-has-no-goal": "--felt measures what is felt on another disk: omit --goal, --workloads and --command.",
    "felt-here": "This is not felt on another disk. Omit --felt, or measure what is: --workload use-elsewhere.",
    "felt-in": "The effect of the copy is measured in {folder}, on {disk}; at most {size:bytes} are written there.",
    "felt-little-memory": "With {memory:bytes} of free memory, a copy may push open programs out of memory. If it "
    "does, limit the memory of the copy: systemd-run --user --scope -p MemoryHigh=32M cp …",
    "priorities-past-cache": "This cannot be measured below bcache, where requests of idle priority may bypass the "
    "cache.",
    "felt-needs-folder": "This measures what is felt on another disk. Name a folder there with --felt.",
    "felt-not-there": "The other disk is not the cause: with {memory:bytes} of free memory, a limit on what may wait "
    "for {disk} makes no difference on {felt}.\nIf programs freeze all the same, measure {felt}:\n  disktuner compare "
    "{folder:word} --goal desktop\nIf they freeze after a copy larger than the free memory, limit the memory of the "
    "copy:\n  systemd-run --user --scope -p MemoryHigh=32M cp …",
    "felt-same-disk": "{folder} is on {disk} itself. Find out what keeps it usable during a copy: disktuner tune "
    "{folder:word} --goal desktop.",
    "few-rounds": (
        "The disk is so slow that there is time for only one round, which is hardly enough for a verdict. Choose a "
        "larger budget, fewer schedulers or fewer workloads.",
        "The disk is so slow that there is time for only {count} rounds, which is hardly enough for a verdict. Choose "
        "a larger budget, fewer schedulers or fewer workloads.",
    ),
    "kept-until-then": "The rounds so far are kept. To continue: disktuner compare --continue {result:word}",
    "mixed-schedulers": "The disks of this folder use different schedulers ({schedulers:list}), so the baseline is "
    "{baseline:scheduler} on all of them. To compare with your current setup, give them all the same scheduler first.",
    "scheduler-changed-meanwhile": "The scheduler of {disk} was changed from {before:scheduler} to {found:scheduler} "
    "after the measurement was planned, so nothing was measured. Start again to compare with {found:scheduler}.",
    "virtual-disk": "{disk} is a virtual disk: its host also orders and caches requests. Compare its schedulers only "
    "with each other, not with other machines.",
}

_PHASES: _Texts = {
    "cleaning": "Removing scratch files…",
    "measuring": "Measuring…",
    "preparing": "Writing the files that all runs use…",
    "probing": "Checking the speed of the disk…",
    "tidying": "Removing {size:bytes} left in {folder} by an interrupted measurement…",
    "warming-up": "Warming up: one uncounted run of each workload with each scheduler…",
}

_REFUSALS: _Texts = {
    "as-root": "Benchmarks do not run as root. Start Disktuner as a normal user, for example: runuser -u YOUR_NAME -- "
    "disktuner …; only changing the scheduler needs more rights.",
    "folder-closed": "You have no access to {folder}. Choose a folder of your own.",
    "folder-not-writable": "You cannot write to {folder}. Choose a folder of your own on that disk.",
    "no-baseline-for-all": "{disk} uses {baseline:scheduler}, but {lacking}, which holds the same folder, does not "
    "offer it. Give them all the same scheduler first.",
    "no-folder": "There is no folder {folder}. Create it first, or name a disk from 'disktuner list'.",
    "no-writable-file-system": "You cannot write to any file system of {disk}. Mount one, or create a folder of your "
    "own there and name it instead (mounted now: {mounts:list}).",
    "not-mounted": "{disk} has no mounted file system. Mount one, or name a folder on another disk.",
    "workloads-decide-nothing": "None of these workloads counts for {purpose:named}. Add one that does ({known:or}), "
    "or choose another goal with --goal.",
    "no-workload-runs": "No workload can run here. {reason}",
    "nothing-to-compare": "{baseline:scheduler} is the current scheduler. Name another one to compare it with.",
    "nothing-writable": "Cannot write to {folder}: {why!s}. Choose a folder of your own.",
    "too-little-room": "Not enough space in {folder}: {needed:bytes} needed, {usable:bytes} usable without filling the "
    "file system beyond 90 %. Free some space, or choose another folder.",
}

_ENDS: _Texts = {
    "cancelled": "Cancelled. The disk has the scheduler that it had before, and the scratch files are removed.",
    "disk-failed": "Measuring in {folder} failed: {why!s}. Check the system log for errors (dmesg), free some space, "
    "or choose another folder.",
    "disk-vanished": "{disks:or} was disconnected. Connect it and start again.",
    "folder-read-only": "{folder} became read-only. Check the system log for errors (dmesg), then start again.",
    "folder-unmounted": "{folder} was unmounted or renamed. Mount it where it was, and start again.",
    "no-run-counted": "No run counted. {reason} Fix the cause and start again.",
    "nothing-measured": "Nothing was measured. Choose a larger budget and start again.",
    "runs-failed": (
        "{count} run failed. {reason} Fix the cause and start again.",
        "{count} runs in a row failed. {reason} Fix the cause and start again.",
    ),
    "scratch-renamed": "The scratch folder was renamed. It is now empty; to remove it: rmdir {place}",
}

_WORKLOADS: _Texts = {
    # workloads: why one cannot run here
    "no-such-workload": "There is no workload {workload}. Choose from: {known}.",
    "program-missing": "{program} is not installed. Install the package {package}, then start again.",
    "postgresql-missing": "The PostgreSQL server is not installed. Install the package {package}, then start again.",
    "raw-read-no-disk": "raw-read reads a single whole disk, and this folder is on none. Leave raw-read out.",
    "raw-read-several-disks": "raw-read reads a single whole disk, and this folder is on several ({disks:list}). Leave "
    "raw-read out, or name a folder on a single disk.",
    "raw-read-not-allowed": "Disktuner was not authorised to read {disk} directly. Try again with an administrator's "
    "password, or leave raw-read out.",
    "udisks-could-not-open": (
        "udisks could not open {disk} ({error}). Install the package {package}, or leave raw-read out."
    ),
    "udisks-does-not-know-disk": "udisks does not know {disk}. Leave raw-read out, or restart udisks.",
    # workloads: why one run yields no number
    "program-failed": "{program} failed with status {status}: “{output}”.",
    "program-failed-silently": "{program} failed with status {status} and no output.",
    "program-not-started": "{program} could not be started: {error}.",
    "program-too-slow": "{program} was stopped: it took longer than {limit:time}.",
    "output-not-understood": "Unexpected output of {program}: “{output}”.",
    "still-cached": "{share:percent} of {file} could not be removed from the page cache, although nothing uses it.",
    "nothing-finished": "No operation finished during the run. Choose a larger budget.",
    "raw-disk-empty": "The disk has no data to read.",
    "server-stopped": "The private {server} server stopped before the end of the run.",
    "server-too-slow": "The private {server} server did not accept connections within {waited:time}.",
    "server-not-made": "No private {server} server could be created: {program} failed: “{output}”. Fix the cause (is "
    "the disk full?), or choose another folder.",
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
