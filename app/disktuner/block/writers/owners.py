# SPDX-License-Identifier: GPL-3.0-or-later
"""Asks those who decide about queues, each once for a look at many disks, and puts what they say in its order."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cache

from disktuner.block.sysfs import Tree
from disktuner.block.writers.asking import Ask
from disktuner.block.writers.files import boot_writers, path_writers, start_writers
from disktuner.block.writers.judging import rule_writers
from disktuner.block.writers.rules import Rules
from disktuner.block.writers.services import UNIT, Services, tlp_writers
from disktuner.block.writers.tuned import tuned_writers
from disktuner.block.writers.udevadm import Event, conflicts, events
from disktuner.block.writers.writer import State, Subject, Writer


class Owners:
    """All that set queues on a machine; ``ask`` is None for a recorded one, whose lines are listed, not judged."""

    def __init__(self, tree: Tree, ask: Ask | None) -> None:
        self._tree = tree
        self._ask = cache(ask) if ask else None
        self._rules = Rules(tree)
        self._services = Services(tree, self._ask)

    def writers_of(self, subjects: Iterable[Subject]) -> list[tuple[Writer, ...]]:
        """Return all that may set each disk's queue, in the order in which they act at a start of the computer."""
        subjects = [replace(subject, tree=self._tree) for subject in subjects]
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            found = list(pool.map(self._events, subjects))
        if self._ask and any(found):
            excluding = conflicts(self._ask, self._rules.setting)
            for event in (event for each in found if each for event in each.values()):
                event.dropped |= excluding
        return [self._in_order(self._all(*pair)) for pair in zip(subjects, found, strict=True)]

    def _events(self, subject: Subject) -> Mapping[str, Event] | None:
        """Where no rule is about queues, udev has nothing to say."""
        return events(self._ask, subject) if self._ask and self._rules.setting else None

    def _all(self, subject: Subject, found: Mapping[str, Event] | None) -> Iterator[Writer]:
        yield from boot_writers(subject, self._rules)
        yield from rule_writers(subject, self._rules, found)
        yield from path_writers(subject, self._services, self._ask)
        yield from self._services.unit_writers(subject)
        yield from tuned_writers(subject, self._services)
        yield from tlp_writers(subject, self._services, self._ask)
        yield from start_writers(subject)

    def _in_order(self, writers: Iterable[Writer]) -> tuple[Writer, ...]:
        """Say of each which later one has the last word; what udev does at every change comes again later still."""
        found = list(writers)
        if self._ask is None:
            return tuple(one if one.ours else replace(one, state=State.MENTIONS, why=None) for one in found)
        last = {one.attribute: one for one in found if one.state is State.ACTS and one.who != "udev"}
        return tuple(_in_the_end(one, last.get(one.attribute, one)) for one in found)


def _in_the_end(one: Writer, last: Writer) -> Writer:
    """A later line certainly comes after it: not so where units start side by side, or udev acts at every change."""
    side_by_side = one.who == last.who == UNIT
    return one if one.state is not State.ACTS or one.on_change or side_by_side else one.beaten_by(last)
