# SPDX-License-Identifier: GPL-3.0-or-later
"""Everything to translate, in the catalogues' order: sentences, names of facts, numbers, other programs' files."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, TypeAlias

import disktuner_fleet  # noqa: F401 - adds its sentences to the catalogue
import disktuner_watch  # noqa: F401 - so does this
from disktuner.block.writers.writer import BOOT
from disktuner.cli import usage
from disktuner.presentation import comparing
from disktuner.report import exporting
from disktuner.vocabulary import (
    background,
    checks,
    goals,
    keys,
    kinds,
    metrics,
    schedulers,
    tunables,
    tuning,
    units,
    workloads,
)
from disktuner.vocabulary.background import BackgroundLoad
from disktuner.vocabulary.english import TEXTS
from disktuner.vocabulary.goals import Budget, Goal
from disktuner.vocabulary.keys import Key
from disktuner.vocabulary.kinds import Kind, StartingPoint
from disktuner.vocabulary.languages import FACT, NUMBER
from disktuner.vocabulary.metrics import Metric
from disktuner.vocabulary.schedulers import Scheduler
from disktuner.vocabulary.tunables import Tunable
from disktuner.vocabulary.tuning import Candidate
from disktuner.vocabulary.workloads import WorkloadFacts
from tests.catalogues import files

Words: TypeAlias = str | tuple[str, str]
"""A text, or its singular and plural."""

DECLARED: dict[type, tuple[str, ...]] = {
    Goal: ("complaint", "name", "about", "purpose", "why", "worth_why"),
    Budget: ("name", "about"),
    WorkloadFacts: ("summary", "activity", "short"),
    Metric: ("label",),
    Kind: ("name",),
    StartingPoint: ("reason", "source"),
    Scheduler: ("about", "became"),
    Tunable: ("trade",),
    Candidate: ("reason", "source"),
    BackgroundLoad: ("name",),
    Key: ("about",),
    exporting.Format: ("name",),
}
"""Which fields of what is declared are names that people read (``messages.named``)."""

_MODULES = (background, goals, keys, workloads, metrics, kinds, schedulers, tunables, tuning, checks, exporting)
_SAME = ("ms", "ns", "KiB", "Disktuner")


@dataclass(frozen=True, slots=True)
class Said:
    """A text to translate: its context, its English, and its place unless the context tells."""

    context: str
    english: Words
    where: str = ""

    @property
    def key(self) -> tuple[str, str]:
        """The key by which a catalogue finds it."""
        return self.context, self.english if isinstance(self.english, str) else self.english[0]


def all_said() -> tuple[Said, ...]:
    """Return all texts, each once."""
    of_files = (Said(context, english) for context, english in files.said())
    return tuple({sentence.key: sentence for sentence in (*_sentences(), *_facts(), *_numbers(), *of_files)}.values())


def _sentences() -> Iterator[Said]:
    for id_, english in TEXTS.items():
        if id_ != "literal":
            yield Said(id_, english)


def _facts() -> Iterator[Said]:
    for name, where in facts().items():
        yield Said(FACT, name, where)


def facts() -> dict[str, str]:
    """Yield the English names of everything declared, with the kind of fact."""
    texts: dict[str, str] = {}
    visited: set[int] = set()

    def look(value: Any) -> None:
        if id(value) in visited:
            return
        visited.add(id(value))
        if isinstance(value, dict):
            for part in value.values():
                look(part)
        elif isinstance(value, list | tuple):
            for part in value:
                look(part)
        elif is_dataclass(value) and not isinstance(value, type):
            for name in DECLARED.get(type(value), ()):
                if _is_words(english := getattr(value, name)):
                    texts.setdefault(english, f"{type(value).__name__}.{name}")
            for field in fields(value):
                look(getattr(value, field.name))

    for module in _MODULES:
        for value in list(vars(module).values()):
            look(value)
    look(schedulers.scheduler("a stranger"))
    for where, names in (
        ("Writer", BOOT),
        ("difference", comparing.DIFFERENCES),
        ("usage", usage.WORDS),
    ):
        for english in filter(_is_words, names):
            texts.setdefault(english, where)
    return texts


def _is_words(english: str) -> bool:
    """Whether a text needs translation, unlike paths in the kernel's sources, other programs' names and units."""
    is_path = "/" in english and " " not in english
    return bool(english) and not is_path and english not in _SAME


def _numbers() -> Iterator[Said]:
    for name, english in units.words():
        where = f"Numbers.{name}"
        if isinstance(english, str) or name in units.COUNTED:
            yield Said(NUMBER, english, where)
        else:
            yield from (Said(NUMBER, name, where) for name in english)
