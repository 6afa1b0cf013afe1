# SPDX-License-Identifier: GPL-3.0-or-later
"""The lines of udev's rules that set a queue, and what each does at which event, or why it does nothing.

udev alone knows whether a rule's conditions hold. Only results that depend on what ``udevadm test`` cannot see without
rights, such as a probe's properties, are doubted here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path

from disktuner.block.disk import udev_name
from disktuner.block.rule_files import ATTRIBUTE, COMPARES, Rule, rule_files, rules_of
from disktuner.block.sysfs import Tree, text_of
from disktuner.block.writers.texts import SETS, attribute_of, effects, is_script, script_writers, writes
from disktuner.block.writers.udevadm import UdevEvent
from disktuner.block.writers.writer import (
    ACTING,
    MENTIONED,
    OTHERS,
    LineState,
    Standing,
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


_RUNS = re.compile(r'RUN(?:\{program\})?\s*(?:\+|:)?=\s*"')
_PROGRAM = re.compile(r"(?:\S*/(?:ba|da)?sh\s+)?([\w./+-]+)(?:\s|$)")


def rules_that_set(tree: Tree) -> Iterator[Rule]:
    """Yield the rules of all files that set queues, also by a script that they start, in udev's order."""
    for path in rule_files(tree):
        text = text_of(tree, path)
        rules = list(rules_of(tree, path)) if SETS.search(text) or _RUNS.search(text) else []
        if SETS.search(text) or any(_script(tree, command) for rule in rules for command in _commands(rule)):
            yield from rules


def _commands(rule: Rule) -> list[str]:
    return [value for key, _, value in rule.tokens if key in ("RUN", "RUN{program}")]


def _script(tree: Tree, command: str) -> str:
    """Return the path of the script that a command starts, if it sets queues; empty otherwise (udev(7), RUN)."""
    program = _PROGRAM.match(command)
    path = str(Path("/usr/lib/udev", program[1])) if program else ""
    return path if path and is_script(tree, path) and writes(text_of(tree, path)) else ""


def rule_writers(subject: Subject, rules: Sequence[Rule], events: Sequence[UdevEvent] | None) -> Iterator[Writer]:
    """Yield every line that sets a queue, in udev's order; ``events`` are None if udev was not asked."""
    asked = events or ()
    lines = [(rule, writer) for rule in rules for writer in _named(subject, rule, asked)]
    lines.sort(key=lambda pair: pair[1].is_command)
    unasked = [] if asked else [_unasked(lines, Conditions(subject, rules))]
    judged = zip(*[_judged(subject, event, rules, lines) for event in asked] or unasked, strict=True)
    for (rule, _), at_events in zip(lines, judged, strict=True):
        best = min(at_events, key=lambda writer: list(LineState).index(writer.state))
        best = best.as_its_kernel_takes_it(subject.disk)
        yield replace(best, on_change=at_events[-1].may_write, corrected=best.corrected or _renamed(rule, best))


def _unasked(lines: Iterable[tuple[Rule, Writer]], conditions: Conditions) -> list[Writer]:
    """Judge lines without udev: some are surely about other disks."""
    return [
        writer if writer.ours else writer.stands(MENTIONED if conditions.may_hold(rule, writer) else OTHERS)
        for rule, writer in lines
    ]


def _renamed(rule: Rule, writer: Writer) -> str:
    """Return a line with the successor of an old kernel's scheduler; empty if it names none."""
    successor = scheduler(writer.value).successor if writer.state is LineState.DEAD and writer.sets_scheduler else None
    better = rule.text.replace(f'"{writer.value}"', f'"{successor}"') if successor else ""
    return "" if better == rule.text else better


class Conditions:
    """Conditions of rules that, without udev, surely do not hold for a disk.

    Keys that any rule sets, and facts that may not have been recorded, are undecided.
    """

    def __init__(self, subject: Subject, rules: Sequence[Rule]) -> None:
        self._subject = subject
        self._set = {key for rule in rules for key, sign, _ in rule.tokens if sign not in COMPARES}
        self._possible = {rule for action in ("add", "change") for rule in self._reached(rules, action)}

    def may_hold(self, rule: Rule, writer: Writer) -> bool:
        """Whether a rule may set the disk's attribute."""
        is_above = any(key in ("ATTR{queue_depth}", "ATTR{timeout}") for key, _, _ in rule.tokens)
        if writer.attribute.startswith("device/"):
            return self._subject.disk.name.startswith("sd") and (is_above or rule in self._possible)
        return rule in self._possible

    def _reached(self, rules: Iterable[Rule], action: str) -> Iterator[Rule]:
        """Yield the rules that may do something at an event."""
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
        """Return whether all conditions hold; None if unknown."""
        meant = all(sign in COMPARES for _, sign, _ in rule.tokens)
        tokens = [(key, sign, value) for key, sign, value in rule.tokens if sign in COMPARES]
        outcomes = [
            self._is_met(key, sign, value, action)
            for key, sign, value in tokens
            if not (meant and ATTRIBUTE.fullmatch(key))
        ]
        return False if False in outcomes else None if None in outcomes else True

    def _is_met(self, key: str, sign: str, value: str, action: str) -> bool | None:
        actual = None if re.search(r"[$%]", value) else self._actual(key, action)
        if actual is None:
            return None
        if key == "ATTRS{removable}" and not re.fullmatch("[01|]*", value):
            return None  # of a parent: USB and PCI devices have "removable" or "fixed"
        patterns = value.replace("[^", "[!").split("|")
        matches = any(fnmatchcase(actual, pattern) for pattern in patterns)
        if not matches and any(fnmatchcase(actual.lower(), pattern.lower()) for pattern in patterns):
            return None  # since systemd 258 a rule may ignore case
        return matches == (sign == "==")

    def _actual(self, key: str, action: str) -> str | None:
        subject = self._subject
        name = udev_name(subject.disk.name)
        known = {"ACTION": action, "KERNEL": name, "SUBSYSTEM": "block", "ENV{DEVTYPE}": "disk"}
        if key in known:
            return known[key]
        if (stored := re.fullmatch(r"ENV\{(ID_\w+)\}", key)) and subject.udev and key not in self._set:
            return subject.udev.get(stored[1], "")
        attribute = re.fullmatch(r"ATTRS?\{(queue/\w+|removable|size)\}", key)
        if attribute is None or f"ATTR{{{attribute[1]}}}" in self._set:
            return None
        return subject.tree.text(f"sys/block/{subject.disk.name}/{attribute[1]}")


def _named(subject: Subject, rule: Rule, events: Iterable[UdevEvent]) -> Iterator[Writer]:
    """Yield what a rule would set if its conditions held; only our own are known to act without asking.

    A rule that only compares was meant to set.
    """
    only_compares = all(sign in COMPARES for _, sign, _ in rule.tokens)
    ours = rule.choice is not None
    state = LineState.ACTS if rule.choice and rule.choice.is_for(subject.udev) else LineState.OTHER_DISKS
    for key, sign, value in rule.tokens:
        if (named := ATTRIBUTE.fullmatch(key)) and (only_compares or sign not in COMPARES):
            yield Writer("udev", rule.file, rule.lines[0], attribute_of(named[1]), value, state, ours=ours)
    as_written = _commands(rule)
    filled_in = (rule.among(event.commands) for event in events)
    for command in next(filter(None, filled_in), as_written):
        only_prints = Path(command.partition(" ")[0]).name in ("echo", "printf")
        for effect in effects(subject, command, "udev", rule.file):
            writer = effect.stands((LineState.DEAD, message("dead-no-shell"))) if only_prints else effect
            yield replace(writer, line=rule.lines[0], is_command=True)
        if script := _script(subject.tree, command):
            for effect in script_writers(subject, "udev", script):
                yield replace(effect, is_command=True)


def _judged(
    subject: Subject, event: UdevEvent, rules: Iterable[Rule], lines: Iterable[tuple[Rule, Writer]]
) -> list[Writer]:
    """Return the lines with their state at an event, overridden ones included."""
    doubts = _doubts(subject, event, rules)
    done = [
        writer if writer.ours else _at_event(subject, event, doubts.get(rule), rule, writer) for rule, writer in lines
    ]
    last = {writer.attribute: writer for writer in done if writer.state is LineState.ACTS}
    return [writer.beaten_by(last.get(writer.attribute)) for writer in done]


def _at_event(subject: Subject, event: UdevEvent, doubt: str | None, rule: Rule, writer: Writer) -> Writer:
    if said := rule.among(event.dropped):
        return replace(writer.stands((LineState.DEAD, message("dead-dropped", said=said))), corrected=rule.corrected)
    below = f"/{subject.disk.name}/"
    writes = rule.among(event.writes) or ()
    values = [value for path, value in writes if attribute_of(path.rpartition(below)[2]) == writer.attribute]
    if (answer := _answer(event, rule)) is not None and _hangs_on_answer(rule):
        filled_in = _FILLED_IN.sub(lambda _: answer, writer.value)
        values = [filled_in] if _is_answered(rule, answer) else []
        doubt = doubt or ("RESULT" if writer.is_command or _OTHER_TEXT.search(filled_in) else None)
    writer = replace(writer, value=values[-1]) if values and values[-1] and writer.result is None else writer
    state, why = _of_command(event, rule, writer) if writer.is_command else _of_attribute(subject, writer, values)
    if state is LineState.ACTS and not writer.is_taken_by(subject.disk):
        state, why = LineState.DEAD, no_such_scheduler(writer.value)
    if state is not LineState.MENTIONS and doubt and why is None:
        state, why = LineState.OPEN, message("open-unseen", what=doubt)
    return writer.stands((state, why))


def _answer(event: UdevEvent, rule: Rule) -> str | None:
    """Return the output of a rule's PROGRAM that ``udevadm test`` did not start; None if other imports matter."""
    return None if rule.has("GOTO", "IMPORT{program}", "IMPORT{builtin}") else rule.among(event.answers)


def _hangs_on_answer(rule: Rule) -> bool:
    """Whether ``udevadm test``, which had an empty answer, may differ from udev."""
    return any(key == "RESULT" or _FILLED_IN.search(value) for key, _, value in rule.tokens)


def _is_answered(rule: Rule, answer: str) -> bool:
    conditions = ((sign == "==", value.split("|")) for key, sign, value in rule.tokens if key == "RESULT")
    return all(any(fnmatchcase(answer, pattern) for pattern in among) == equal for equal, among in conditions)


def _of_command(event: UdevEvent, rule: Rule, writer: Writer) -> Standing:
    if rule.among(event.commands):
        return writer.state, writer.why
    reset = rule.among(event.reset)
    return (LineState.DEAD, message("dead-reset", place=reset)) if reset else OTHERS


def _of_attribute(subject: Subject, writer: Writer, values: Sequence[str | None]) -> Standing:
    """Return the standing of an attribute; ``iosched/`` ones may only exist with a scheduler not yet set."""
    path = f"sys/block/{subject.disk.name}/{writer.attribute}"
    if not values:
        return OTHERS
    if writer.attribute.startswith("iosched/") or (values[-1] is not None and subject.tree.exists(path)):
        return ACTING
    return LineState.DEAD, message("dead-no-attribute", attribute=writer.attribute)


def _doubts(subject: Subject, event: UdevEvent, rules: Iterable[Rule]) -> Mapping[Rule, str]:
    """Return for each rule what cannot be seen without rights: what earlier events left, and a failing probe's results.

    What such a rule sets or skips is doubtful for later ones.
    """
    stored = subject.tree.text(f"run/udev/data/b{subject.disk.devno}") or ""
    unseen = {"TAG", "TAGS", "SYMLINK"} if re.search(r"(?m)^[GQS]:", stored) else set[str]()
    if event.blind:
        unseen |= {f"ENV{{{name}}}" for name, value in subject.udev.items() if event.properties.get(name) != value}
    doubts = dict[Rule, str]()
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
            doubts[rule] = doubt
            unseen |= sets | ({"TAGS"} if "TAG" in sets else set())
            if not skipped and (target := rule.has("GOTO")):
                file, label, skipped = rule.file, target, doubt
        elif is_answered and _hangs_on_answer(rule):
            unseen |= sets
        elif rule.among(event.writes):
            unseen |= {key for key in sets if key.startswith("ATTR{")}
    return doubts


def _read_by(token: tuple[str, str, str]) -> str:
    """Return what a condition or value depends on."""
    key, sign, value = token
    if sign in COMPARES:
        return _with_scheduler(f"ATTR{{{value}}}" if key == "TEST" else key)
    used = _USED.search(value)
    return "" if used is None else f"ENV{{{used[1]}}}" if used[1] else "RESULT"


def _with_scheduler(key: str) -> str:
    """Return the scheduler's key for attributes that come and go with it."""
    return "ATTR{queue/scheduler}" if _GOES_WITH_SCHEDULER.fullmatch(key) else key
