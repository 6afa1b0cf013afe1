# SPDX-License-Identifier: GPL-3.0-or-later
"""udev's rules as written, each with its place and tokens, and what our own rules choose (udev(7))."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import sha256
from typing import TypeVar

import msgspec

from disktuner.block.disk import PersistentChoice
from disktuner.block.sysfs import Tree, named, text_of

OWN_RULES = "etc/udev/rules.d/90-disktuner-"
"""The prefix of the helper's files, one per disk; for their contents see disktuner_helper/persist.py."""

OLD_RULES = "etc/udev/rules.d/90-disktuner.rules"
"""The file of older versions for all disks, which udev reads after the others."""

ATTRIBUTE = re.compile(r"(?:ATTR|SYSFS)\{((?:(?:queue|bdi)/\w[\w/]*)|(?:device/)?(?:queue_depth|timeout))\}")
"""The keys of a queue's attributes; the disk's SCSI device has some by their bare names."""

COMPARES = ("==", "!=")
"""Operators of conditions."""

RULE_FOLDERS = tuple(f"{place}/udev/rules.d" for place in ("etc", "run", "usr/local/lib", "usr/lib", "lib"))
_TOKEN = re.compile(
    r'(?<![A-Za-z_])([A-Za-z_]+(?:\{[^}]{0,256}\})?)\s*(==|!=|\+=|-=|:=|=)\s*[ie]{0,2}("(?:[^"\\]|\\.)*"|[^\s,"]+)'
)
_DIGEST = "# sha256 of all above: "

_MATCH_KEYS = r"(ACTION|DEVPATH|KERNELS?|SUBSYSTEMS?|DRIVERS?|ATTRS\{[^}]*\}|TAGS|TEST|CONST\{[^}]*\}|RESULT)"
_CORRECTIONS: tuple[tuple[str, str | Callable[[re.Match[str]], str]], ...] = (
    (r"\b[a-z]+(?=(?:\{[^}]*\})?\s*[!=+:]?=)", lambda match: match[0].upper()),
    (r"\bBUS\b", "SUBSYSTEMS"),
    (r"\bSYSFS\{", "ATTRS{"),
    (r"\bID\b(?=\s*[!=]=)", "KERNELS"),
    (r"\s*&&\s*", ", "),
    (r'"\s+#[^"]*$', '"'),
    (r'([=!]=|[+:]=|=)\s*(?![ie]{0,2}")([^\s,"=]+)', r'\1"\2"'),
    (rf'\b{_MATCH_KEYS}\s*[+:]?=\s*(?=[ie]{{0,2}}")', r"\1=="),
)
"""Corrections of the usual mistakes in lines that udev drops."""


T = TypeVar("T")


@dataclass(frozen=True)
class Rule:
    """One rule of a file, and its line numbers: some versions of udev refer to the first, others to the last.

    ``choice`` is what Disktuner's own rules choose, even if read again through a link.
    """

    file: str
    lines: range
    text: str
    choice: PersistentChoice | None = field(default=None, compare=False)

    def among(self, said: Mapping[str, T]) -> T | None:
        """Return the entry for this rule in a mapping by place (``FILE:LINE``); None if there is none."""
        return next((said[place] for line in self.lines if (place := f"{self.file}:{line}") in said), None)

    @cached_property
    def tokens(self) -> list[tuple[str, str, str]]:
        """Key, operator and value of its well-formed conditions and assignments."""
        return [(key, sign, value.strip('"')) for key, sign, value in _TOKEN.findall(self.text)]

    def has(self, *wanted: str) -> str:
        """Return the value of the first token with one of these keys; empty without one."""
        return next((value for key, _, value in self.tokens if key in wanted), "")

    @property
    def corrected(self) -> str:
        """The rule without the usual mistakes; empty if it has none."""
        better = self.text
        for pattern, replacement in _CORRECTIONS:
            better = re.sub(pattern, replacement, better)
        return "" if better == self.text else better


def rule_files(tree: Tree) -> list[str]:
    """Return the files of rules, in the order in which udev reads them."""
    return named(tree, RULE_FOLDERS, ".rules")


def read_rules(tree: Tree, about: re.Pattern[str]) -> Iterator[Rule]:
    """Yield all rules of the files that match a pattern, in the order in which udev reads them."""
    for path in rule_files(tree):
        if about.search(text_of(tree, path)):
            yield from rules_of(tree, path)


def rules_of(tree: Tree, path: str) -> Iterator[Rule]:
    """Yield the rules of a file, without comments, with continued lines joined."""
    text = text_of(tree, path)
    choice, pending, start = _choice_in(tree, path, text), "", 1
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("#"):
            continue
        start = start if pending else number
        pending += line.removesuffix("\\")
        if line.endswith("\\"):
            continue
        if pending.strip():
            yield Rule(f"/{path}", range(start, number + 1), pending.strip(), choice)
        pending = ""


def own_choices(tree: Tree) -> list[PersistentChoice]:
    """Return the choices in our own files, in the order in which udev reads them."""
    folder, _, start = OWN_RULES.rpartition("/")
    paths = (f"{folder}/{name}" for name in tree.names(folder) if name.startswith(start) and name.endswith(".rules"))
    return [choice for path in paths if (choice := _choice_in(tree, path, text_of(tree, path)))]


def _choice_in(tree: Tree, path: str, text: str) -> PersistentChoice | None:
    """Return the choice of a file that the helper wrote, with data in its first line and a digest in its last.

    A copy that says otherwise than the disk's own file is somebody else's.
    """
    above, mark, digest = text.rpartition(_DIGEST)
    if mark and digest.strip() == sha256(above.encode()).hexdigest():
        with suppress(msgspec.DecodeError, RecursionError):
            data = above.partition("\n")[0].removeprefix("# ")
            choice = msgspec.json.decode(data, type=PersistentChoice)
            if text_of(tree, f"{OWN_RULES}{choice.key}-{choice.value}.rules") in ("", text):
                return replace(choice, file=f"/{path}")
    return None
