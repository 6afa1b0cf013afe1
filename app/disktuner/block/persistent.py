# SPDX-License-Identifier: GPL-3.0-or-later
"""What the helper wrote down of disks: our own udev rule for every start, and what was set until the next restart."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from disktuner.block.disk import PersistentChoice, UntilRestart
from disktuner.block.sysfs import Tree

RULES_FILE = "etc/udev/rules.d/90-disktuner.rules"
_HOLDS = "run/disktuner/hold"
_HOLD = re.compile(r"(\d+:\d+)-(\d*)-until-restart")
_MATCH = re.compile(r'ENV\{([A-Z0-9_]+)\}=="([^"]*)"')
_SET = re.compile(r'ATTR\{queue/([A-Za-z0-9_/]+)\}="([^"]*)"')


@dataclass(frozen=True, slots=True)
class OwnRule:
    """One block of our rule: the udev properties that a disk must have, what it then gets, and its lines."""

    properties: Mapping[str, str]
    choice: PersistentChoice
    line: int

    def is_for(self, udev: Mapping[str, str]) -> bool:
        """Whether the rule is about the disk with these udev properties."""
        return bool(self.properties) and all(udev.get(key) == value for key, value in self.properties.items())


def read_own_rules(tree: Tree) -> tuple[OwnRule, ...]:
    """All blocks of our rule; empty where there is no such file."""
    text = tree.text(RULES_FILE)
    if not text:
        return ()
    found: dict[tuple[tuple[str, str], ...], tuple[int, dict[str, str]]] = {}
    for number, line in _logical_lines(text):
        properties = tuple(
            (key, value) for key, value in _MATCH.findall(line) if key.startswith("ID_") or key == "DM_UUID"
        )
        settings = dict(_SET.findall(line))
        if properties and settings:
            found.setdefault(properties, (number, {}))[1].update(settings)
    rules = (_rule(dict(key), number, settings) for key, (number, settings) in found.items())
    return tuple(rule for rule in rules if rule is not None)


def read_holds(tree: Tree) -> Mapping[tuple[str, int], UntilRestart]:
    """What was set until the next restart, by device number and diskseq (0 where the kernel has none).

    The helper leaves a file for each such disk, which holds our rule back as long as it is there.
    """
    found = {}
    for name in tree.names(_HOLDS):
        words = (tree.text(f"{_HOLDS}/{name}") or "").split()
        if (match := _HOLD.fullmatch(name)) and len(words) == 2:
            found[match[1], int(match[2] or 0)] = UntilRestart(*words)
    return found


def _logical_lines(text: str) -> list[tuple[int, str]]:
    """Lines without comments, with those that end in a backslash joined, and the number of the first."""
    found: list[tuple[int, str]] = []
    pending, start = "", 0
    for number, line in enumerate(text.splitlines(), 1):
        if not pending and line.lstrip().startswith("#"):
            continue
        start = start if pending else number
        if line.endswith("\\"):
            pending += line[:-1]
            continue
        found.append((start, pending + line))
        pending = ""
    return found


def _rule(properties: Mapping[str, str], line: int, settings: dict[str, str]) -> OwnRule | None:
    scheduler = settings.pop("scheduler", None)
    if scheduler is None:
        return None
    tunables: dict[str, str | int] = {}
    for name, value in settings.items():
        full = name if name.startswith("iosched/") else f"queue/{name}"
        tunables[full] = int(value) if value.isdecimal() and len(value) < 19 else value
    return OwnRule(properties, PersistentChoice(scheduler, tunables, set(properties) == {"ID_PATH"}), line)
