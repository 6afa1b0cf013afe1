# SPDX-License-Identifier: GPL-3.0-or-later
"""Which rules hang on what ``udevadm test`` does not see without rights: a probe's properties, what was not written.

Nothing is decided here, only doubted: whether a rule's conditions hold says udev alone.
"""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterable, Mapping

from disktuner.block.writers.rules import Rule, Token
from disktuner.block.writers.udevadm import Event
from disktuner.block.writers.writer import Subject

_SCHEDULER = "ATTR{queue/scheduler}"
_GOES_WITH_SCHEDULER = re.compile(r"queue/(?:scheduler|iosched/.*|nr_requests|wbt_lat_usec|async_depth)")
_OWN_ATTRIBUTE = re.compile(r"ATTR\{([^\[].*)\}")


def doubts(subject: Subject, rules: Iterable[Rule], event: Event, action: str) -> Mapping[Rule, str]:
    """Return what nobody without rights sees of rules whose conditions or values hang on it."""
    walk = _Walk(subject, event, action)
    for rule in rules:
        walk.over(rule)
    return walk.found


class _Walk:
    """The way through the rules: what a doubtful one sets or skips is doubtful for those that follow."""

    def __init__(self, subject: Subject, event: Event, action: str) -> None:
        self._subject, self._event = subject, event
        self._known = {"KERNEL": subject.disk.name, "SUBSYSTEM": "block", "ACTION": action}
        self._unseen = _remembered(subject, event)
        self._skips: tuple[str, str, str] | None = None
        self.found: dict[Rule, str] = {}

    def over(self, rule: Rule) -> None:
        """Go on over one rule."""
        if self._skips and (rule.file != self._skips[0] or rule.has("LABEL") == self._skips[1]):
            self._skips = None
        sets = {key for key, sign, _ in rule.tokens if sign in ("=", "+=", ":=")}
        doubt = self._skips[2] if self._skips else next(filter(None, map(self._unseen_in, rule.tokens)), "")
        if self._event.blind.intersection(rule.places):
            self._unseen.add("RESULT")
            doubt = doubt or rule.has("PROGRAM", "IMPORT{program}", "IMPORT{builtin}") or "RESULT"
        if doubt and not any(map(self._refutes, rule.tokens)):
            self.found[rule] = doubt
            self._unseen |= sets | ({"TAGS"} if "TAG" in sets else set())
            if self._skips is None and (label := rule.has("GOTO")):
                self._skips = rule.file, label, doubt
        elif any(map(self._event.writes.get, rule.places)):
            self._unseen |= {key for key in sets if key.startswith("ATTR{")}

    def _unseen_in(self, token: Token) -> str:
        """What of a condition, or of a value, nobody without rights can see; empty if there is no such thing."""
        if not token.is_condition:
            used = [f"ENV{{{name}}}" for name in re.findall(r"(?:\$env|%E)\{(\w+)\}", token.value)]
            used += ["RESULT"] if re.search(r"%c|\$result", token.value) else []
            return next((name for name in used if name in self._unseen), "")
        name = _OWN_ATTRIBUTE.sub(r"\1", token.value if token.key == "TEST" else token.key)
        with_scheduler = _SCHEDULER in self._unseen and _GOES_WITH_SCHEDULER.fullmatch(name)
        return name if with_scheduler or token.key in self._unseen else ""

    def _refutes(self, token: Token) -> bool:
        """Whether a condition that anybody can see keeps a rule from this disk, so that no other one matters."""
        if not token.is_condition or token.key in self._unseen:
            return False
        actual = self._known.get(token.key)
        if attribute := _OWN_ATTRIBUTE.fullmatch(token.key):
            actual = self._subject.tree.text(f"sys/block/{self._subject.disk.name}/{attribute[1]}")
        elif actual is None:
            return False
        return actual is None or _matches(actual, token.value) == (token.operator == "!=")


def _remembered(subject: Subject, event: Event) -> set[str]:
    """What root's udev knows otherwise: from an event before, or, where a probe failed here, by what that finds."""
    stored = subject.tree.text(f"run/udev/data/b{subject.disk.devno}") or ""
    marks = {line[:2] for line in stored.splitlines()}
    unseen = {"TAG", "TAGS"} if "G:" in marks or "Q:" in marks else set[str]()
    if "S:" in marks:
        unseen.add("SYMLINK")
    if event.blind:
        unseen |= {f"ENV{{{name}}}" for name, value in subject.udev.items() if event.properties.get(name) != value}
    return unseen


def _matches(actual: str, value: str) -> bool:
    """udev's match: shell patterns, alternatives separated by ``|``."""
    return any(fnmatch.fnmatchcase(actual, pattern) for pattern in value.replace("[^", "[!").split("|"))
