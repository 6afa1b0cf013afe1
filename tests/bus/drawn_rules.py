# SPDX-License-Identifier: GPL-3.0-or-later
"""Rules drawn from udev's grammar, valid and invalid, that set a disk's scheduler, and the outcome they must have."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from random import Random

from disktuner.block.writers import LineState, Writer

SCHEDULERS = ("mq-deadline", "kyber", "bfq")
_CONDITIONS: dict[str, Sequence[str]] = {
    "KERNEL": ("{name}", "loop*", "loop[0-9]*", "loop[^a]*", "loop[!0-9]*", "sd*", "sd*|loop*", "loop?*", ""),
    "SUBSYSTEM": ("block", "scsi", "b*", "block|scsi"),
    "ACTION": ("add", "change", "add|change", "remove", "?*"),
    "DEVPATH": ("*/block/loop*", "*/sd*"),
    "DRIVER": ("", "sd"),
    "ENV{DEVTYPE}": ("disk", "partition"),
    "ENV{ACTION}": ("add", "change"),
    "ENV{MINE}": ("1", "", "?*"),
    "ENV{ABSENT}": ("x", "", "*"),
    "ENV{DISKSEQ}": ("?*", ""),
    "ENV{ID_FS_TYPE}": ("ext4", "?*"),
    "ATTR{queue/rotational}": ("0", "1"),
    "ATTR{removable}": ("0", "1", "[01]"),
    "ATTR{absent}": ("x", "", "*"),
    "ATTR{queue/scheduler}": ("*none*", "*[[]none]*", "bfq"),
    "ATTR{queue/nr_requests}": ("?*", "1"),
    "KERNELS": ("loop*", "virtual", "block", "sd*"),
    "SUBSYSTEMS": ("block", "scsi"),
    "ATTRS{size}": ("?*", "0"),
    "DRIVERS": ("?*", ""),
    "TAGS": ("mine", "x"),
    "TEST": ("queue/scheduler", "absent", "/etc/passwd", "queue/iosched/low_latency"),
    "CONST{arch}": ("x86-64", "arm*"),
    "SYSCTL{kernel.ostype}": ("Linux", "BSD"),
    "TAG": ("mine", "x"),
    "SYMLINK": ("mine", "x"),
    "PROGRAM": ("/bin/true", "/bin/echo kyber", "/bin/false"),
    "RESULT": ("kyber", "x*"),
    "IMPORT{program}": ("/bin/echo MINE=1",),
    "IMPORT{builtin}": ("path_id", "blkid"),
    "IMPORT{cmdline}": ("nosuch",),
    "IMPORT{db}": ("MINE",),
    "BUS": ("scsi",),
    "SYSFS{size}": ("1",),
}
_ONLY_COMPARED = ("SYMLINK", "ENV{DEVTYPE}", "ENV{ACTION}", "ENV{DISKSEQ}")
"""Where these are assigned, udevd itself is not done with the event for minutes."""

_ALSO = ('ENV{MINE}="1"', 'TAG+="mine"', 'OPTIONS+="watch"', 'MODE="0660"', 'GOTO="end"', 'GOTO="missing"',
         'ATTR{queue/read_ahead_kb}="256"', 'ENV{WANT}="bfq"')  # fmt: skip
_SETS = (
    *(['ATTR{{queue/scheduler}}="{value}"'] * 8),
    'ATTR{{queue/scheduler}}:="{value}"',
    'ATTR{{queue/scheduler}}+="{value}"',
    'ATTR{{queue/scheduler}}=="{value}"',
    "ATTR{{queue/scheduler}}={value}",
    "RUN+=\"/bin/sh -c 'echo {value} > /sys/block/%k/queue/scheduler'\"",
    "RUN+=\"/bin/sh -c 'echo 128 > /sys%p/queue/read_ahead_kb; echo {value} > /sys%p/queue/scheduler'\"",
    "RUN=\"/bin/sh -c 'echo {value} > /sys/block/$kernel/queue/scheduler'\"",
    'RUN+="/bin/echo {value} > /sys/block/%k/queue/scheduler"',
    'RUN+="/bin/cat /sys/block/%k/queue/scheduler"',
)
_SEPARATORS = (*([", "] * 12), " ", ",", " && ")
_ENDS = (*([""] * 14), " # faster")


def drawn(random: Random, name: str) -> str:
    """Return a file with one or two rules that set the scheduler of the disk, among others that do not."""
    rules = [_rule(random, name, random.choice(_ALSO)) for _ in range(random.choice((0, 0, 1, 2)))]
    values = random.sample(SCHEDULERS, random.choice((1, 1, 2)))
    rules += [_rule(random, name, random.choice(_SETS).format(value=value)) for value in values]
    random.shuffle(rules)
    rules.insert(random.randrange(len(rules) + 1), 'LABEL="end"')
    return "\n".join(rules) + "\n"


def _rule(random: Random, name: str, does: str) -> str:
    keys = random.sample(sorted(_CONDITIONS), random.choice((1, 1, 2, 2, 3)))
    conditions = [
        f'{key}{random.choice(_signs(key))}"{random.choice(_CONDITIONS[key]).format(name=name)}"' for key in keys
    ]
    return random.choice(_SEPARATORS).join((*conditions, does)) + random.choice(_ENDS)


def _signs(key: str) -> Sequence[str]:
    if key.startswith("IMPORT"):
        return ("=",)
    if key == "PROGRAM":
        return ("=", "==", "!=")
    if key in _ONLY_COMPARED:
        return ("==", "==", "!=")
    return (*(["=="] * 8), "!=", "!=", "=")


def contradictions(writers: Sequence[Writer], happened: Collection[str]) -> list[Writer]:
    """Return what is wrongly reported about a line; ``happened`` are the disk's schedulers after an event."""
    lines = [writer for writer in writers if writer.sets_scheduler and writer.value in SCHEDULERS]
    maybe = {line.value for line in lines if line.state in (LineState.OPEN, LineState.MENTIONS)}
    silent = [line for line in lines if line.state in (LineState.DEAD, LineState.OTHER_DISKS, LineState.OVERRIDDEN)]
    acting = {line.value for line in lines if line.state is LineState.ACTS}
    wrong = [writer for writer in silent if writer.value in happened and writer.value not in acting | maybe]
    return wrong + [
        line
        for line in lines
        if line.state is LineState.ACTS and line.value not in happened and not maybe & set(happened)
    ]
