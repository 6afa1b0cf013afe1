# SPDX-License-Identifier: GPL-3.0-or-later
"""What udev says of each line of its rules that sets a queue: what it does at which event, or why it does nothing.

Whether a rule's conditions hold says udev alone. Only doubted is here what hangs on what ``udevadm test`` does not see
without rights: a probe's properties, what was not written.
"""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from disktuner.block.writers.commands import attribute_of, effects_of_run
from disktuner.block.writers.rules import Rule, Rules, Token
from disktuner.block.writers.udevadm import Event
from disktuner.block.writers.writer import Standing, State, Subject, Writer
from disktuner.vocabulary.messages import Message, message
from disktuner.vocabulary.tunables import TUNABLES

_NUMBERS = frozenset(each.name for each in TUNABLES)
_ATTRIBUTE = re.compile(r"(?:ATTR|SYSFS)\{((?:queue|bdi)/\w[\w/]*)\}")
_SCHEDULER = "ATTR{queue/scheduler}"
_GOES_WITH_SCHEDULER = re.compile(r"queue/(?:scheduler|iosched/.*|nr_requests|wbt_lat_usec|async_depth)")
_OWN_ATTRIBUTE = re.compile(r"ATTR\{([^\[].*)\}")


def rule_writers(subject: Subject, rules: Rules, events: Mapping[str, Event] | None) -> Iterator[Writer]:
    """Yield every line that sets a queue, as udev works through them; ``events`` are None where udev was not asked."""
    judges = [_Judge(subject, rules, *event) for event in (events or {}).items()]
    found = [(rule, one) for of_file in rules.setting.values() for rule in of_file
             for one in _named(subject, rule, judges, ours=rules.is_ours(rule.file))]  # fmt: skip
    found.sort(key=lambda pair: pair[1].is_command)
    if not judges:
        yield from (one if one.ours else replace(one, state=State.MENTIONS) for _, one in found)
    for at_add, at_change in zip(*(judge.judged(found) for judge in judges), strict=True):
        best = min(at_add, at_change, key=lambda one: one.state.rank)
        yield replace(best, on_change=at_change.may_write)


def _named(subject: Subject, rule: Rule, judges: Sequence[_Judge], *, ours: bool) -> Iterator[Writer]:
    """Yield what a line would set, if its conditions held; ACTS is said of our own, which is known without asking."""
    start = rule.lines[0]
    for key, sign, value in rule.tokens:
        if (named := _ATTRIBUTE.fullmatch(key)) and _sets(rule, named[1], sign):
            state = State.ACTS if ours and _is_for(rule, subject) else State.OTHER_DISKS
            yield Writer("udev", rule.file, start, attribute_of(named[1]), value, state, ours=ours)
    named_commands = [value for key, _, value in rule.tokens if key.startswith("RUN")]
    for command in next((filled for judge in judges if (filled := judge.started(rule))), named_commands):
        for effect in effects_of_run(subject, command):
            yield replace(effect, file=rule.file, line=start, is_command=True)


def _sets(rule: Rule, name: str, sign: str) -> bool:
    """``==`` sets nothing, but who does nothing but compare with a scheduler has meant to set it."""
    return sign not in ("==", "!=") or (name == "queue/scheduler" and all(one.is_condition for one in rule.tokens))


def _is_for(rule: Rule, subject: Subject) -> bool:
    """Whether a rule of our own knows the disk by its properties."""
    keys = re.findall(r'ENV\{(?!DEVTYPE)(\w+)\}=="([^"]*)"', rule.text)
    return bool(keys) and all(subject.udev.get(name) == value for name, value in keys)


class _Judge:
    """What one event does by which line."""

    def __init__(self, subject: Subject, rules: Rules, action: str, event: Event) -> None:
        self._subject, self._event = subject, event
        read = [rule for file in event.files for rule in rules.setting.get(file, ())]
        self._doubts = _Doubts(subject, event, action, read).found
        self._thrown_away = max(0, len(event.commands) - len(event.queued))  # by a RUN=, and all that came before it

    def started(self, rule: Rule) -> list[str]:
        """The commands of a rule as udev would start them."""
        commands = self._event.commands[self._thrown_away :]
        return [text for place, text in zip(commands, self._event.queued, strict=False) if place in rule.places]

    def judged(self, found: Iterable[tuple[Rule, Writer]]) -> list[Writer]:
        """Return the lines with what they do at the event, and who has the last word."""
        done = [one if one.ours else self._judged(rule, one) for rule, one in found]
        last = {one.attribute: one for one in done if one.state is State.ACTS}
        return [one.beaten_by(last[one.attribute]) if one.state is State.ACTS else one for one in done]

    def _judged(self, rule: Rule, one: Writer) -> Writer:
        if said := next(filter(None, map(self._event.dropped.get, rule.places)), None):
            dropped = message("dead-dropped", said=said)
            return replace(one, state=State.DEAD, why=dropped, corrected=rule.corrected)
        values = [] if one.is_command else self._written(rule, one.attribute)
        if values and values[-1] and one.result is None:
            one = replace(one, value=values[-1])
        state, why = self._of_command(rule, one.state) if one.is_command else self._of_attribute(one.attribute, values)
        if state is State.ACTS and (refused := _refusal(self._subject, one)):
            state, why = State.DEAD, refused
        if state is not State.MENTIONS and (doubt := self._doubts.get(rule)) and why is None:
            state, why = State.OPEN, message("open-unseen", what=doubt)
        return replace(one, state=state, why=why)

    def _written(self, rule: Rule, attribute: str) -> list[str | None]:
        writes = (write for place in rule.places for write in self._event.writes.get(place, ()))
        below = f"/{self._subject.disk.name}/"
        return [value for path, value in writes if attribute_of(path.rpartition(below)[2]) == attribute]

    def _of_attribute(self, attribute: str, values: Sequence[str | None]) -> Standing:
        """Some attributes are there once the scheduler is, which is not written here."""
        if not values:
            return State.OTHER_DISKS, None
        path = f"sys/block/{self._subject.disk.name}/{attribute}"
        if attribute.startswith("iosched/") or (values[-1] is not None and self._subject.tree.exists(path)):
            return State.ACTS, None
        return State.DEAD, message("dead-no-attribute", attribute=attribute)

    def _of_command(self, rule: Rule, state: State) -> Standing:
        if self.started(rule):
            return state, message("dead-no-shell") if state is State.DEAD else None
        if self._thrown_away and set(rule.places) & set(self._event.commands[: self._thrown_away]):
            reset = self._event.commands[self._thrown_away]
            return State.DEAD, message("dead-reset", place="{}:{}".format(*reset))
        return State.OTHER_DISKS, None


def _refusal(subject: Subject, one: Writer) -> Message | None:
    """Why the kernel does not take a value; None where it does, as far as is known."""
    if one.result is None:
        return None
    if one.sets_scheduler and one.result not in (*subject.disk.schedulers, *subject.disk.loadable):
        return message("dead-no-scheduler", scheduler=one.value)
    if one.attribute in _NUMBERS and not re.fullmatch(r"[+-]?\d+", one.result):
        return message("dead-no-number", attribute=one.attribute, value=one.value)
    return None


class _Doubts:
    """A way through the rules: what a doubtful one sets or skips is doubtful for those that follow.

    ``found`` says what of a rule nobody without rights sees.
    """

    def __init__(self, subject: Subject, event: Event, action: str, rules: Iterable[Rule]) -> None:
        self._subject, self._event = subject, event
        self._known = {"KERNEL": subject.disk.name, "SUBSYSTEM": "block", "ACTION": action}
        self._unseen = _remembered(subject, event)
        self._skips: tuple[str, str, str] | None = None
        self.found: dict[Rule, str] = {}
        for rule in rules:
            self._go_over(rule)

    def _go_over(self, rule: Rule) -> None:
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
