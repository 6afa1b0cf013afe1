# SPDX-License-Identifier: GPL-3.0-or-later
"""The lines of udev's rules that set a queue, and what udev says of each: what it does at which event, or why nothing.

Whether a rule's conditions hold says udev alone. Only doubted is here what hangs on what ``udevadm test`` does not see
without rights: a probe's properties, what was not written.
"""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TypeVar

from disktuner.block.configuration import named, text_of
from disktuner.block.sysfs import Tree
from disktuner.block.udev import RULES_FILE, logical_lines
from disktuner.block.writers.texts import attribute_of, effects_of_run
from disktuner.block.writers.udevadm import Event
from disktuner.block.writers.writer import Standing, State, Subject, Writer
from disktuner.vocabulary.messages import message

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

COMPARES = ("==", "!=")
"""Operators of conditions."""

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

    @property
    def places(self) -> list[str]:
        """What udev may call it, each ``FILE:LINE``."""
        return [f"{self.file}:{number}" for number in self.lines]

    def among(self, said: Mapping[str, T]) -> T | None:
        """What is said of it by place."""
        return next((said[place] for place in self.places if place in said), None)

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


def read_rules(tree: Tree, about: re.Pattern[str]) -> Iterator[Rule]:
    """Yield all rules of the files in which a pattern is found, in the order in which udev reads them."""
    for path in named(tree, _FOLDERS, ".rules"):
        text = text_of(tree, path)
        if about.search(text):
            ours = path == RULES_FILE or tree.link(path) in (Path(RULES_FILE).name, f"/{RULES_FILE}")
            found = list(logical_lines(text))
            ends = [*(start for start, _ in found[1:]), text.count("\n") + 2]
            for (start, line), end in zip(found, ends, strict=True):
                yield Rule(f"/{path}", range(start, end), line.strip(), ours)


_ATTRIBUTE = re.compile(r"(?:ATTR|SYSFS)\{((?:queue|bdi)/\w[\w/]*)\}")
_STATES = tuple(State)
_OWN_ATTRIBUTE = re.compile(r"ATTR\{([^\[].*)\}")
_SCHEDULER = "ATTR{queue/scheduler}"
_GOES_WITH_SCHEDULER = re.compile(r"ATTR\{queue/(?:iosched/.*|nr_requests|wbt_lat_usec|async_depth)\}")
_USED = re.compile(r"(?:\$env|%E)\{(\w+)\}|%c|\$result")


def rule_writers(subject: Subject, rules: Sequence[Rule], events: Mapping[str, Event] | None) -> Iterator[Writer]:
    """Yield every line that sets a queue, as udev works through them; ``events`` are None where udev was not asked."""
    asked = events or {}
    found = [(rule, one) for rule in rules for one in _named(subject, rule, asked.values())]
    found.sort(key=lambda pair: pair[1].is_command)
    if not asked:
        yield from (one if one.ours else one.stands((State.MENTIONS, None)) for _, one in found)
    judged = (_judged(subject, action, event, rules, found) for action, event in asked.items())
    for at_add, at_change in zip(*judged, strict=True):
        best = min(at_add, at_change, key=lambda one: _STATES.index(one.state))
        yield replace(best, on_change=at_change.may_write)


def _named(subject: Subject, rule: Rule, events: Iterable[Event]) -> Iterator[Writer]:
    """Yield what a line would set, if its conditions held; ACTS is said of our own, which is known without asking."""
    start = rule.lines[0]
    for key, sign, value in rule.tokens:
        if (named := _ATTRIBUTE.fullmatch(key)) and _sets(rule, named[1], sign):
            state = State.ACTS if rule.ours and _is_for(rule, subject) else State.OTHER_DISKS
            yield Writer("udev", rule.file, start, attribute_of(named[1]), value, state, ours=rule.ours)
    as_written = [value for key, _, value in rule.tokens if key.startswith("RUN")]
    filled_in = (rule.among(event.commands) for event in events)
    for command in next(filter(None, filled_in), as_written):
        for effect in effects_of_run(subject, command):
            yield replace(effect, file=rule.file, line=start, is_command=True)


def _sets(rule: Rule, name: str, sign: str) -> bool:
    """``==`` sets nothing, but who does nothing but compare with a scheduler has meant to set it."""
    only_compares = all(sign in COMPARES for _, sign, _ in rule.tokens)
    return sign not in COMPARES or (name == "queue/scheduler" and only_compares)


def _is_for(rule: Rule, subject: Subject) -> bool:
    """Whether a rule of our own knows the disk by its properties."""
    keys = re.findall(r'ENV\{(?!DEVTYPE)(\w+)\}=="([^"]*)"', rule.text)
    return bool(keys) and all(subject.udev.get(name) == value for name, value in keys)


def _judged(
    subject: Subject, action: str, event: Event, rules: Iterable[Rule], found: Iterable[tuple[Rule, Writer]]
) -> list[Writer]:
    """Return the lines with what they do at an event, and who has the last word."""
    doubts = _doubts(subject, action, event, [rule for rule in rules if rule.file in event.files])
    done = [one if one.ours else _at_event(subject, event, doubts.get(rule), rule, one) for rule, one in found]
    last = {one.attribute: one for one in done if one.state is State.ACTS}
    return [one.beaten_by(last.get(one.attribute)) for one in done]


def _at_event(subject: Subject, event: Event, doubt: str | None, rule: Rule, one: Writer) -> Writer:
    if said := rule.among(event.dropped):
        return replace(one.stands((State.DEAD, message("dead-dropped", said=said))), corrected=rule.corrected)
    if one.is_command:
        state, why = _of_command(event, rule, one.state)
    else:
        below = f"/{subject.disk.name}/"
        writes = rule.among(event.writes) or ()
        values = [value for path, value in writes if attribute_of(path.rpartition(below)[2]) == one.attribute]
        one = replace(one, value=values[-1]) if values and values[-1] and one.result is None else one
        state, why = _of_attribute(subject, one, values)
    if state is State.ACTS and not one.is_taken_by(subject.disk):
        state, why = State.DEAD, message("dead-no-scheduler", scheduler=one.value)
    if state is not State.MENTIONS and doubt and why is None:
        state, why = State.OPEN, message("open-unseen", what=doubt)
    return one.stands((state, why))


def _of_attribute(subject: Subject, one: Writer, values: Sequence[str | None]) -> Standing:
    """Some attributes are there once the scheduler is, which is not written here."""
    if not values:
        return State.OTHER_DISKS, None
    path = f"sys/block/{subject.disk.name}/{one.attribute}"
    if one.attribute.startswith("iosched/") or (values[-1] is not None and subject.tree.exists(path)):
        return State.ACTS, None
    return State.DEAD, message("dead-no-attribute", attribute=one.attribute)


def _of_command(event: Event, rule: Rule, state: State) -> Standing:
    if rule.among(event.commands):
        return state, message("dead-no-shell") if state is State.DEAD else None
    reset = rule.among(event.reset)
    return (State.DEAD, message("dead-reset", place=reset)) if reset else (State.OTHER_DISKS, None)


def _doubts(subject: Subject, action: str, event: Event, rules: Iterable[Rule]) -> Mapping[Rule, str]:
    """What of a rule nobody without rights sees; what such a one sets or skips is doubtful for those that follow."""
    known = {"KERNEL": subject.disk.name, "SUBSYSTEM": "block", "ACTION": action}
    unseen, found = _remembered(subject, event), dict[Rule, str]()
    file = label = skipped = ""
    for rule in rules:
        if rule.file != file or rule.has("LABEL") == label:
            skipped = ""
        doubt = skipped or next((name for name in map(_read_by, rule.tokens) if name in unseen), "")
        if event.blind.intersection(rule.places):
            unseen.add("RESULT")
            doubt = doubt or rule.has("PROGRAM", "IMPORT{program}", "IMPORT{builtin}") or "RESULT"
        sets = {_with_scheduler(key) for key, sign, _ in rule.tokens if sign not in COMPARES}
        if doubt and not any(_refutes(subject, known, *token) for token in rule.tokens if token[0] not in unseen):
            found[rule] = doubt
            unseen |= sets | ({"TAGS"} if "TAG" in sets else set())
            if not skipped and (target := rule.has("GOTO")):
                file, label, skipped = rule.file, target, doubt
        elif rule.among(event.writes):
            unseen |= {key for key in sets if key.startswith("ATTR{")}
    return found


def _remembered(subject: Subject, event: Event) -> set[str]:
    """What root's udev knows otherwise: from an event before, or, where a probe failed here, by what that finds."""
    stored = subject.tree.text(f"run/udev/data/b{subject.disk.devno}") or ""
    marks = {line[:2] for line in stored.splitlines()}
    unseen = {"TAG", "TAGS"} if marks & {"G:", "Q:"} else set[str]()
    unseen |= {"SYMLINK"} if "S:" in marks else set()
    if event.blind:
        unseen |= {f"ENV{{{name}}}" for name, value in subject.udev.items() if event.properties.get(name) != value}
    return unseen


def _read_by(token: tuple[str, str, str]) -> str:
    """What a condition, or a value, is made of."""
    key, sign, value = token
    if sign in COMPARES:
        return _with_scheduler(f"ATTR{{{value}}}" if key == "TEST" else key)
    used = _USED.search(value)
    return "" if used is None else f"ENV{{{used[1]}}}" if used[1] else "RESULT"


def _with_scheduler(key: str) -> str:
    """Attributes that come and go with a scheduler are known as it is."""
    return _SCHEDULER if _GOES_WITH_SCHEDULER.fullmatch(key) else key


def _refutes(subject: Subject, known: Mapping[str, str], key: str, sign: str, value: str) -> bool:
    """Whether a condition that anybody can see keeps a rule from the disk, so that no other one matters."""
    attribute = _OWN_ATTRIBUTE.fullmatch(key)
    if sign not in COMPARES or not (attribute or key in known):
        return False
    actual = subject.tree.text(f"sys/block/{subject.disk.name}/{attribute[1]}") if attribute else known[key]
    patterns = value.replace("[^", "[!").split("|")
    return actual is None or any(fnmatch.fnmatchcase(actual, each) for each in patterns) == (sign == "!=")
