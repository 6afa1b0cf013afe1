# SPDX-License-Identifier: GPL-3.0-or-later
"""Which rules hang on what ``udevadm test`` does not see without rights: a probe's properties, what was not written.

Nothing is decided here, only doubted: whether a rule's conditions hold says udev alone.
"""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterable, Mapping

from disktuner.block.writers.rules import ASSIGNS, Rule, Token
from disktuner.block.writers.udevadm import Event, Place
from disktuner.block.writers.writer import Subject

_GOES_WITH_SCHEDULER = re.compile(r"queue/(?:scheduler|iosched/.*|nr_requests|wbt_lat_usec|async_depth)")
_NOTED = {"TAG": ("G:", "Q:"), "TAGS": ("G:", "Q:"), "SYMLINK": ("S:",)}
_USED = re.compile(r"(?:\$env|%E)\{(\w+)\}")
_SCHEDULER = ("ATTR", "queue/scheduler")


def doubts(subject: Subject, rules: Iterable[Rule], event: Event, action: str) -> Mapping[Place, str]:
    """Return what nobody without rights sees of rules whose conditions or values hang on it, by file and first line."""
    walk = _Walk(subject, event, action)
    for rule in rules:
        walk.over(rule)
    return walk.found


class _Walk:
    """The way through the rules: what a doubtful one sets or skips is doubtful for those that follow."""

    def __init__(self, subject: Subject, event: Event, action: str) -> None:
        self._subject, self._event = subject, event
        self._known = {"KERNEL": subject.disk.name, "SUBSYSTEM": "block", "ACTION": action}
        self._writing = {write.place for write in event.writes}
        self._unseen: set[tuple[str, str]] = set()
        self._skips: tuple[str, str, str] | None = None
        self.found: dict[Place, str] = {}

    def over(self, rule: Rule) -> None:
        """Go on over one rule."""
        if self._skips and (rule.file != self._skips[0] or ("LABEL", self._skips[1]) in rule.pairs):
            self._skips = None
        places = {(rule.file, number) for number in rule.lines}
        sets = {(token.key, token.name) for token in rule.tokens if token.operator in ASSIGNS}
        doubt = self._skips[2] if self._skips else next(filter(None, map(self._unseen_in, rule.tokens)), "")
        if places & self._event.blind:
            doubt = doubt or next(
                (token.value for token in rule.tokens if token.key in ("PROGRAM", "IMPORT")), "RESULT"
            )
            self._unseen.add(("RESULT", ""))
        if doubt and not any(map(self._refutes, rule.tokens)):
            self.found[rule.file, rule.start] = doubt
            self._unseen |= {*sets, *([("TAGS", "")] if ("TAG", "") in sets else [])}
            if self._skips is None and (label := next((value for key, value in rule.pairs if key == "GOTO"), "")):
                self._skips = rule.file, label, doubt
        elif places & self._writing:
            self._unseen |= {one for one in sets if one[0] == "ATTR" and (self._event.denied or one == _SCHEDULER)}

    def _unseen_in(self, token: Token) -> str:
        """What of a condition, or of a value, nobody without rights can see; empty if there is no such thing."""
        key, name, sign, value = token
        if sign not in ("==", "!="):
            used = next(filter(self._is_hidden, _USED.findall(value)), "")
            return used or ("RESULT" if ("RESULT", "") in self._unseen and re.search(r"%c|\$result", value) else "")
        path = value if key == "TEST" else name if key == "ATTR" else ""
        hidden = (
            (key, name) in self._unseen
            or (key == "ENV" and self._is_hidden(name))
            or (key in _NOTED and self._is_noted(_NOTED[key], value))
            or (_SCHEDULER in self._unseen and _GOES_WITH_SCHEDULER.fullmatch(path) is not None)
        )
        return (path or name or key) if hidden else ""

    def _is_hidden(self, name: str) -> bool:
        """Whether a property may be another one for root: where a probe failed, udev's database has what it finds."""
        if ("ENV", name) in self._unseen or not self._event.blind or name.startswith("."):
            return ("ENV", name) in self._unseen
        stored, seen = self._subject.udev, self._event.properties
        return name in stored and stored[name] != seen.get(name) if stored else name not in seen

    def _is_noted(self, marks: tuple[str, ...], pattern: str) -> bool:
        """Whether udev's database has such a tag or link from an event before, which ``udevadm test`` counts in."""
        stored = self._subject.tree.text(f"run/udev/data/b{self._subject.disk.devno}") or ""
        noted = [line[2:] for line in stored.splitlines() if line.startswith(marks)]
        return any(_matches(one, pattern) for one in noted)

    def _refutes(self, token: Token) -> bool:
        """Whether a condition that anybody can see keeps a rule from this disk, so that no other one matters."""
        key, name, sign, value = token
        if sign not in ("==", "!="):
            return False
        if key == "ATTR" and (key, name) not in self._unseen and not name.startswith("["):
            text = self._subject.tree.text(f"sys/block/{self._subject.disk.name}/{name}")
            return text is None or _matches(text, value) == (sign == "!=")
        return key in self._known and _matches(self._known[key], value) == (sign == "!=")


def _matches(actual: str, value: str) -> bool:
    """udev's match: shell patterns, alternatives separated by ``|``."""
    return any(fnmatch.fnmatchcase(actual, pattern) for pattern in value.replace("[^", "[!").split("|"))
