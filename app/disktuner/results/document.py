# SPDX-License-Identifier: GPL-3.0-or-later
"""What a result file and a journal hold, as types that msgspec reads and writes: all that is taken from strangers.

Keys that are not declared here are passed over. A field without a default must be there.
"""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from msgspec import Meta, Struct

from disktuner.results.definition import Definition
from disktuner.results.model import Felt, FileSystem, Line, Machine, Text
from disktuner.vocabulary.metrics import Better
from disktuner.vocabulary.questions import Question

Name: TypeAlias = Annotated[str, Meta(min_length=1, max_length=200, pattern=r"^[\w!-~ ]+\Z")]
"""What can stand in a sentence as a name: letters and digits of any script, and ASCII's signs."""

Place: TypeAlias = Annotated[int, Meta(ge=0, le=10**6)]
"""Rounds and runs are counted from 0 and never go so far."""

Count: TypeAlias = Annotated[int, Meta(ge=0, le=2**63 - 1)]
Whole: TypeAlias = Annotated[int, Meta(ge=-(2**63), le=2**63 - 1)]
Number: TypeAlias = Annotated[float, Meta(ge=-1e18, le=1e18)]
"""No disk moves more bytes a second, and no run takes so many nanoseconds."""

Seconds: TypeAlias = Annotated[float, Meta(ge=0, le=1e9)]

Id: TypeAlias = Annotated[str, Meta(pattern=r"^[a-z0-9_-]{1,40}\Z")]
"""Of a workload or one of its figures: it names no person and no place."""

Figure: TypeAlias = bool | Whole | Number | None
Sizes: TypeAlias = dict[Id, dict[Id, Figure | dict[Id, Figure]]]
Histograms: TypeAlias = dict[Id, tuple[tuple[Annotated[float, Meta(ge=0, le=1e6)], Count], ...]]

Leaf: TypeAlias = Figure | Text
Flat: TypeAlias = Leaf | list[Leaf] | dict[Name, Leaf]
Deep: TypeAlias = Leaf | list[Flat] | dict[Name, Flat]
"""What is kept and not understood: of a disk, the list of its mounts lies deepest, with a list in each."""


class Words(Struct, gc=False):
    """A message.

    Its id need not be one that this version knows; it may be shown whoever wrote it, so it is small.
    """

    id: Name
    values: Annotated[dict[Name, WordsValue], Meta(max_length=20)] = {}


WordsValue: TypeAlias = Figure | Line | Annotated[tuple[Line, ...], Meta(max_length=100)] | Words


class Label(Struct, omit_defaults=True):
    """What a metric is called: its own name where that is declared, else a message; and a text for others."""

    id: Line = ""
    text: Annotated[str, Meta(max_length=200)] | None = None
    values: Annotated[dict[Name, WordsValue], Meta(max_length=20)] | None = None


class Measure(Struct):
    """A metric without its name."""

    better: Better
    unit: Annotated[str, Meta(max_length=200)] = ""
    label: Label | None = None


class Row(Struct, gc=False):
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


class Run(Struct):
    """Live figures of a run: each column is base64 of little-endian IEEE 754 single-precision numbers."""

    order: Place = 0
    workload: Line = ""
    scheduler: Line = ""
    round: Place = 0
    times_s: bytes = b""
    figures: dict[Name, bytes] = {}


class Plan(Struct, omit_defaults=True):
    """What was meant to be run."""

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


class Named(Struct):
    """What every result file has said from the first version on."""

    format: str = ""


class Document(Struct, omit_defaults=True):
    """A result file."""

    format: Literal["disktuner.result/2"]
    plan: Plan
    samples: tuple[Row, ...]
    id: Line = ""
    created: Line = ""
    app_version: Line = ""
    machine: Machine = Machine()
    disk: dict[Name, Leaf | list[Deep] | dict[Name, Deep]] = {}
    filesystem: FileSystem = FileSystem()
    metrics: dict[Name, Measure] = {}
    series: tuple[Run, ...] = ()
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
    """A journal's first line: the result before its first run, or before it is measured on."""

    journal: Literal["disktuner.journal/1"]
    result: Document


class Step(Struct, omit_defaults=True):
    """Each other line of a journal: what one step added."""

    samples: tuple[Row, ...] = ()
    series: Run | None = None
    histograms: Histograms = {}
    warning: Words | None = None
    sizes: Sizes = {}
