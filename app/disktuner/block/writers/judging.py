# SPDX-License-Identifier: GPL-3.0-or-later
"""What udev says of each line of its rules that sets a queue: what it does at which event, or why it does nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path

from disktuner.block.writers.commands import attribute_of, effects_of_run
from disktuner.block.writers.doubts import doubts
from disktuner.block.writers.rules import CAN_BE_SET, Rule, Rules, corrected, named_by
from disktuner.block.writers.udevadm import Event, Place, Write
from disktuner.block.writers.writer import UNKNOWN, State, Subject, Writer
from disktuner.vocabulary.messages import Message, message
from disktuner.vocabulary.schedulers import written_as
from disktuner.vocabulary.tunables import TUNABLES

_NUMBERS = frozenset(attribute_of(each.name) for each in TUNABLES)
_ONLY_REMARKED = re.compile(r"assuming|please fix|no matching label|style:|nknown (?:user|group)|multiple|Reordering")
_RANKS = (State.ACTS, State.OPEN, State.MENTIONS, State.OVERRIDDEN, State.DEAD)


def rule_writers(subject: Subject, rules: Rules, events: Mapping[str, Event] | None) -> tuple[Writer, ...]:
    """Return every line that sets a queue, as udev works through them; ``events`` are None where udev was not asked."""
    named = [each for file in rules.setting for rule in rules.of(file) for each in named_by(subject, rules, rule)]
    if events is None:
        return tuple(one if one.ours else replace(one, state=State.MENTIONS) for one in named)
    judges = [_Judge(subject, rules, event, action) for action, event in events.items()]
    merged: dict[tuple[object, ...], Writer] = {}
    for one in (one for judge in judges for one in judge.writers()):
        key = (one.file, one.line, one.attribute, one.value, one.is_command)
        before = merged.get(key, one)
        best = min(before, one, key=lambda each: _RANKS.index(each.state))
        merged[key] = replace(best, on_change=before.on_change or one.on_change)
    told = {(one.file, one.line, one.attribute, one.is_command) for one in merged.values()}
    silent = [one for one in named if (one.file, one.line, one.attribute, one.is_command) not in told]
    found = [*merged.values(), *(one if one.ours else _silent(one, rules, judges) for one in silent)]
    return tuple(sorted(found, key=lambda one: (one.is_command, rules.files.index(one.file), one.line)))


def _silent(writer: Writer, rules: Rules, judges: Sequence[_Judge]) -> Writer:
    """What is known of a line that udev passed over."""
    place = writer.file, writer.line
    if reason := next(filter(None, (judge.dropped(place) for judge in judges)), None):
        text = next(rule.text for rule in rules.of(writer.file) if rule.start == writer.line)
        return replace(writer, state=State.DEAD, why=reason, corrected=corrected(text))
    if writer.why is not None:
        return writer
    if doubt := next((judge.doubts[place] for judge in judges if place in judge.doubts), None):
        return replace(writer, state=State.OPEN, why=message("open-unseen", what=doubt))
    return replace(writer, state=State.OTHER_DISKS)


class _Judge:
    """What one event does by which line."""

    def __init__(self, subject: Subject, rules: Rules, event: Event, action: str) -> None:
        self._subject, self._rules, self._event, self._action = subject, rules, event, action
        setting = [rule for file in event.files if file in rules.setting for rule in rules.of(file)]
        self._rule_at = {(rule.file, number): rule for rule in setting for number in rule.lines}
        self.doubts = doubts(subject, setting, event, action)

    def writers(self) -> tuple[Writer, ...]:
        """Return what is written, by rules and then by commands; our own rule is known without asking."""
        own = [each for file in self._event.files if file in self._rules.setting and self._rules.is_ours(file)
               for rule in self._rules.of(file) for each in named_by(self._subject, self._rules, rule)]  # fmt: skip
        writes = [*filter(None, map(self._write, self._event.writes)), *(one for one in own if one.writes)]
        writes.sort(key=lambda one: (self._event.files.index(one.file), one.line))
        done = [replace(one, on_change=self._action == "change") for one in (*writes, *self._started())]
        last = {one.attribute: one for one in done if one.state is State.ACTS}
        return tuple(one.beaten_by(last[one.attribute]) if one.state is State.ACTS else one for one in done)

    def _write(self, write: Write) -> Writer | None:
        rule = self._rule_at.get(write.place)
        name = write.path.rpartition(f"/{self._subject.disk.name}/")[2]
        if rule is None or self._rules.is_ours(rule.file) or not CAN_BE_SET.fullmatch(name):
            return None
        there = not write.refused and self._subject.tree.exists(f"sys/block/{self._subject.disk.name}/{name}")
        state, why = self._state(rule, attribute_of(name), write.value, there=there)
        return Writer("udev", rule.file, rule.start, attribute_of(name), write.value, state, why)

    def _state(self, rule: Rule, attribute: str, value: str, *, there: bool = True) -> tuple[State, Message | None]:
        if doubt := self.doubts.get((rule.file, rule.start)):
            return State.OPEN, message("open-unseen", what=doubt)
        if not there and not attribute.startswith("iosched/"):  # which are there once the scheduler is
            return State.DEAD, message("dead-no-attribute", attribute=attribute)
        why = _refusal(self._subject, attribute, value)
        return (State.DEAD, why) if why else (State.ACTS, None)

    def _started(self) -> Iterator[Writer]:
        """What the commands write that udev starts in the end."""
        left = list(self._commands[0])
        for command in self._event.queued:
            number = next((number for number, (_, text) in enumerate(left) if _fits(text, command)), None)
            rule = None if number is None else self._rule_at.get(left[number][0])
            left = left if number is None else left[number + 1 :]
            if rule is None:
                continue
            for effect in effects_of_run(self._subject, command):
                state, why = effect.state, message("dead-no-shell") if effect.state is State.DEAD else None
                if state is State.ACTS:
                    state, why = self._state(rule, effect.attribute, effect.value)
                yield Writer("udev", rule.file, rule.start, effect.attribute, effect.value, state, why, is_command=True)

    @cached_property
    def _commands(self) -> tuple[list[tuple[Place, str]], Mapping[Place, Place]]:
        """The commands that are still there in the end, and by which line the others were thrown away."""
        kept: list[tuple[Place, str]] = []
        gone: dict[Place, Place] = {}
        for place, text in self._event.commands:
            rule = self._rule_at.get(place)
            if rule and any(token.key == "RUN" and token.operator in ("=", ":=") for token in rule.tokens):
                gone |= {(one.file, one.start): place for before, _ in kept if (one := self._rule_at.get(before))}
                kept = []
            kept.append((place, text))
        return kept, gone

    def dropped(self, place: Place) -> Message | None:
        """Why a line never does anything: in udev's own words, or because another file or line came in its place."""
        rule, name = self._rule_at.get(place), Path(place[0]).name
        if rule is None:
            return message("dead-hidden", file=next((one for one in self._event.files if Path(one).name == name), name))
        if place in self._commands[1]:
            return message("dead-reset", place="{}:{}".format(*self._commands[1][place]))
        said = [one for number in rule.lines for one in self._event.remarks.get((rule.file, number), ())]
        drops = next((one for one in said if not _ONLY_REMARKED.search(one)), None)
        return message("dead-dropped", said=drops) if drops else None


def _refusal(subject: Subject, attribute: str, value: str) -> Message | None:
    """Why the kernel does not take a value; None where it does, as far as is known."""
    if attribute == "queue/scheduler":
        possible = (*subject.disk.schedulers, *subject.disk.loadable, UNKNOWN)
        return None if written_as(value.strip()) in possible else message("dead-no-scheduler", scheduler=value)
    taken = attribute not in _NUMBERS or value == UNKNOWN or re.fullmatch(r"[+-]?\d+", value)
    return None if taken else message("dead-no-number", attribute=attribute, value=value)


def _fits(template: str, command: str) -> bool:
    """Whether a command is this one, filled in."""
    literal = re.split(r"[$%](?:\w+)?(?:\{[^}]*\})?", template)
    return template == command or re.fullmatch(".*".join(map(re.escape, literal)), command, re.DOTALL) is not None
