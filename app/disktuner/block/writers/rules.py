# SPDX-License-Identifier: GPL-3.0-or-later
"""The lines of udev's rules that set a queue, each with what udev says of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from disktuner.block.sysfs import Tree
from disktuner.block.udev import RULES_FILE
from disktuner.block.writers.commands import SETS, attribute_of, effects_of_run
from disktuner.block.writers.writer import State, Subject, Writer, text_of
from disktuner.vocabulary.messages import message

FOLDERS = tuple(f"{place}/udev/rules.d" for place in ("etc", "run", "usr/local/lib", "usr/lib", "lib"))
ASSIGNS = ("=", "+=", ":=")
CAN_BE_SET = re.compile(r"(?:queue|bdi)/\w[\w/]*")
_TOKEN = re.compile(r'([A-Za-z_]+)(?:\{([^}]*)\})?\s*(==|!=|\+=|-=|:=|=)\s*[ie]{0,2}("(?:[^"\\]|\\.)*"|[^\s,"]+)')
_FILLED = {r"%p|\$devpath": "/block/{}", r"%N|\$devnode|\$tempnode|\$env{DEVNAME}|%E{DEVNAME}": "/dev/{}",
           r"%k|\$kernel|\$name": "{}", r"%S|\$sys": "/sys"}  # fmt: skip
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
    name: str
    operator: str
    value: str


@dataclass(frozen=True)
class Rule:
    """One rule of a file, in the lines from ``start`` to ``end``."""

    file: str
    start: int
    end: int
    text: str

    @cached_property
    def tokens(self) -> tuple[Token, ...]:
        """Its conditions and assignments, as far as it has that form."""
        return tuple(Token(key, name, sign, value.strip('"')) for key, name, sign, value in _TOKEN.findall(self.text))

    @property
    def lines(self) -> range:
        """All numbers by which udev may call it: some versions say the first, others the last."""
        return range(self.start, self.end + 1)

    @property
    def pairs(self) -> set[tuple[str, str]]:
        """Keys with their values."""
        return {(token.key, token.value) for token in self.tokens}


class Rules:
    """The rules of a machine, each file read once."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._files: dict[str, tuple[Rule, ...]] = {}

    @cached_property
    def files(self) -> tuple[str, ...]:
        """All files that udev finds, also those that others hide, in the order of their names."""
        seen = {
            f"/{folder}/{name}" for folder in FOLDERS for name in self._tree.names(folder) if name.endswith(".rules")
        }
        twice = {one for one in seen if one.startswith("/lib/") and f"/usr{one}" in seen}
        return tuple(sorted(seen - twice, key=lambda one: (Path(one).name, one)))

    @cached_property
    def setting(self) -> tuple[str, ...]:
        """Those whose text is about queues."""
        return tuple(one for one in self.files if SETS.search(text_of(self._tree, one)))

    def of(self, file: str) -> tuple[Rule, ...]:
        """The rules of a file (udev(7); a comment may stand between the lines of a rule)."""
        if file not in self._files:
            self._files[file] = tuple(_rules(file, text_of(self._tree, file)))
        return self._files[file]

    def reader_of(self, word: str) -> Rule | None:
        """The rule that asks for a word of the kernel's command line, None where there is none."""
        asks = (one for file in self.files if word in text_of(self._tree, file) for one in self.of(file))
        wanted = ("IMPORT", "cmdline", word)
        return next((one for one in asks if any((t.key, t.name, t.value) == wanted for t in one.tokens)), None)

    def is_ours(self, file: str) -> bool:
        """Say whether a file is Disktuner's own, or a link beside it that has it read once more."""
        return file == f"/{RULES_FILE}" or self._tree.link(file[1:]) in (Path(RULES_FILE).name, f"/{RULES_FILE}")


def _rules(file: str, text: str) -> Iterator[Rule]:
    pending, start = "", 0
    for number, line in enumerate(text.splitlines(), 1):
        stripped = line.lstrip()
        if stripped.startswith("#"):
            continue
        start = start if pending else number
        pending += stripped
        if pending.endswith("\\"):
            pending = pending[:-1]
        elif pending:
            yield Rule(file, start, number, pending)
            pending = ""


def named_by(subject: Subject, rules: Rules, rule: Rule) -> Iterator[Writer]:
    """Yield what a line would set, if its conditions held; ACTS is only said of our own."""
    ours = rules.is_ours(rule.file)
    for key, name, sign, value in rule.tokens:
        if key in ("ATTR", "SYSFS") and CAN_BE_SET.search(name) and _sets(rule, name, sign):
            held = State.ACTS if ours and _is_for(rule, subject) else State.OTHER_DISKS
            yield Writer("udev", rule.file, rule.start, attribute_of(name), value, held, ours=ours)
        elif key == "RUN":
            for effect in effects_of_run(subject, _filled(subject, value)):
                why = message("dead-no-shell") if effect.state is State.DEAD else None
                yield Writer("udev", rule.file, rule.start, effect.attribute, effect.value, effect.state, why,
                             is_command=True)  # fmt: skip


def _sets(rule: Rule, name: str, sign: str) -> bool:
    """``==`` sets nothing, but who does nothing but compare with a scheduler has meant to set it."""
    return sign in ASSIGNS or (name.endswith("/scheduler") and all(one.operator in ("==", "!=") for one in rule.tokens))


def _is_for(rule: Rule, subject: Subject) -> bool:
    """Whether a rule of our own knows the disk by its properties."""
    keys = [token for token in rule.tokens if token.key == "ENV" and token.name != "DEVTYPE" and token.operator == "=="]
    return bool(keys) and all(subject.udev.get(token.name) == token.value for token in keys)


def _filled(subject: Subject, template: str) -> str:
    for pattern, text in _FILLED.items():
        template = re.sub(pattern, text.format(subject.disk.name), template)
    return template


def corrected(line: str) -> str:
    """Return a line as udev would take it; empty where nothing was found that is usually wrong."""
    better = line
    for pattern, replacement in _CORRECTIONS:
        better = re.sub(pattern, replacement, better)
    return "" if better == line else better
