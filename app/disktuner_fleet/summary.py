# SPDX-License-Identifier: GPL-3.0-or-later
"""Sorts files into groups, one per disk model, kernel series and goal, and decides which count."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from operator import attrgetter

from disktuner.vocabulary.messages import message
from disktuner.vocabulary.settings import Setting
from disktuner_fleet.gathering import LeftOut
from disktuner_fleet.group import Group, group_of
from disktuner_fleet.run import Key, Run

Again = Callable[[Run, Setting], Run | LeftOut]


@dataclass(frozen=True, slots=True)
class Summary:
    """All groups by model, kernel and goal, what was left out, and how many files were read."""

    groups: tuple[Group, ...]
    left_out: tuple[LeftOut, ...]
    files: int


def summarise(said: Iterable[Run | LeftOut], again: Again, goal: str | None = None) -> Summary:
    """Summarise files, or those for a goal; ``again`` compares a file with another baseline."""
    entries = list(said)
    left_out = [entry for entry in entries if isinstance(entry, LeftOut)]
    by_key: dict[Key, list[Run]] = defaultdict(list)
    for run in _each_once([entry for entry in entries if isinstance(entry, Run)]):
        if isinstance(run, LeftOut):
            left_out.append(run)
        elif goal in (None, run.key[2]):
            by_key[run.key].append(run)
    groups = []
    for key in sorted(by_key, key=_order):
        same = list(_comparable(by_key[key], again))
        left_out += [entry for entry in same if isinstance(entry, LeftOut)]
        if runs := [entry for entry in same if isinstance(entry, Run)]:
            groups.append(group_of(runs))
    return Summary(tuple(groups), tuple(sorted(left_out, key=attrgetter("file"))), len(entries))


def _order(key: Key) -> tuple[object, ...]:
    model, kernel, goal = key
    return model.casefold(), model, *map(int, kernel.split(".")), goal


def _each_once(runs: Sequence[Run]) -> Iterator[Run | LeftOut]:
    """Yield each measurement once: its longest continuation, if possible with its disk, and no files that were edited.

    What is exported for others, such as a card, does not identify the disk.
    """
    most: dict[bytes, Run] = {}
    for run in runs:
        known = most.get(run.first_round)
        if known is None or (run.samples, run.disk is not None) > (known.samples, known.disk is not None):
            most[run.first_round] = run
    ids = Counter(run.id for run in most.values() if run.id)
    for run in runs:
        kept = most[run.first_round]
        if kept is not run:
            yield LeftOut(run.file, message("unfit-same", other=kept.file))
        elif ids[run.id] > 1:
            yield LeftOut(run.file, message("unfit-same-id", result=run.id))
        else:
            yield run


def _comparable(runs: Sequence[Run], again: Again) -> Iterator[Run | LeftOut]:
    """Yield the runs of a group, all compared with their most common baseline.

    Once any run measured what decides, runs with a stand-in for it do not count.
    """
    proper = any(not run.question.stands_in for run in runs)
    counts = Counter(run.baseline for run in runs)
    most = max(counts.values())
    baseline = min(
        (setting for setting, count in counts.items() if count == most), key=lambda setting: setting.simplicity
    )
    for run in runs:
        if proper and run.question.stands_in:
            yield LeftOut(run.file, message("unfit-stand-in"))
        else:
            yield run if run.baseline == baseline else again(run, baseline)
