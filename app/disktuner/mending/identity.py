# SPDX-License-Identifier: GPL-3.0-or-later
"""The udev property by which other programs' settings can know a disk, whatever its name is at the next start."""

from __future__ import annotations

import re
from dataclasses import dataclass

from disktuner.block.udev import read_own_rules, udev_properties
from disktuner.block.writers import Subject
from disktuner.mending.mending import NotSure
from disktuner.vocabulary.messages import message

_KEYS = ("ID_WWN", "ID_SERIAL", "ID_PATH")
_SAFE = re.compile(r"[A-Za-z0-9_.:-]{4,128}")
_EMPTY = re.compile(r"(0x|eui\.|naa\.)?(.)\2*")


@dataclass(frozen=True, slots=True)
class Identity:
    """A property and its value, in which no sign means anything to udev, to a shell or to TuneD."""

    key: str
    value: str

    @property
    def pattern(self) -> str:
        """The regular expression that finds it in TuneD's list of a disk's properties, a line each."""
        return f"^{self.key}={re.escape(self.value)}$"


def identity_of(subject: Subject) -> Identity:
    """Return what Disktuner's own rule knows the disk by, else the first property that no other disk has.

    Raises NotSure where there is none.
    """
    properties = subject.udev
    chosen = [rule for rule in read_own_rules(subject.tree) if rule.is_for(properties)]
    keys = [key for rule in chosen[:1] for key in rule.properties if key in _KEYS] or list(_KEYS)
    for key in keys:
        value = properties.get(key, "")
        if _SAFE.fullmatch(value) and not is_blank(value) and _is_alone(subject, key, value):
            return Identity(key, value)
    raise NotSure(message("mend-no-identity"))


def is_blank(value: str) -> bool:
    """Say whether a serial number or WWN tells nothing, being one sign all over: cheap bridges say 000000000000."""
    return _EMPTY.fullmatch(value) is not None


def _is_alone(subject: Subject, key: str, value: str) -> bool:
    tree = subject.tree
    others = (name for name in tree.names("sys/block") if name != subject.disk.name)
    numbers = (tree.text(f"sys/block/{name}/dev") or "" for name in others)
    return all(udev_properties(tree, number).get(key) != value for number in numbers if number)
