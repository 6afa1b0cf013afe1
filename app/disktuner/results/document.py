# SPDX-License-Identifier: GPL-3.0-or-later
"""The contents of result files and journals, as types that msgspec reads and writes: all that strangers can send.

Undeclared keys are ignored. Fields without a default are required.
"""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from msgspec import Meta, Struct

from disktuner.results.definition import Definition
from disktuner.results.model import Felt, FileSystem, Line, Machine, Text
from disktuner.vocabulary.metrics import Better
from disktuner.vocabulary.questions import Question
from disktuner.vocabulary.states import DiskState

Name: TypeAlias = Annotated[str, Meta(min_length=1, max_length=200, pattern=r"^[\w!-~ ]+\Z")]
"""A name within a sentence: letters and digits of any script, and ASCII punctuation."""

Place: TypeAlias = Annotated[int, Meta(ge=0, le=10**6)]
"""The number of a round or run, from 0."""

Count: TypeAlias = Annotated[int, Meta(ge=0, le=2**63 - 1)]
Whole: TypeAlias = Annotated[int, Meta(ge=-(2**63), le=2**63 - 1)]
LARGEST_NUMBER = 1e18
"""More than any disk's bytes per second or any run's nanoseconds."""

Number: TypeAlias = Annotated[float, Meta(ge=-LARGEST_NUMBER, le=LARGEST_NUMBER)]

Seconds: TypeAlias = Annotated[float, Meta(ge=0, le=1e9)]

Id: TypeAlias = Annotated[str, Meta(pattern=r"^[a-z0-9_-]{1,40}\Z")]
"""The id of a workload or of one of its figures, which cannot name a person or place."""

Figure: TypeAlias = bool | Whole | Number | None
Sizes: TypeAlias = dict[Id, dict[Id, Figure | dict[Id, Figure]]]
Histograms: TypeAlias = dict[Id, tuple[tuple[Annotated[float, Meta(ge=0, le=1e6)], Count], ...]]

Leaf: TypeAlias = Figure | Text
Flat: TypeAlias = Leaf | list[Leaf] | dict[Name, Leaf]
Deep: TypeAlias = Leaf | list[Flat] | dict[Name, Flat]
"""Opaque values: a disk's list of mounts is the deepest, with a list in each mount."""


class Words(Struct, gc=False):
    """A message, whose id this version need not know; it is small, as it may be shown whoever wrote it."""

    id: Name
    values: Annotated[dict[Name, WordsValue], Meta(max_length=20)] = {}


MOST_WORDS = 100
WordsValue: TypeAlias = Figure | Line | Annotated[tuple[Line, ...], Meta(max_length=MOST_WORDS)] | Words


class Label(Struct, omit_defaults=True):
    """A metric's label: the name of a declared metric or a message, and a text for other programs."""

    id: Line = ""
    text: Annotated[str, Meta(max_length=200)] | None = None
    values: Annotated[dict[Name, WordsValue], Meta(max_length=20)] | None = None


class Measure(Struct):
    """A metric without its name."""

    better: Better
    unit: Annotated[str, Meta(max_length=200)] = ""
    label: Label | None = None


class SampleRow(Struct, gc=False):
    """A sample."""

    metric: Name
    scheduler: Name
    value: Number
    round: Place = 0
    order: Place = 0
    valid: bool = True
    reason: Words | None = None
    started: Line = ""
    duration_s: Seconds = 0.0


class SeriesRow(Struct):
    """Live figures of a run: each column is base64 of little-endian IEEE 754 single-precision numbers."""

    order: Place = 0
    workload: Line = ""
    scheduler: Line = ""
    round: Place = 0
    times_s: bytes = b""
    figures: dict[Name, bytes] = {}


class PlanFields(Struct, omit_defaults=True):
    """What was planned."""

    baseline: Name
    schedulers: tuple[Name, ...] = ()
    workloads: tuple[Name, ...] = ()
    goal: Name | None = None
    budget: Name | None = None
    seed: Whole = 0
    rounds: Annotated[int, Meta(ge=1, le=10**6)] | None = None
    tunes: bool = False
    question: Question | None = None
    felt: Felt | None = None
    state: DiskState = DiskState.RESTED


class Named(Struct):
    """The field that every version of the format has."""

    format: str = ""


class Document(Struct, omit_defaults=True):
    """A result file."""

    format: Literal["disktuner.result/2"]
    plan: PlanFields
    samples: tuple[SampleRow, ...]
    id: Line = ""
    created: Line = ""
    app_version: Line = ""
    machine: Machine = Machine()
    disk: dict[Name, Leaf | list[Deep] | dict[Name, Deep]] = {}
    filesystem: FileSystem = FileSystem()
    metrics: dict[Name, Measure] = {}
    series: tuple[SeriesRow, ...] = ()
    warnings: tuple[Words, ...] = ()
    notes: Text = ""
    finished: bool = True
    disks: tuple[Line, ...] = ()
    sizes: Sizes = {}
    histograms: dict[Place, Histograms] = {}
    own: Definition | None = None
    continues: Line = ""
    after: Line = ""


class Beginning(Struct):
    """A journal's first line: the result before its first run, or before it is continued."""

    journal: Literal["disktuner.journal/1"]
    result: Document


class Step(Struct, omit_defaults=True):
    """Each further line of a journal: what one step added."""

    samples: tuple[SampleRow, ...] = ()
    series: SeriesRow | None = None
    histograms: Histograms = {}
    warning: Words | None = None
    sizes: Sizes = {}
