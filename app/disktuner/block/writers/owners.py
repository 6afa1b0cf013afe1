# SPDX-License-Identifier: GPL-3.0-or-later
"""Asks those who decide about queues, each once for a look at many disks, and puts what they say in its order.

Of lists of settings, scripts and jobs systemd says whether they are worked through; who can't be asked only mentions.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cache

from disktuner.block.configuration import lines_of, named
from disktuner.block.sysfs import Tree
from disktuner.block.writers.asking import Ask
from disktuner.block.writers.rules import read_rules, rule_writers
from disktuner.block.writers.services import MENTIONED, Units, tlp_writers, tuned_writers
from disktuner.block.writers.texts import SETS, script_writers
from disktuner.block.writers.udevadm import Event, conflicts, events
from disktuner.block.writers.writer import BOOT, Standing, State, Subject, Writer
from disktuner.vocabulary.messages import message
from disktuner.vocabulary.schedulers import scheduler

_TMPFILES = ("etc/tmpfiles.d", "run/tmpfiles.d", "usr/local/lib/tmpfiles.d", "usr/lib/tmpfiles.d")
_FILES = (
    ("tmpfiles.d", "systemd-tmpfiles-setup.service", ".conf", _TMPFILES),
    ("sysfs.conf", "sysfsutils.service", "", ("etc/sysfs.d", "etc/sysfs.conf")),
    ("rc.local", "rc-local.service", "", ("etc/rc.local", "etc/rc.d/rc.local", "etc/init.d/boot.local")),
    ("rc.local", "", ".start", ("etc/local.d",)),
    ("cron", "", "", ("etc/cron.d", "etc/crontab")),
    ("cloud-init", "", "", ("etc/cloud/cloud.cfg.d", "etc/cloud/cloud.cfg", "var/lib/cloud/scripts/per-boot")),
    ("hdparm", "", "", ("etc/hdparm.conf",)),
)
"""What is worked through: by whom, the unit that starts it, nothing where nobody can be asked, the ending of names, and
files or folders of them."""

_BOOT_FILES = {"proc/cmdline": BOOT[0], "etc/default/grub": BOOT[1], "etc/kernel/cmdline": BOOT[1]}
_ELEVATOR = re.compile(r"(?:^|[\s\"'=])elevator=([\w-]+)")
_READS_ELEVATOR = re.compile(r'IMPORT\{cmdline\}\s*=+\s*"elevator"')


def file_writers(subject: Subject, ask: Ask, units: Units) -> Iterator[Writer]:
    """Yield what the lines of files set."""
    for who, unit, suffix, places in _FILES:
        paths = [f"/{path}" for path in named(subject.tree, places, suffix)]
        if places == _TMPFILES:
            paths = re.findall(r"(?m)^# (/\S+\.conf)$", ask("systemd-tmpfiles", "--cat-config") or "") or paths
        for path in paths:
            yield from script_writers(subject, who, path, units.standing(unit) if unit else MENTIONED)


def boot_writers(subject: Subject) -> Iterator[Writer]:
    """Yield each mention of ``elevator=``, which does nothing unless a rule of udev's reads it."""
    for path, who in _BOOT_FILES.items():
        for number, line in lines_of(subject.tree, path):
            for name in _ELEVATOR.findall(line):
                yield Writer(who, f"/{path}", number, "queue/scheduler", name, *_elevator(subject, name))


def _elevator(subject: Subject, name: str) -> Standing:
    for rule in read_rules(subject.tree, _READS_ELEVATOR):
        if _READS_ELEVATOR.search(rule.text):
            return State.MENTIONS, message("elevator-read", place=rule.places[0])
    old = scheduler(name)
    return State.DEAD, message("elevator-old-name", became=old.became) if old.successor else message("elevator")


class Owners:
    """All that set queues on a machine; ``ask`` is None for a recorded one, whose lines are listed, not judged."""

    def __init__(self, tree: Tree, ask: Ask | None) -> None:
        self._tree = tree
        self._is_live = ask is not None
        self._ask: Ask = cache(ask or (lambda *_, **__: None))
        self._rules = list(read_rules(tree, SETS))
        self._units = Units(tree, self._ask)

    def writers_of(self, subjects: Iterable[Subject]) -> list[tuple[Writer, ...]]:
        """Return all that may set each disk's queue, in the order in which they act at a start of the computer."""
        subjects = [replace(subject, tree=self._tree) for subject in subjects]
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            asked = list(pool.map(self._events, subjects))
        if any(asked):
            excluding = conflicts(self._ask, dict.fromkeys(rule.file for rule in self._rules))
            for event in (event for each in asked if each for event in each.values()):
                event.dropped |= excluding
        return [self._in_order(self._all(*pair)) for pair in zip(subjects, asked, strict=True)]

    def _events(self, subject: Subject) -> Mapping[str, Event] | None:
        """Where no rule is about queues, udev has nothing to say."""
        return events(self._ask, subject) if self._rules else None

    def _all(self, subject: Subject, asked: Mapping[str, Event] | None) -> Iterator[Writer]:
        yield from boot_writers(subject)
        yield from rule_writers(subject, self._rules, asked)
        yield from file_writers(subject, self._ask, self._units)
        yield from self._units.writers(subject)
        yield from tuned_writers(subject, self._ask, self._units)
        yield from tlp_writers(subject, self._ask, self._units)

    def _in_order(self, writers: Iterable[Writer]) -> tuple[Writer, ...]:
        """Say of each which later one has the last word; what udev does at every change comes again later still."""
        found = list(writers)
        if not self._is_live:
            return tuple(one if one.ours else one.stands((State.MENTIONS, None)) for one in found)
        acting = [one for one in found if one.state is State.ACTS and one.who != "udev"]
        last = {one.attribute: one for one in acting}
        of_file = {(one.attribute, one.file): one for one in acting}
        ordered = (one.beaten_by(of_file.get((one.attribute, one.file))) for one in found)
        return tuple(one if one.on_change else one.beaten_by(last.get(one.attribute)) for one in ordered)
