# SPDX-License-Identifier: GPL-3.0-or-later
"""What udev says of each line of its rules that sets a queue: what it does at which event, or why it does nothing."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path

from disktuner.block.writers.commands import attribute_of, effects_of_run
from disktuner.block.writers.rules import ASSIGNS, CAN_BE_SET, Rule, Rules, corrected, named_by
from disktuner.block.writers.udevadm import Event, Place, Write
from disktuner.block.writers.writer import UNKNOWN, State, Subject, Writer
from disktuner.vocabulary.messages import Message, message
from disktuner.vocabulary.schedulers import written_as
from disktuner.vocabulary.tunables import TUNABLES

_NUMBERS = frozenset(attribute_of(each.name) for each in TUNABLES)
_ONLY_REMARKED = re.compile(r"assuming|please fix it|no matching label|style:|[Uu]nknown (?:user|group)|multiple|Reordering")
_CHANGES_WITH_SCHEDULER = re.compile(r"queue/(?:scheduler|iosched/.*|nr_requests|wbt_lat_usec|async_depth)")
_NOTED = {"TAG": "GQ", "TAGS": "GQ", "SYMLINK": "S"}
_PROPERTY = re.compile(r"(?:\$env|%E)\{(\w+)\}")
_RANKS = (State.ACTS, State.OPEN, State.MENTIONS, State.OVERRIDDEN, State.DEAD)


def rule_writers(subject: Subject, rules: Rules, found: Mapping[str, Event] | None) -> tuple[Writer, ...]:
    """Return every line that sets a queue, in the order in which udev works; ``found`` is what udev says, if it does."""
    named = [each for file in rules.setting for rule in rules.of(file) for each in named_by(subject, rules, rule)]
    if found is None:
        return tuple(one if one.ours else replace(one, state=State.MENTIONS) for one in named)
    judges = [Judge(subject, rules, event, action) for action, event in found.items()]
    merged: dict[tuple[object, ...], Writer] = {}
    for judge in judges:
        for one in judge.writers():
            before = merged.setdefault((one.file, one.line, one.attribute, one.value, one.is_command), one)
            best = min(before, one, key=lambda each: _RANKS.index(each.state))
            merged[one.file, one.line, one.attribute, one.value, one.is_command] = replace(
                best, on_change=before.on_change or one.on_change
            )
    told = {(one.file, one.line, one.attribute, one.is_command) for one in merged.values()}
    silent = [one for one in named if (one.file, one.line, one.attribute, one.is_command) not in told]
    order = {file: number for number, file in enumerate(rules.files)}
    found_out = (*merged.values(), *(_silent(one, rules, judges) for one in silent))
    return tuple(sorted(found_out, key=lambda one: (one.is_command, order.get(one.file, 0), one.line)))


def _silent(writer: Writer, rules: Rules, judges: Sequence[Judge]) -> Writer:
    """What is known of a line that udev passed over; our own are known anyway."""
    place = writer.file, writer.line
    if writer.ours:
        return writer
    for judge in judges:
        if reason := judge.dropped(place):
            text = next(rule.text for rule in rules.of(writer.file) if rule.start == writer.line)
            return replace(writer, state=State.DEAD, why=reason, corrected=corrected(text))
    if writer.why is not None:
        return writer
    doubt = next((judge.doubts[place] for judge in judges if place in judge.doubts), None)
    if doubt:
        return replace(writer, state=State.OPEN, why=message("open-unseen", what=doubt))
    return replace(writer, state=State.OTHER_DISKS, why=None)


class Judge:
    """What one event does by which line, and of which lines even udev cannot tell without rights."""

    def __init__(self, subject: Subject, rules: Rules, event: Event, action: str) -> None:
        self._subject, self._rules, self._event, self._action = subject, rules, event, action
        self._order = {file: number for number, file in enumerate(event.files)}

    @cached_property
    def _rules_at(self) -> Mapping[Place, Rule]:
        files = [file for file in self._event.files if file in self._rules.setting]
        return {(file, number): rule for file in files for rule in self._rules.of(file)
                for number in range(rule.start, rule.end + 1)}  # fmt: skip

    def writers(self) -> tuple[Writer, ...]:
        """Return what is written, by rules and then by commands; our own rule is known without asking."""
        own = [each for file in self._event.files if self._rules.is_ours(file)
               for rule in self._rules.of(file) for each in named_by(self._subject, self._rules, rule)]  # fmt: skip
        writes = [*filter(None, map(self._write, self._event.writes)), *(one for one in own if one.writes)]
        writes.sort(key=lambda one: (self._order[one.file], one.line))
        done = [replace(one, on_change=self._action == "change") for one in (*writes, *self._started())]
        last = {one.attribute: number for number, one in enumerate(done) if one.state is State.ACTS}
        return tuple(
            one if one.state is not State.ACTS or last[one.attribute] == number
            else replace(one, state=State.OVERRIDDEN, why=message("overridden-by", place=done[last[one.attribute]].place))
            for number, one in enumerate(done)
        )  # fmt: skip

    def _write(self, write: Write) -> Writer | None:
        rule = self._rules_at.get(write.place)
        name = write.path.rpartition(f"/{self._subject.disk.name}/")[2]
        if rule is None or self._rules.is_ours(rule.file) or not CAN_BE_SET.fullmatch(name):
            return None
        attribute = attribute_of(name)
        state, why = self._state(rule, attribute, write.value, write.refused)
        return Writer("udev", rule.file, rule.start, attribute, write.value, state, why)

    def _state(self, rule: Rule, attribute: str, value: str, refused: str) -> tuple[State, Message | None]:
        doubt = self.doubts.get((rule.file, rule.start))
        if doubt:
            return State.OPEN, message("open-unseen", what=doubt)
        if refused and not attribute.startswith("iosched/"):
            return State.DEAD, message("dead-no-attribute", attribute=attribute)
        why = refusal(self._subject, attribute, value)
        return (State.DEAD, why) if why else (State.ACTS, None)

    def _started(self) -> Iterator[Writer]:
        """What the commands write that udev starts in the end."""
        left = list(self._kept[0])
        for command in self._event.queued:
            number = next((number for number, (_, text) in enumerate(left) if _fits(text, command)), None)
            rule = None if number is None else self._rules_at.get(left.pop(number)[0])
            if rule is not None:
                for effect in effects_of_run(self._subject, command):
                    state, why = effect.state, message("dead-no-shell") if effect.state is State.DEAD else None
                    if state is State.ACTS:
                        state, why = self._state(rule, effect.attribute, effect.value, "")
                    yield Writer("udev", rule.file, rule.start, effect.attribute, effect.value, state, why, is_command=True)

    @cached_property
    def _kept(self) -> tuple[list[tuple[Place, str]], Mapping[Place, Place]]:
        """The commands that are still there in the end, and by which line the others were thrown away."""
        kept: list[tuple[Place, str]] = []
        gone: dict[Place, Place] = {}
        for place, text in self._event.commands:
            rule = self._rules_at.get(place)
            if rule and any(token.key == "RUN" and token.operator in ("=", ":=") for token in rule.tokens):
                gone |= {(one.file, one.start): place for before, _ in kept if (one := self._rules_at.get(before))}
                kept = []
            kept.append((place, text))
        return kept, gone

    def dropped(self, place: Place) -> Message | None:
        """Why a line never does anything: in udev's own words, or because another file or line came in its place."""
        file, line = place
        if file not in self._order:
            name = Path(file).name
            return message("dead-hidden", file=next((one for one in self._order if Path(one).name == name), file))
        if place in self._kept[1]:
            return message("dead-reset", place="{}:{}".format(*self._kept[1][place]))
        end = next((rule.end for rule in self._rules.of(file) if rule.start == line), line)
        said = [one for number in range(line, end + 1) for one in self._event.remarks.get((file, number), ())]
        drops = next((one for one in said if not _ONLY_REMARKED.search(one)), None)
        return message("dead-dropped", said=drops) if drops else None

    @cached_property
    def doubts(self) -> Mapping[Place, str]:
        """The lines that hang on what only root sees, with what that is."""
        found: dict[Place, str] = {}
        unseen: set[tuple[str, str]] = set()
        for file in self._event.files:
            if file in self._rules.setting:
                found |= self._doubts_of(self._rules.of(file), unseen)
        return found

    def _doubts_of(self, rules: Sequence[Rule], unseen: set[tuple[str, str]]) -> Mapping[Place, str]:
        found: dict[Place, str] = {}
        blind = {(file, number) for file, number in self._event.blind}
        writing = {write.place for write in self._event.writes}
        label = because = ""
        for rule in rules:
            places = {(rule.file, number) for number in range(rule.start, rule.end + 1)}
            if label and any(token.key == "LABEL" and token.value == label for token in rule.tokens):
                label = because = ""
            doubt = because or self._unseen_in(rule, unseen)
            if places & blind:
                doubt = doubt or next((token.value for token in rule.tokens if token.key in ("PROGRAM", "IMPORT")), "?")
                unseen.add(("RESULT", ""))
            if doubt and not self._is_refuted(rule, unseen):
                found[rule.file, rule.start] = doubt
                unseen |= {(token.key, token.name) for token in rule.tokens if token.operator in ASSIGNS}
                unseen |= {("TAGS", "")} if ("TAG", "") in unseen else set()
                target = next((token.value for token in rule.tokens if token.key == "GOTO"), "")
                label, because = (target, doubt) if target and not label else (label, because)
            elif places & writing:
                unseen |= {("ATTR", token.name) for token in rule.tokens if token.key == "ATTR" and token.operator in ASSIGNS
                           and (self._event.denied or token.name == "queue/scheduler")}  # fmt: skip
        return found

    def _unseen_in(self, rule: Rule, unseen: set[tuple[str, str]]) -> str:
        """The first condition of a rule, or part of a value, that nobody without rights can see; empty if there is none."""
        for key, name, sign, value in rule.tokens:
            compares = sign in ("==", "!=")
            if key == "ENV" and compares and self._is_hidden(name, unseen):
                return name
            if compares and ((key, name) in unseen or (key in _NOTED and self._is_noted(_NOTED[key], value))):
                return f"{key}{{{name}}}" if name else key
            path = value if key == "TEST" else name if key == "ATTR" and compares else ""
            if ("ATTR", "queue/scheduler") in unseen and _CHANGES_WITH_SCHEDULER.fullmatch(path):
                return path
            if not compares:
                for used in _PROPERTY.findall(value):
                    if self._is_hidden(used, unseen):
                        return str(used)
                if ("RESULT", "") in unseen and re.search(r"%c|\$result", value):
                    return "RESULT"
        return ""

    def _is_noted(self, marks: str, pattern: str) -> bool:
        """Whether udev's database has such a tag or link from an event before, which ``udevadm test`` counts in."""
        stored = self._subject.tree.text(f"run/udev/data/b{self._subject.disk.devno}") or ""
        noted = [line[2:] for line in stored.splitlines() if line[:1] in marks and line[1:2] == ":"]
        return any(_matches(one, pattern) for one in noted)

    def _is_hidden(self, name: str, unseen: set[tuple[str, str]]) -> bool:
        """Whether a property may be another one for root: it is in udev's database, and was not found now."""
        if ("ENV", name) in unseen:
            return True
        stored, seen = self._subject.udev, self._event.properties
        if not self._event.blind or name.startswith("."):
            return False
        return stored.get(name) != seen.get(name) if stored else name not in seen

    def _is_refuted(self, rule: Rule, unseen: set[tuple[str, str]]) -> bool:
        """Whether a condition that anybody can see keeps the rule from this disk, so that no other one matters."""
        known = {"KERNEL": self._subject.disk.name, "SUBSYSTEM": "block", "ACTION": self._action}
        for key, name, sign, value in rule.tokens:
            if sign not in ("==", "!="):
                continue
            actual = known.get(key)
            if key == "ATTR" and (key, name) not in unseen and not name.startswith("["):
                actual = self._subject.tree.text(f"sys/block/{self._subject.disk.name}/{name}")
                if actual is None:
                    return True
            if actual is not None:
                if _matches(actual, value) == (sign == "!="):
                    return True
        return False


def refusal(subject: Subject, attribute: str, value: str) -> Message | None:
    """Why the kernel does not take a value; None where it does, as far as is known."""
    if attribute == "queue/scheduler":
        possible = (*subject.disk.schedulers, *subject.disk.loadable)
        refused = value != UNKNOWN and written_as(value.strip()) not in possible
        return message("dead-no-scheduler", scheduler=value) if refused else None
    refused = attribute in _NUMBERS and value != UNKNOWN and not re.fullmatch(r"[+-]?\d+", value)
    return message("dead-no-number", attribute=attribute, value=value) if refused else None


def _matches(actual: str, value: str) -> bool:
    """udev's match: shell patterns, alternatives separated by ``|``."""
    return any(fnmatch.fnmatchcase(actual, pattern) for pattern in value.replace("[^", "[!").split("|"))


def _fits(template: str, command: str) -> bool:
    """Whether a command is this one, filled in."""
    literal = re.split(r"[$%](?:\w+)?(?:\{[^}]*\})?", template)
    return template == command or re.fullmatch(".*".join(map(re.escape, literal)), command, re.DOTALL) is not None
