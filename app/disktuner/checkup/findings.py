# SPDX-License-Identifier: GPL-3.0-or-later
"""The check-up of disks: suspicious facts, and who set them, as findings ready to be shown."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any

from disktuner.block.asking import ask
from disktuner.block.disk import Disk, device_node
from disktuner.block.kernel_log import read_kernel_log
from disktuner.block.sysfs import OnceReadTree
from disktuner.block.system import System
from disktuner.block.writers import Subject, Writer
from disktuner.block.writers.owners import owners_on
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
    """How to fix a finding outside of Disktuner: ``what`` to do, and ``commands`` for a shell."""

    what: Message
    commands: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Finding:
    """One suspicious thing about a disk.

    ``what`` is set, ``kernel`` is what the kernel would choose for such a device (None if it has no rule), ``set_by``
    who set it, ``why`` it is suspicious, and what it usually ``costs``. ``fix`` is the setting to measure against; None
    if no setting of the queue fixes it. ``by_hand`` is None if ``costs`` says all that can be done. ``setting`` is its
    attribute below the disk's folder. ``remedy`` keeps the line that set it from setting it back; None without such a
    line. ``before_and_after`` shows what fixing it by hand changes on this disk; None if ``fix`` is measured, or
    nothing has to be.
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
    before_and_after: ByHand | None = None

    @property
    def is_fixed_by_setting(self) -> bool:
        """Whether the finding is gone once ``fix`` is set."""
        if self.fix is None:
            return False
        return self.setting in self.fix.values or self.fix.scheduler == self.expected


@dataclass(frozen=True, slots=True)
class CheckUp:
    """A checked disk with its findings, if any, and the lines that set its queue."""

    disk: Disk
    findings: tuple[Finding, ...]
    writers: tuple[Writer, ...] = ()


def check_up(system: System, disks: Iterable[Disk], health: Mapping[str, Health] | None = None) -> tuple[CheckUp, ...]:
    """Check the disks of a system, without those for which ``is_checked`` is false, and those that vanish meanwhile.

    ``health`` is what ``read_health`` returned. Reads below the system's root, as an ordinary user.
    """
    return tuple(_Round(system, disks, health or {}).check_ups())


class _Round:
    """One look at several disks, which reads each configuration file only once."""

    def __init__(self, system: System, disks: Iterable[Disk], health: Mapping[str, Health]) -> None:
        self._system = system
        self._tree = OnceReadTree(system.sysroot)
        self._disks = {disk.name: disk for disk in disks}
        self._health = health
        self._kernel = read_kernel(self._tree)
        self._log = cache(partial(read_kernel_log, self._tree, ask if system.is_live else None))

    def check_ups(self) -> Iterator[CheckUp]:
        """Yield the check-up of each checked disk."""
        all_facts = []
        for disk in self._disks.values():
            path = self._tree.link(f"sys/block/{disk.name}") or ""
            facts = self._facts(disk, path) if is_checked(disk, path) else None
            if facts is not None:
                all_facts.append(facts)
        subjects = [self._system.subject(facts.disk) for facts in all_facts]
        for facts, subject, writers in zip(
            all_facts, subjects, owners_on(self._system).writers_of(subjects), strict=True
        ):
            yield CheckUp(facts.disk, self._findings(facts, subject, writers), writers)

    def _facts(self, disk: Disk, path: str) -> Facts | None:
        base = self._base(disk)
        facts = read_facts(self._tree, disk, base, path, self._kernel, log=self._log) if base else None
        known = self._health.get(disk.name)
        return replace(facts, health=known) if facts and known else facts

    def _base(self, disk: Disk) -> Disk | None:
        """Return the disk that does the work: the one below in a stack, else the disk itself; None if it is gone."""
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
        return tuple(_finding(suspicion, facts, writers, subject) for suspicion in suspicions(facts))


def _finding(suspicion: Suspicion, facts: Facts, writers: Sequence[Writer], subject: Subject) -> Finding:
    values = dict(suspicion.values)
    if suspicion.check == "discard-at-once":
        started = subject.tree.link("etc/systemd/system/timers.target.wants/fstrim.timer") is not None
        values["timer"] = message("timer-too") if started else message("timer-not")
    rule = RULES[suspicion.rule] if suspicion.rule else None
    is_dangerous = facts.disk.may_hang and CHECKS[suspicion.check].setting.startswith("queue/")
    writer = facts.set_back_by if suspicion.check == "set-back" else writer_of(suspicion, writers)
    fix = None if is_dangerous else _fix(suspicion, facts.disk)
    return Finding(
        check=CHECKS[suspicion.check],
        value=suspicion.value,
        expected=suspicion.expected,
        rule=rule,
        what=message(f"check-{suspicion.check}", **values),
        kernel=message(f"rule-{rule.id}", kernel=suspicion.kernel) if rule else None,
        set_by=set_by(suspicion, facts, writers, subject.tree),
        why=message(f"check-{suspicion.check}-why", **values),
        costs=message(f"check-{suspicion.check}-cost", **values),
        fix=fix,
        by_hand=None if is_dangerous else by_hand(CHECKS[suspicion.check], facts.disk.name, suspicion.expected, values),
        setting=suspicion.setting or CHECKS[suspicion.check].setting,
        remedy=remedy_of(subject, writer) if writer and _is_of_the_queue(suspicion) else None,
        before_and_after=None if fix or is_dangerous else before_and_after(CHECKS[suspicion.check], facts.disk.name),
    )


def before_and_after(check: Check, disk: str) -> ByHand | None:
    """Return what shows on a disk what mending it by hand changes; None where only the disk's own word does."""
    if not check.seen_by:
        return None
    return ByHand(
        message("checkup-see"), (shlex.join(("disktuner", "bench", device_node(disk), "--workload", check.seen_by)),)
    )


def by_hand(check: Check, disk: str, expected: int | str | None, values: Mapping[str, Value]) -> ByHand | None:
    """Return how to fix a disk by hand; ``values`` are those of the check's sentences.

    If a name contains unprintable characters, there are no commands.
    """
    given = {
        "disk": disk,
        "device": device_node(disk),
        "setting": check.setting,
        "expected": expected,
        "path": values.get("path"),
    }
    quoted = {name: shlex.quote(str(value)) for name, value in given.items()}
    commands = tuple(command.format(**quoted) for command in check.by_hand)
    commands = commands if all(map(str.isprintable, commands)) else ()
    if f"check-{check.id}-do" in TEXTS:
        return ByHand(message(f"check-{check.id}-do", **values), commands=commands)
    return ByHand(message("by-hand-until-restart"), commands=commands) if commands else None


def _is_of_the_queue(suspicion: Suspicion) -> bool:
    """Whether it is something that Disktuner sets too, so that both would override each other."""
    is_a_cure = suspicion.check == "command-queue-limited"  # never suggest to remove it
    return suspicion.check == "set-back" or (bool(suspicion.scheduler or suspicion.proposed) and not is_a_cure)


def _fix(suspicion: Suspicion, disk: Disk) -> Setting | None:
    scheduler = suspicion.scheduler or disk.scheduler
    if scheduler is None or not (suspicion.scheduler or suspicion.proposed):
        return None
    return setting(scheduler, suspicion.proposed)


def finding_to_json(finding: Finding) -> dict[str, Any]:
    """Return a finding as ``disktuner check --json`` prints it, with texts in the reader's language."""
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
