# SPDX-License-Identifier: GPL-3.0-or-later
"""udev's rules as they are written: each with its place and its tokens, and what our own ones choose (udev(7))."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TypeVar

from disktuner.block.configuration import named, text_of
from disktuner.block.disk import PersistentChoice
from disktuner.block.sysfs import Tree
from disktuner.vocabulary.tunables import name_of

RULES_FILE = "etc/udev/rules.d/90-disktuner.rules"
ATTRIBUTE = re.compile(r"(?:ATTR|SYSFS)\{((?:(?:queue|bdi)/\w[\w/]*)|(?:device/)?(?:queue_depth|timeout))\}")
"""The keys of a queue's attributes; a SCSI device, which lies above the disk, has some by their bare names."""

COMPARES = ("==", "!=")
"""Operators of conditions."""

RULE_FOLDERS = tuple(f"{place}/udev/rules.d" for place in ("etc", "run", "usr/local/lib", "usr/lib", "lib"))
_TOKEN = re.compile(
    r'(?<![A-Za-z_])([A-Za-z_]+(?:\{[^}]{0,256}\})?)\s*(==|!=|\+=|-=|:=|=)\s*[ie]{0,2}("(?:[^"\\]|\\.)*"|[^\s,"]+)'
)
_PROPERTY = re.compile(r"ENV\{(ID_\w+|DM_UUID)\}")

_MATCH_KEYS = r"(ACTION|DEVPATH|KERNELS?|SUBSYSTEMS?|DRIVERS?|ATTRS\{[^}]*\}|TAGS|TEST|CONST\{[^}]*\}|RESULT)"
_CORRECTIONS: tuple[tuple[str, str | Callable[[re.Match[str]], str]], ...] = (
    (r"\b[a-z]+(?=(?:\{[^}]*\})?\s*[!=+:]?=)", lambda found: found[0].upper()),
    (r"\bBUS\b", "SUBSYSTEMS"),
    (r"\bSYSFS\{", "ATTRS{"),
    (r"\bID\b(?=\s*[!=]=)", "KERNELS"),
    (r"\s*&&\s*", ", "),
    (r'"\s+#[^"]*$', '"'),
    (r'([=!]=|[+:]=|=)\s*(?![ie]{0,2}")([^\s,"=]+)', r'\1"\2"'),
    (rf'\b{_MATCH_KEYS}\s*[+:]?=\s*(?=[ie]{{0,2}}")', r"\1=="),
)
"""What is usually wrong with a line that udev drops."""


T = TypeVar("T")


@dataclass(frozen=True)
class Rule:
    """One rule of a file, and the numbers of its lines: some versions of udev call it by the first, others the last.

    ``ours`` marks those of Disktuner's own file, or of a link beside it that has it read once more.
    """

    file: str
    lines: range
    text: str
    ours: bool

    def among(self, said: Mapping[str, T]) -> T | None:
        """What is said of it by place, which is ``FILE:LINE``."""
        return next((said[place] for line in self.lines if (place := f"{self.file}:{line}") in said), None)

    @cached_property
    def tokens(self) -> list[tuple[str, str, str]]:
        """Key, operator and value of its conditions and assignments, as far as it has that form."""
        return [(key, sign, value.strip('"')) for key, sign, value in _TOKEN.findall(self.text)]

    def has(self, *wanted: str) -> str:
        """The value of the first token with one of these keys, or nothing."""
        return next((value for key, _, value in self.tokens if key in wanted), "")

    @property
    def corrected(self) -> str:
        """The rule as udev would take it; empty where nothing was found that is usually wrong."""
        better = self.text
        for pattern, replacement in _CORRECTIONS:
            better = re.sub(pattern, replacement, better)
        return "" if better == self.text else better

    @property
    def properties(self) -> Mapping[str, str]:
        """By which properties of a disk our own rules know it."""
        tokens = ((_PROPERTY.fullmatch(key), value) for key, sign, value in self.tokens if sign == "==")
        return {match[1]: value for match, value in tokens if match}

    def is_for(self, udev: Mapping[str, str]) -> bool:
        """Whether one of our own rules is about the disk with these properties."""
        return bool(self.properties) and self.properties.items() <= udev.items()


def read_rules(tree: Tree, about: re.Pattern[str]) -> Iterator[Rule]:
    """Yield all rules of the files in which a pattern is found, in the order in which udev reads them."""
    for path in named(tree, RULE_FOLDERS, ".rules"):
        if about.search(text_of(tree, path)):
            yield from rules_of(tree, path)


def rules_of(tree: Tree, path: str) -> Iterator[Rule]:
    """Yield the rules of a file, with continued lines joined and comments left out."""
    ours = path == RULES_FILE or tree.link(path) in (Path(RULES_FILE).name, f"/{RULES_FILE}")
    pending, start = "", 1
    for number, line in enumerate(text_of(tree, path).splitlines(), 1):
        if line.lstrip().startswith("#"):
            continue
        start = start if pending else number
        pending += line.removesuffix("\\")
        if line.endswith("\\"):
            continue
        if pending.strip():
            yield Rule(f"/{path}", range(start, number + 1), pending.strip(), ours)
        pending = ""


def own_choice(rules: Iterable[Rule], udev: Mapping[str, str]) -> PersistentChoice | None:
    """What our own rules choose for a disk with these properties; None where they choose no scheduler."""
    mine = [rule for rule in rules if rule.is_for(udev)]
    tokens = [(ATTRIBUTE.fullmatch(key), value) for rule in mine for key, sign, value in rule.tokens if sign == "="]
    settings = {name_of(match[1]): _number(value) for match, value in tokens if match}
    scheduler = settings.pop("queue/scheduler", None)
    by_port = all(rule.properties.keys() == {"ID_PATH"} for rule in mine)
    return PersistentChoice(str(scheduler), settings, by_port) if scheduler else None


def _number(value: str) -> int | str:
    return int(value) if value.isdecimal() and len(value) < 19 else value
