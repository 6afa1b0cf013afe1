# SPDX-License-Identifier: GPL-3.0-or-later
"""What callers, packagers and this service agree on: names, limits, and the syntax of words."""

import re
import time
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

NAME = "org.disktuner.Helper1"
OBJECT_PATH = "/org/disktuner/Helper1"
INTERFACE_XML = Path(__file__).with_name("org.disktuner.Helper1.xml")

MAX_TRIALS = 16
MAX_TRIALS_PER_UID = 4
MAX_DISKS = 32
MAX_FIELD_TRIAL_S = 31 * 86400
# Calls under way, each in its own thread (GetState is answered at once and not counted).
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
    """Time limits in seconds."""

    answer_s: float = 25  # for polkit and the bus: D-Bus's default
    prompt_s: float = 300  # for a person
    trial_s: float = 1800  # between two uses of a trial
    idle_s: float = 30  # until the helper leaves
    leaving_s: float = 2  # until one that leaves is gone


USUAL = Limits()


class Action(Enum):
    """A polkit action; the text of its prompt is in org.disktuner.policy."""

    SET_RUNTIME = "org.disktuner.set-runtime"
    TRIAL = "org.disktuner.trial"
    PERSIST = "org.disktuner.persist"
    FIELD_TRIAL = "org.disktuner.field-trial"


def utc(unix_s: float | None = None) -> str:
    """Return a time, or now, as ISO 8601."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(unix_s))


def harmless(text: str, length: int = 64) -> str:
    """Return outside text for people to read: one line of at most ``length`` plain characters, "..." if cut."""
    plain = " ".join(_UNSAFE.sub(" ", text[: 4 * length]).split())
    return f"{plain[: length - 4]} ..." if len(plain) > length or len(text) > 4 * length else plain
