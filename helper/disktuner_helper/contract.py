# SPDX-License-Identifier: GPL-3.0-or-later
"""What callers, packagers and this service agree on: names, places, limits, and which words are acceptable."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

NAME = "org.disktuner.Helper1"
OBJECT_PATH = "/org/disktuner/Helper1"
INTERFACE_XML = Path(__file__).with_name("org.disktuner.Helper1.xml")

MAX_TRIALS = 16
MAX_TRIALS_PER_UID = 4
MAX_DISKS_PER_TRIAL = 32
MAX_TUNABLES = 32
MAX_WAITING_PER_CALLER = 4
MAX_WAITING_PER_UID = 16
MAX_WAITING = 256
TRIAL_LIMIT_S = 1800
PROMPT_LIMIT_S = 300
ANSWER_LIMIT_S = 5
IDLE_LIMIT_S = 30

# Linux: DISK_NAME_LEN is 32, ELV_NAME_MAX 16; sysfs writes a slash in a disk's name as '!'.
_DISK = re.compile(r"[A-Za-z0-9][A-Za-z0-9!_.-]{0,31}", re.ASCII)
_SCHEDULER = re.compile(r"[a-z0-9][a-z0-9_-]{0,15}", re.ASCII)
_IDENTITY = re.compile(r"[A-Za-z0-9_.:-]{1,128}", re.ASCII)
_UNSAFE = re.compile(r"[^A-Za-z0-9_.:!+ -]", re.ASCII)


class Action(Enum):
    """A polkit action, and the sentence that the person who is asked reads."""

    SET_RUNTIME = (
        "org.disktuner.set-runtime",
        "Change how disk $(disk.title) orders its work until the next restart",
    )
    TRIAL = (
        "org.disktuner.trial",
        "Try several ways for disk $(disk.title) to order its work, and put everything back afterwards",
    )
    PERSIST = (
        "org.disktuner.persist",
        "Decide how disk $(disk.title) orders its work at every start of this computer",
    )

    @property
    def id(self) -> str:
        """polkit's name of the action."""
        return str(self.value[0])

    @property
    def message(self) -> str:
        """The sentence; polkit fills in $(disk.title)."""
        return str(self.value[1])


@dataclass(frozen=True, slots=True)
class Places:
    """Where the helper reads and writes. Nothing but code may choose other ones."""

    sys_block: Path = Path("/sys/block")
    udev_data: Path = Path("/run/udev/data")
    rules: Path = Path("/etc/udev/rules.d")
    run: Path = Path("/run/disktuner")
    lib: Path = Path("/var/lib/disktuner")
    udevadm: Path = Path("/usr/bin/udevadm")


def is_disk_name(text: str) -> bool:
    """Whether a text can be a whole disk's name: one component, no path."""
    return _DISK.fullmatch(text) is not None


def is_scheduler_name(text: str) -> bool:
    """Whether a text can be a scheduler's name; whether it exists, only the kernel knows."""
    return _SCHEDULER.fullmatch(text) is not None


def is_identity(text: str) -> bool:
    """Whether a udev property can stand in a rule: a match value is a glob, a quote or newline would end it."""
    return _IDENTITY.fullmatch(text) is not None


def harmless(text: str) -> str:
    """A text from hardware for people to read: at most 64 plain characters on one line."""
    return " ".join(_UNSAFE.sub(" ", text[:256]).split())[:64]
