# SPDX-License-Identifier: GPL-3.0-or-later
"""Asks those who decide about queues, each once for a look at many disks, and puts what they say in its order.

Of lists of settings, scripts and jobs systemd says whether they are worked through; who can't be asked only mentions.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cache, cached_property, partial

from disktuner.block.configuration import named
from disktuner.block.rule_files import read_rules
from disktuner.block.sysfs import Tree
from disktuner.block.writers.asking import Ask
from disktuner.block.writers.rules import rule_writers
from disktuner.block.writers.services import Units, tlp_writers, tuned_writers
from disktuner.block.writers.texts import SETS, script_writers
from disktuner.block.writers.udevadm import Event, events
from disktuner.block.writers.writer import BOOT, MENTIONED, Standing, State, Subject, Writer
from disktuner.vocabulary.messages import message

_TMPFILES = ("etc/tmpfiles.d", "run/tmpfiles.d", "usr/local/lib/tmpfiles.d", "usr/lib/tmpfiles.d")
_OWNERS = (
    (BOOT[0], "", "", ("proc/cmdline",)),
    (BOOT[1], "", "", ("etc/default/grub", "etc/kernel/cmdline")),
    ("tmpfiles.d", "systemd-tmpfiles-setup.service", ".conf", _TMPFILES),
    ("sysfs.conf", "sysfsutils.service", "", ("etc/sysfs.d", "etc/sysfs.conf")),
    ("rc.local", "rc-local.service", "", ("etc/rc.local", "etc/rc.d/rc.local", "etc/init.d/boot.local")),
    ("rc.local", "", ".start", ("etc/local.d",)),
    ("cron", "", "", ("etc/cron.d", "etc/crontab")),
    ("cloud-init", "", "", ("etc/cloud/cloud.cfg.d", "etc/cloud/cloud.cfg", "var/lib/cloud/scripts/per-boot")),
    ("hdparm", "", "", ("etc/hdparm.conf",)),
    ("tuned", "tuned.service", "", ()),
    ("tlp", "tlp.service", "", ()),
)
"""Who works through files: by whom, the unit that does, nothing where nobody can be asked, the ending of names, and
files or folders of them."""

_READS_ELEVATOR = re.compile(r'IMPORT\{cmdline\}\s*=+\s*"elevator"')


class Owners:
    """All that set queues on a machine; ``ask`` is None for a recorded one, whose lines are listed, not judged."""

    def __init__(self, tree: Tree, ask: Ask | None) -> None:
        self._tree = tree
        self._is_live = ask is not None
        self._ask: Ask = cache(ask or (lambda *_, **__: None))
        self._rules = list(read_rules(tree, SETS))
        self._units = Units(tree, self._ask, {unit for _, unit, _, _ in _OWNERS if unit})

    def writers_of(self, subjects: Iterable[Subject]) -> list[tuple[Writer, ...]]:
        """Return all that may set each disk's queue, in the order in which they act at a start of the computer."""
        subjects = [replace(subject, tree=self._tree) for subject in subjects]
        files = tuple(dict.fromkeys(rule.file for rule in self._rules))
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            asked = list(pool.map(partial(events, self._ask, files), subjects))
        return [self._in_order(self._all(*pair)) for pair in zip(subjects, asked, strict=True)]

    def _all(self, subject: Subject, asked: Mapping[str, Event] | None) -> Iterator[Writer]:
        yield from rule_writers(subject, self._rules, asked)
        for who, unit, suffix, places in _OWNERS:
            for path in self._files(suffix, places):
                standing = self._elevator if who in BOOT else self._units.standing(unit)
                yield from script_writers(subject, who, path, standing)
        yield from self._units.writers(subject)
        yield from tuned_writers(subject, self._ask, self._units)
        yield from tlp_writers(subject, self._ask, self._units)

    def _files(self, suffix: str, places: Sequence[str]) -> list[str]:
        said = self._ask("systemd-tmpfiles", "--cat-config") if places == _TMPFILES else None
        found = re.findall(r"(?m)^# (/\S+\.conf)$", said or "")
        return found or [f"/{path}" for path in named(self._tree, places, suffix)]

    @cached_property
    def _elevator(self) -> Standing:
        """What ``elevator=`` does: nothing, unless a rule of udev's reads it."""
        for rule in read_rules(self._tree, _READS_ELEVATOR):
            if _READS_ELEVATOR.search(rule.text):
                return State.MENTIONS, message("elevator-read", place=f"{rule.file}:{rule.lines[0]}")
        return State.DEAD, message("elevator")

    def _in_order(self, writers: Iterable[Writer]) -> tuple[Writer, ...]:
        """Say of each which later one has the last word; what udev does at every change comes again later still."""
        found = sorted(writers, key=lambda one: one.who not in BOOT)
        if not self._is_live:
            return tuple(one if one.ours else one.stands(MENTIONED) for one in found)
        acting = [one for one in found if one.state is State.ACTS and one.who != "udev"]
        last = {one.attribute: one for one in acting}
        of_file = {(one.attribute, one.file): one for one in acting}
        ordered = (one.beaten_by(of_file.get((one.attribute, one.file))) for one in found)
        return tuple(one if one.on_change else one.beaten_by(last.get(one.attribute)) for one in ordered)
