# SPDX-License-Identifier: GPL-3.0-or-later
"""The lines of udev's rules that set a queue, and what udev says of each: what it does at which event, or why nothing.

Whether a rule's conditions hold says udev alone. Only doubted is here what hangs on what ``udevadm test`` does not see
without rights: a probe's properties, what was not written.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path

from disktuner.block.rule_files import ATTRIBUTE, COMPARES, Rule
from disktuner.block.writers.texts import attribute_of, effects
from disktuner.block.writers.udevadm import Event
from disktuner.block.writers.writer import (
    ACTING,
    MENTIONED,
    OTHERS,
    Standing,
    State,
    Subject,
    Writer,
    no_such_scheduler,
)
from disktuner.vocabulary.messages import message
from disktuner.vocabulary.schedulers import scheduler

_GOES_WITH_SCHEDULER = re.compile(r"ATTR\{queue/(?:iosched/.*|nr_requests|wbt_lat_usec|async_depth)\}")
_FILLED_IN = re.compile(r"%c(?!\{)|\$result(?!\{)")
_OTHER_TEXT = re.compile(r"[%$]")
_USED = re.compile(r"(?:\$env|%E)\{(\w+)\}|%c|\$result")


def rule_writers(subject: Subject, rules: Sequence[Rule], events: Sequence[Event] | None) -> Iterator[Writer]:
    """Yield every line that sets a queue, as udev works through them; ``events`` are None where udev was not asked."""
    asked = events or ()
    found = [(rule, one) for rule in rules for one in _named(subject, rule, asked)]
    found.sort(key=lambda pair: pair[1].is_command)
    unasked = [] if asked else [_unasked(found, Conditions(subject, rules))]
    judged = zip(*[_judged(subject, event, rules, found) for event in asked] or unasked, strict=True)
    for (rule, _), each in zip(found, judged, strict=True):
        best = min(each, key=lambda one: list(State).index(one.state)).as_its_kernel_takes_it(subject.disk)
        yield replace(best, on_change=each[-1].may_write, corrected=best.corrected or _renamed(rule, best))


def _unasked(found: Iterable[tuple[Rule, Writer]], conditions: Conditions) -> list[Writer]:
    """What is known without udev: some lines are surely about other disks."""
    return [
        one if one.ours else one.stands(MENTIONED if conditions.may_hold(rule, one) else OTHERS) for rule, one in found
    ]


def _renamed(rule: Rule, one: Writer) -> str:
    """A line that names a scheduler of old kernels, with what took its place."""
    successor = scheduler(one.value).successor if one.state is State.DEAD and one.sets_scheduler else None
    return rule.text.replace(f'"{one.value}"', f'"{successor}"') if successor else ""


class Conditions:
    """What can be said without udev of the conditions of rules: which of them surely do not hold for a disk.

    Nothing is said of a key that any rule sets, nor of what may not have been recorded.
    """

    def __init__(self, subject: Subject, rules: Sequence[Rule]) -> None:
        self._subject = subject
        self._set = {key for rule in rules for key, sign, _ in rule.tokens if sign not in COMPARES}
        self._possible = {rule for action in ("add", "change") for rule in self._reached(rules, action)}

    def may_hold(self, rule: Rule, one: Writer) -> bool:
        """Whether a rule may do to the disk what it is taken to do."""
        is_above = any(key in ("ATTR{queue_depth}", "ATTR{timeout}") for key, _, _ in rule.tokens)
        if one.attribute.startswith("device/"):
            return self._subject.disk.name.startswith("sd") and (is_above or rule in self._possible)
        return rule in self._possible

    def _reached(self, rules: Iterable[Rule], action: str) -> Iterator[Rule]:
        """Yield the rules of which it is not sure that they do nothing at an event."""
        file = label = ""
        for rule in rules:
            if rule.file != file or rule.has("LABEL") == label:
                label = ""
            if label:
                continue
            holds = self._holds(rule, action)
            if holds is not False:
                yield rule
            if holds and (target := rule.has("GOTO")):
                file, label = rule.file, target

    def _holds(self, rule: Rule, action: str) -> bool | None:
        """Whether all conditions hold; None where that is not known."""
        meant = all(sign in COMPARES for _, sign, _ in rule.tokens)
        tokens = [(key, sign, value) for key, sign, value in rule.tokens if sign in COMPARES]
        told = [
            self._is_met(key, sign, value, action)
            for key, sign, value in tokens
            if not (meant and ATTRIBUTE.fullmatch(key))
        ]
        return False if False in told else None if None in told else True

    def _is_met(self, key: str, sign: str, value: str, action: str) -> bool | None:
        actual = None if re.search(r"[$%]", value) else self._actual(key, action)
        if actual is None:
            return None
        patterns = value.replace("[^", "[!").split("|")
        matches = any(fnmatchcase(actual, one) for one in patterns)
        if not matches and any(fnmatchcase(actual.lower(), one.lower()) for one in patterns):
            return None  # since systemd 258 a rule may leave the case aside
        return matches == (sign == "==")

    def _actual(self, key: str, action: str) -> str | None:
        subject = self._subject
        known = {"ACTION": action, "KERNEL": subject.disk.name, "SUBSYSTEM": "block", "ENV{DEVTYPE}": "disk"}
        if key in known:
            return known[key]
        if (stored := re.fullmatch(r"ENV\{(ID_\w+)\}", key)) and subject.udev and key not in self._set:
            return subject.udev.get(stored[1], "")
        attribute = re.fullmatch(r"ATTRS?\{(queue/\w+|removable|size)\}", key)
        if attribute is None or f"ATTR{{{attribute[1]}}}" in self._set:
            return None
        return subject.tree.text(f"sys/block/{subject.disk.name}/{attribute[1]}")


def _named(subject: Subject, rule: Rule, events: Iterable[Event]) -> Iterator[Writer]:
    """Yield what a line would set, if its conditions held; ACTS is said of our own, which is known without asking.

    Who does nothing but compare has meant to set it.
    """
    only_compares = all(sign in COMPARES for _, sign, _ in rule.tokens)
    ours = rule.choice is not None
    state = State.ACTS if rule.choice and rule.choice.is_for(subject.udev) else State.OTHER_DISKS
    for key, sign, value in rule.tokens:
        if (named := ATTRIBUTE.fullmatch(key)) and (only_compares or sign not in COMPARES):
            yield Writer("udev", rule.file, rule.lines[0], attribute_of(named[1]), value, state, ours=ours)
    as_written = [value for key, _, value in rule.tokens if key.startswith("RUN")]
    filled_in = (rule.among(event.commands) for event in events)
    for command in next(filter(None, filled_in), as_written):
        only_prints = Path(command.partition(" ")[0]).name in ("echo", "printf")
        for effect in effects(subject, command, "udev", rule.file):
            one = effect.stands((State.DEAD, message("dead-no-shell"))) if only_prints else effect
            yield replace(one, line=rule.lines[0], is_command=True)


def _judged(
    subject: Subject, event: Event, rules: Iterable[Rule], found: Iterable[tuple[Rule, Writer]]
) -> list[Writer]:
    """Return the lines with what they do at an event, and who has the last word."""
    doubts = _doubts(subject, event, rules)
    done = [one if one.ours else _at_event(subject, event, doubts.get(rule), rule, one) for rule, one in found]
    last = {one.attribute: one for one in done if one.state is State.ACTS}
    return [one.beaten_by(last.get(one.attribute)) for one in done]


def _at_event(subject: Subject, event: Event, doubt: str | None, rule: Rule, one: Writer) -> Writer:
    if said := rule.among(event.dropped):
        return replace(one.stands((State.DEAD, message("dead-dropped", said=said))), corrected=rule.corrected)
    below = f"/{subject.disk.name}/"
    writes = rule.among(event.writes) or ()
    values = [value for path, value in writes if attribute_of(path.rpartition(below)[2]) == one.attribute]
    if (answer := _answer(event, rule)) is not None and _hangs_on_answer(rule):
        filled_in = _FILLED_IN.sub(lambda _: answer, one.value)
        values = [filled_in] if _is_answered(rule, answer) else []
        doubt = doubt or ("RESULT" if one.is_command or _OTHER_TEXT.search(filled_in) else None)
    one = replace(one, value=values[-1]) if values and values[-1] and one.result is None else one
    state, why = _of_command(event, rule, one) if one.is_command else _of_attribute(subject, one, values)
    if state is State.ACTS and not one.is_taken_by(subject.disk):
        state, why = State.DEAD, no_such_scheduler(one.value)
    if state is not State.MENTIONS and doubt and why is None:
        state, why = State.OPEN, message("open-unseen", what=doubt)
    return one.stands((state, why))


def _answer(event: Event, rule: Rule) -> str | None:
    """What the rule's PROGRAM printed where ``udevadm test`` did not start it; None where more counts."""
    return None if rule.has("GOTO", "IMPORT{program}", "IMPORT{builtin}") else rule.among(event.answers)


def _hangs_on_answer(rule: Rule) -> bool:
    """Whether ``udevadm test``, to which the answer was empty, may have done something else than udev does."""
    return any(key == "RESULT" or _FILLED_IN.search(value) for key, _, value in rule.tokens)


def _is_answered(rule: Rule, answer: str) -> bool:
    conditions = ((sign == "==", value.split("|")) for key, sign, value in rule.tokens if key == "RESULT")
    return all(any(fnmatchcase(answer, one) for one in among) == equal for equal, among in conditions)


def _of_command(event: Event, rule: Rule, one: Writer) -> Standing:
    if rule.among(event.commands):
        return one.state, one.why
    reset = rule.among(event.reset)
    return (State.DEAD, message("dead-reset", place=reset)) if reset else OTHERS


def _of_attribute(subject: Subject, one: Writer, values: Sequence[str | None]) -> Standing:
    """Some attributes are there once the scheduler is, which is not written here."""
    path = f"sys/block/{subject.disk.name}/{one.attribute}"
    if not values:
        return OTHERS
    if one.attribute.startswith("iosched/") or (values[-1] is not None and subject.tree.exists(path)):
        return ACTING
    return State.DEAD, message("dead-no-attribute", attribute=one.attribute)


def _doubts(subject: Subject, event: Event, rules: Iterable[Rule]) -> Mapping[Rule, str]:
    """What of a rule nobody without rights sees: what events before have left, and what a probe that fails here finds.

    What such a rule sets or skips is doubtful for those that follow.
    """
    stored = subject.tree.text(f"run/udev/data/b{subject.disk.devno}") or ""
    unseen = {"TAG", "TAGS", "SYMLINK"} if re.search(r"(?m)^[GQS]:", stored) else set[str]()
    if event.blind:
        unseen |= {f"ENV{{{name}}}" for name, value in subject.udev.items() if event.properties.get(name) != value}
    found = dict[Rule, str]()
    file = label = skipped = ""
    for rule in rules:
        if rule.file != file or rule.has("LABEL") == label:
            skipped = ""
        is_answered = _answer(event, rule) is not None
        known = {"RESULT"} if is_answered else set[str]()
        doubt = skipped or next((name for name in map(_read_by, rule.tokens) if name in unseen - known), "")
        if rule.among(event.blind):
            unseen.add("RESULT")
            if not is_answered:
                doubt = doubt or rule.has("PROGRAM", "IMPORT{program}", "IMPORT{builtin}") or "RESULT"
        sets = {_with_scheduler(key) for key, sign, _ in rule.tokens if sign not in COMPARES}
        if doubt:
            found[rule] = doubt
            unseen |= sets | ({"TAGS"} if "TAG" in sets else set())
            if not skipped and (target := rule.has("GOTO")):
                file, label, skipped = rule.file, target, doubt
        elif is_answered and _hangs_on_answer(rule):
            unseen |= sets
        elif rule.among(event.writes):
            unseen |= {key for key in sets if key.startswith("ATTR{")}
    return found


def _read_by(token: tuple[str, str, str]) -> str:
    """What a condition, or a value, is made of."""
    key, sign, value = token
    if sign in COMPARES:
        return _with_scheduler(f"ATTR{{{value}}}" if key == "TEST" else key)
    used = _USED.search(value)
    return "" if used is None else f"ENV{{{used[1]}}}" if used[1] else "RESULT"


def _with_scheduler(key: str) -> str:
    """Attributes that come and go with a scheduler are known as it is."""
    return "ATTR{queue/scheduler}" if _GOES_WITH_SCHEDULER.fullmatch(key) else key
