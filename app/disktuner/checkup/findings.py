# SPDX-License-Identifier: GPL-3.0-or-later
"""The check-up of disks: facts, what is suspicious about them, and who set it, as findings that anybody can show."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from disktuner.block.disk import Disk
from disktuner.block.system import System
from disktuner.block.writers import Subject, Writer
from disktuner.block.writers.writer import is_started
from disktuner.checkup.facts import Facts, Kernel, is_checked, read_facts, read_kernel
from disktuner.checkup.health import Health
from disktuner.checkup.origin import set_by
from disktuner.checkup.suspicions import Suspicion, suspicions
from disktuner.vocabulary.checks import CHECKS, RULES, Check, Rule
from disktuner.vocabulary.errors import NoSuchThing
from disktuner.vocabulary.messages import Message, message, say
from disktuner.vocabulary.settings import Setting, setting

Writers = Callable[[], tuple[Writer, ...]]


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing to look at on a disk.

    ``what`` is set, ``kernel`` what the kernel would choose for such a device (None where it has no say), ``set_by``
    who set it, ``why`` it is suspicious, and what it ``costs`` as a rule. ``fix`` is the setting to measure against,
    None where no setting of the queue mends it.
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


@dataclass(frozen=True, slots=True)
class CheckUp:
    """A disk with its findings, none where there is nothing to look at."""

    disk: Disk
    findings: tuple[Finding, ...]


def check_up(system: System, disks: Iterable[Disk], health: Mapping[str, Health] | None = None) -> tuple[CheckUp, ...]:
    """Look at disks of a system; those that are not looked at (see ``is_checked``) are left out.

    ``health`` is what ``read_health`` found, None where nothing is known. Reads below the system's root, as an ordinary
    user; a disk that vanishes meanwhile is left out, too.
    """
    known = {disk.name: disk for disk in disks}
    kernel = read_kernel(system.tree)
    found = (_check_one(system, disk, known, kernel, health or {}) for disk in known.values())
    return tuple(each for each in found if each is not None)


def _check_one(
    system: System, disk: Disk, known: Mapping[str, Disk], kernel: Kernel, health: Mapping[str, Health]
) -> CheckUp | None:
    path = system.tree.link(f"sys/block/{disk.name}") or ""
    if not is_checked(disk, path):
        return None
    base = _base(system, disk, known)
    facts = read_facts(system.tree, disk, base, path, kernel) if base else None
    if facts is None:
        return None
    facts = replace(facts, health=health[disk.name]) if disk.name in health else facts
    suspicious = tuple(suspicions(facts))
    # Rules of all folders are read only where there is something to explain.
    writers = system.writers(disk) if suspicious else ()
    return CheckUp(disk, tuple(_finding(each, facts, writers, system) for each in suspicious))


def _base(system: System, disk: Disk, known: Mapping[str, Disk]) -> Disk | None:
    """The one disk that does the work: of a stack what lies below, else the disk itself; None where that is gone."""
    if not disk.below:
        return disk
    below = disk.below[0]
    try:
        return known[below] if below in known else system.disk(below)
    except NoSuchThing:
        return None


def _finding(found: Suspicion, facts: Facts, writers: tuple[Writer, ...], system: System) -> Finding:
    values = dict(found.values)
    if found.check == "discard-at-once":
        values["timer"] = _timer(facts, system)
    rule = RULES[found.rule] if found.rule else None
    return Finding(
        CHECKS[found.check],
        found.value,
        found.expected,
        rule,
        message(f"check-{found.check}", **values),
        message(f"rule-{rule.id}", kernel=found.kernel) if rule else None,
        set_by(found, facts, writers, system.tree),
        message(f"check-{found.check}-why", **values),
        message(f"check-{found.check}-cost", **values),
        _fix(found, facts.disk),
    )


def _timer(facts: Facts, system: System) -> Message:
    subject = Subject(facts.disk, {}, system.tree, facts.path, system.is_live)
    return message("timer-too") if is_started(subject, "fstrim.timer") else message("timer-not")


def _fix(found: Suspicion, disk: Disk) -> Setting | None:
    scheduler = found.scheduler or disk.scheduler
    if scheduler is None or not (found.scheduler or found.proposed):
        return None
    return setting(scheduler, found.proposed)


def finding_to_json(finding: Finding) -> dict[str, Any]:
    """As ``disktuner check --json`` prints it: texts in the reader's language, the setting as it is written."""
    rule = finding.rule
    return {
        "id": finding.check.id,
        "severity": finding.check.severity.value,
        "setting": finding.check.setting or None,
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
    }
