# SPDX-License-Identifier: GPL-3.0-or-later
"""What udev says of each line of its rules that sets a queue: what it does at which event, or why it does nothing."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from disktuner.block.writers.commands import attribute_of, effects_of_run
from disktuner.block.writers.doubts import doubts
from disktuner.block.writers.rules import Rule, Rules
from disktuner.block.writers.udevadm import Event
from disktuner.block.writers.writer import Standing, State, Subject, Writer
from disktuner.vocabulary.messages import Message, message
from disktuner.vocabulary.tunables import TUNABLES

_NUMBERS = frozenset(attribute_of(each.name) for each in TUNABLES)
_ATTRIBUTE = re.compile(r"(?:ATTR|SYSFS)\{((?:queue|bdi)/\w[\w/]*)\}")
_ONLY_REMARKED = re.compile(r"assuming|please fix|no matching label|style:|nknown (?:user|group)|multiple|Reordering")
_RANKS = (State.ACTS, State.OPEN, State.MENTIONS, State.OVERRIDDEN, State.DEAD, State.OTHER_DISKS)


def rule_writers(subject: Subject, rules: Rules, events: Mapping[str, Event] | None) -> Iterator[Writer]:
    """Yield every line that sets a queue, as udev works through them; ``events`` are None where udev was not asked."""
    judges = [_Judge(subject, rules, *event) for event in (events or {}).items()]
    found = [(rule, one) for of_file in rules.setting.values() for rule in of_file
             for one in _named(subject, rule, judges, ours=rules.is_ours(rule.file))]  # fmt: skip
    found.sort(key=lambda pair: pair[1].is_command)
    if not judges:
        yield from (one if one.ours else replace(one, state=State.MENTIONS) for _, one in found)
    for at_add, at_change in zip(*(judge.judged(found) for judge in judges), strict=True):
        best = min(at_add, at_change, key=lambda one: _RANKS.index(one.state))
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
            yield Writer("udev", rule.file, start, effect.attribute, effect.value, effect.state, is_command=True)


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
        self._doubts = doubts(subject, read, event, action)
        self._thrown_away = len(event.commands) - len(event.queued)  # by a RUN=, which all before it share

    def started(self, rule: Rule) -> list[str]:
        """The commands of a rule as udev would start them."""
        commands = self._event.commands[self._thrown_away :]
        return [text for place, text in zip(commands, self._event.queued, strict=True) if place in rule.places]

    def judged(self, found: Iterable[tuple[Rule, Writer]]) -> list[Writer]:
        """Return the lines with what they do at the event, and who has the last word."""
        done = [one if one.ours else self._judged(rule, one) for rule, one in found]
        last = {one.attribute: one for one in done if one.state is State.ACTS}
        return [one.beaten_by(last[one.attribute]) if one.state is State.ACTS else one for one in done]

    def _judged(self, rule: Rule, one: Writer) -> Writer:
        if rule.file not in self._event.files:
            name = Path(rule.file).name
            instead = next((file for file in self._event.files if Path(file).name == name), name)
            return replace(one, state=State.DEAD, why=message("dead-hidden", file=instead))
        if said := self._drops(rule):
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

    def _drops(self, rule: Rule) -> str:
        """With which words udev drops a line, empty where it does not."""
        said = (one for place in rule.places for one in self._event.remarks.get(place, ()))
        return next((one for one in said if not _ONLY_REMARKED.search(one)), "")

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
