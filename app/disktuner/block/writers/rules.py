# SPDX-License-Identifier: GPL-3.0-or-later
"""The lines of udev's rules that are about queues, as they stand there; what they do says udev."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from disktuner.block.sysfs import Tree
from disktuner.block.udev import RULES_FILE, logical_lines
from disktuner.block.writers.commands import SETS
from disktuner.block.writers.writer import named, text_of

_FOLDERS = tuple(f"{place}/udev/rules.d" for place in ("etc", "run", "usr/local/lib", "usr/lib", "lib"))
_TOKEN = re.compile(r'([A-Za-z_]+(?:\{[^}]*\})?)\s*(==|!=|\+=|-=|:=|=)\s*[ie]{0,2}("(?:[^"\\]|\\.)*"|[^\s,"]+)')
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


class Token(NamedTuple):
    """One ``KEY{name}operator"value"`` of a rule."""

    key: str
    operator: str
    value: str

    @property
    def is_condition(self) -> bool:
        """Whether it compares."""
        return self.operator in ("==", "!=")


@dataclass(frozen=True)
class Rule:
    """One rule of a file, and the numbers of its lines: some versions of udev call it by the first, others the last."""

    file: str
    lines: range
    text: str

    @property
    def places(self) -> list[tuple[str, int]]:
        """What udev may call it."""
        return [(self.file, number) for number in self.lines]

    @cached_property
    def tokens(self) -> tuple[Token, ...]:
        """Its conditions and assignments, as far as it has that form."""
        return tuple(Token(key, sign, value.strip('"')) for key, sign, value in _TOKEN.findall(self.text))

    def has(self, *wanted: str) -> str:
        """The value of the first token with one of these keys, or nothing."""
        return next((token.value for token in self.tokens if token.key in wanted), "")

    @property
    def corrected(self) -> str:
        """The rule as udev would take it; empty where nothing was found that is usually wrong."""
        better = self.text
        for pattern, replacement in _CORRECTIONS:
            better = re.sub(pattern, replacement, better)
        return "" if better == self.text else better


class Rules:
    """The rules of a machine that are about queues, each file read once."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree

    @cached_property
    def _texts(self) -> dict[str, str]:
        """The files that udev reads, in the order of their names."""
        return {f"/{path}": text_of(self._tree, path) for path in named(self._tree, _FOLDERS, ".rules")}

    @cached_property
    def setting(self) -> dict[str, tuple[Rule, ...]]:
        """The rules of each file whose text is about queues."""
        return {file: _rules(file, text) for file, text in self._texts.items() if SETS.search(text)}

    def reader_of_elevator(self) -> str:
        """Where a rule asks for ``elevator=`` of the kernel's command line, empty if none does."""
        for file, text in self._texts.items():
            for number, line in logical_lines(text):
                if re.search(r'IMPORT\{cmdline\}\s*=+\s*"elevator"', line):
                    return f"{file}:{number}"
        return ""

    def is_ours(self, file: str) -> bool:
        """Say whether a file is Disktuner's own, or a link beside it that has it read once more."""
        return file == f"/{RULES_FILE}" or self._tree.link(file[1:]) in (Path(RULES_FILE).name, f"/{RULES_FILE}")


def _rules(file: str, text: str) -> tuple[Rule, ...]:
    found = list(logical_lines(text))
    ends = [*(start for start, _ in found[1:]), text.count("\n") + 2]
    return tuple(Rule(file, range(start, end), line.strip()) for (start, line), end in zip(found, ends, strict=True))
