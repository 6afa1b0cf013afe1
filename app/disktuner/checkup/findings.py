# SPDX-License-Identifier: GPL-3.0-or-later
"""The check-up of disks: facts, what is suspicious about them, and who set it, as findings that anybody can show."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any

from disktuner.block.asking import ask
from disktuner.block.disk import Disk
from disktuner.block.kernel_log import read_kernel_log
from disktuner.block.sysfs import OnceReadTree
from disktuner.block.system import System
from disktuner.block.writers import Subject, Writer
from disktuner.checkup.facts import Facts, is_checked, read_facts, read_kernel
from disktuner.checkup.health import Health
from disktuner.checkup.origin import last_writer, set_by, writer_of
from disktuner.checkup.suspicions import Suspicion, suspicions
from disktuner.remedies import Remedy, colliding, remedy_of
from disktuner.vocabulary.checks import CHECKS, RULES, Check, Rule
from disktuner.vocabulary.english import TEXTS
from disktuner.vocabulary.errors import NoSuchThing
from disktuner.vocabulary.messages import Message, Value, message, say
from disktuner.vocabulary.settings import Setting, setting
from disktuner.vocabulary.tunables import QUEUE_DEPTH


@dataclass(frozen=True, slots=True)
class ByHand:
    """How somebody mends a finding outside of Disktuner.

    ``what`` to do, and ``commands`` for a shell.
    """

    what: Message
    commands: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing to look at on a disk.

    ``what`` is set, ``kernel`` what the kernel would choose for such a device (None where it has no say), ``set_by``
    who set it, ``why`` it is suspicious, and what it ``costs`` as a rule. ``fix`` is the setting to measure against,
    None where no setting of the queue mends it. ``by_hand`` is None where ``costs`` says all that can be done.
    ``setting`` is the attribute below the disk's folder that it is about. ``remedy`` is how a line that set it is kept
    from setting it back, None where no line has the last word.
    """

    check: Check
    value: int | str
    expected: int | str | None
    rule: Rule | None
    what: Message
    kernel: Message | None
    set_by: Message
    why: Message
    costs: Message
    fix: Setting | None
    by_hand: ByHand | None
    setting: str = ""
    remedy: Remedy | None = None

    @property
    def is_fixed_by_setting(self) -> bool:
        """Whether there is nothing left to find once ``fix`` is set."""
        if self.fix is None:
            return False
        return self.setting in self.fix.values or self.fix.scheduler == self.expected


@dataclass(frozen=True, slots=True)
class CheckUp:
    """A disk with its findings, none where there is nothing to look at, and the lines that set its queue."""

    disk: Disk
    findings: tuple[Finding, ...]
    writers: tuple[Writer, ...] = ()


def check_up(system: System, disks: Iterable[Disk], health: Mapping[str, Health] | None = None) -> tuple[CheckUp, ...]:
    """Look at disks of a system; those that are not looked at (see ``is_checked``) are left out.

    ``health`` is what ``read_health`` found, None where nothing is known. Reads below the system's root, as an ordinary
    user; a disk that vanishes meanwhile is left out, too.
    """
    return tuple(_Round(system, disks, health or {}).check_ups())


class _Round:
    """One look at several disks, which reads each settings file once, and only where there is something to explain."""

    def __init__(self, system: System, disks: Iterable[Disk], health: Mapping[str, Health]) -> None:
        self._system = system
        self._tree = OnceReadTree(system.sysroot)
        self._disks = {disk.name: disk for disk in disks}
        self._health = health
        self._kernel = read_kernel(self._tree)
        self._log = cache(partial(read_kernel_log, self._tree, ask if system.is_live else None))

    def check_ups(self) -> Iterator[CheckUp]:
        """Yield the check-up of each disk that is looked at."""
        found = []
        for disk in self._disks.values():
            path = self._tree.link(f"sys/block/{disk.name}") or ""
            facts = self._facts(disk, path) if is_checked(disk, path) else None
            if facts is not None:
                found.append(facts)
        subjects = [self._system.subject(facts.disk) for facts in found]
        for facts, subject, writers in zip(found, subjects, self._system.owners().writers_of(subjects), strict=True):
            yield CheckUp(facts.disk, self._findings(facts, subject, writers), writers)

    def _facts(self, disk: Disk, path: str) -> Facts | None:
        base = self._base(disk)
        facts = read_facts(self._tree, disk, base, path, self._kernel, log=self._log) if base else None
        known = self._health.get(disk.name)
        return replace(facts, health=known) if facts and known else facts

    def _base(self, disk: Disk) -> Disk | None:
        """What does the work: of a stack the disk below, else the disk itself; None where that is gone."""
        if not disk.below:
            return disk
        below = disk.below[0]
        try:
            return self._disks[below] if below in self._disks else self._system.disk(below)
        except NoSuchThing:
            return None

    def _findings(self, facts: Facts, subject: Subject, writers: Sequence[Writer]) -> tuple[Finding, ...]:
        depth_by = last_writer(QUEUE_DEPTH, facts.queue_depth, writers)
        facts = replace(facts, set_back_by=colliding(facts.disk, writers), depth_set_by=depth_by)
        return tuple(_finding(each, facts, writers, subject) for each in suspicions(facts))


def _finding(found: Suspicion, facts: Facts, writers: Sequence[Writer], subject: Subject) -> Finding:
    values = dict(found.values)
    if found.check == "discard-at-once":
        started = subject.tree.link("etc/systemd/system/timers.target.wants/fstrim.timer") is not None
        values["timer"] = message("timer-too") if started else message("timer-not")
    rule = RULES[found.rule] if found.rule else None
    is_dangerous = facts.disk.may_hang and CHECKS[found.check].setting.startswith("queue/")
    writer = facts.set_back_by if found.check == "set-back" else writer_of(found, writers)
    return Finding(
        check=CHECKS[found.check],
        value=found.value,
        expected=found.expected,
        rule=rule,
        what=message(f"check-{found.check}", **values),
        kernel=message(f"rule-{rule.id}", kernel=found.kernel) if rule else None,
        set_by=set_by(found, facts, writers, subject.tree),
        why=message(f"check-{found.check}-why", **values),
        costs=message(f"check-{found.check}-cost", **values),
        fix=None if is_dangerous else _fix(found, facts.disk),
        by_hand=None if is_dangerous else by_hand(CHECKS[found.check], facts.disk.name, found.expected, values),
        setting=found.setting or CHECKS[found.check].setting,
        remedy=remedy_of(subject, writer) if writer and _is_of_the_queue(found) else None,
    )


def by_hand(check: Check, disk: str, expected: int | str | None, values: Mapping[str, Value]) -> ByHand | None:
    """Return how somebody mends it on a disk; ``values`` are those of the check's sentences.

    Where a name holds what no terminal should get, there is the sentence without commands.
    """
    given = {"disk": disk, "setting": check.setting, "expected": expected, "path": values.get("path")}
    quoted = {name: shlex.quote(str(value)) for name, value in given.items()}
    commands = tuple(each.format(**quoted) for each in check.by_hand)
    commands = commands if all(map(str.isprintable, commands)) else ()
    if f"check-{check.id}-do" in TEXTS:
        return ByHand(message(f"check-{check.id}-do", **values), commands=commands)
    return ByHand(message("by-hand-until-restart"), commands=commands) if commands else None


def _is_of_the_queue(found: Suspicion) -> bool:
    """Whether it is something that Disktuner sets, too: only then is there a tug-of-war."""
    is_a_cure = found.check == "command-queue-limited"  # which nobody is told to take away
    return found.check == "set-back" or (bool(found.scheduler or found.proposed) and not is_a_cure)


def _fix(found: Suspicion, disk: Disk) -> Setting | None:
    scheduler = found.scheduler or disk.scheduler
    if scheduler is None or not (found.scheduler or found.proposed):
        return None
    return setting(scheduler, found.proposed)


def finding_to_json(finding: Finding) -> dict[str, Any]:
    """As ``disktuner check --json`` prints it: texts in the reader's language, the setting as it is written."""
    rule, do = finding.rule, finding.by_hand
    return {
        "id": finding.check.id,
        "severity": finding.check.severity.value,
        "setting": finding.setting or None,
        "value": finding.value,
        "expected": finding.expected,
        "what": say(finding.what),
        "kernel": say(finding.kernel) if finding.kernel else None,
        "rule": {"id": rule.id, "since": rule.since or None, "source": rule.source} if rule else None,
        "set_by": say(finding.set_by),
        "why": say(finding.why),
        "costs": say(finding.costs),
        "source": finding.check.source,
        "fix": finding.fix.name if finding.fix else None,
        "seen_by": finding.check.seen_by or None,
        "by_hand": {"what": say(do.what), "commands": list(do.commands)} if do else None,
        "remedy": finding.remedy.to_json() if finding.remedy else None,
    }
