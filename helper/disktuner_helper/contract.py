# SPDX-License-Identifier: GPL-3.0-or-later
"""What callers, packagers and this service agree on: names, limits, and which words are acceptable."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from disktuner_helper import errors

NAME = "org.disktuner.Helper1"
OBJECT_PATH = "/org/disktuner/Helper1"
INTERFACE_XML = Path(__file__).with_name("org.disktuner.Helper1.xml")

MAX_TRIALS = 16
MAX_TRIALS_PER_UID = 4
MAX_DISKS = 32
MAX_FIELD_TRIAL_S = 31 * 86400
# Calls under way, each in a thread of its own (GetState is answered at once and not counted).
MAX_CALLS_PER_CALLER = 4
MAX_CALLS_PER_UID = 16
MAX_CALLS = 64

# Linux: DISK_NAME_LEN is 32, ELV_NAME_MAX 16; sysfs writes a slash in a disk's name as '!'.
DISK_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9!_.-]{0,31}", re.ASCII)
SCHEDULER_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,15}", re.ASCII)
# A udev property that can stand in a rule: a match value is a glob, a quote or newline would end it.
IDENTITY = re.compile(r"[A-Za-z0-9_.:-]{1,128}", re.ASCII)
_UNSAFE = re.compile(r"[^A-Za-z0-9_.:!+ -]", re.ASCII)


@dataclass(frozen=True, slots=True)
class Limits:
    """How many seconds may pass: until polkit or the bus answers (25 is what D-Bus itself allows), until a person
    does, between two uses of a trial, without work before the helper leaves, and until one that leaves is gone.
    """

    answer_s: float = 25
    prompt_s: float = 300
    trial_s: float = 1800
    idle_s: float = 30
    leaving_s: float = 2


USUAL = Limits()


class Action(Enum):
    """A polkit action; what the person who is asked reads stands in org.disktuner.policy."""

    SET_RUNTIME = "org.disktuner.set-runtime"
    TRIAL = "org.disktuner.trial"
    PERSIST = "org.disktuner.persist"
    FIELD_TRIAL = "org.disktuner.field-trial"


CHOOSING = {False: Action.SET_RUNTIME, True: Action.PERSIST}
"""By whether a choice is to hold at every start."""


def check_number_of(disks: Sequence[tuple[str, int]]) -> None:
    """Raise Busy for more disks than polkit is told of, or a repeated one."""
    if len(disks) > MAX_DISKS or len(dict(disks)) != len(disks):
        raise errors.Busy("too-many-disks", most=MAX_DISKS)


def harmless(text: str, length: int = 64) -> str:
    """A text from outside for people to read: at most so many plain characters on one line, "..." where it goes on."""
    plain = " ".join(_UNSAFE.sub(" ", text[: 4 * length]).split())
    return f"{plain[: length - 4]} ..." if len(plain) > length or len(text) > 4 * length else plain
