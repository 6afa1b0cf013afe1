# SPDX-License-Identifier: GPL-3.0-or-later
"""Converts results to and from JSON: ``document`` defines what is accepted; everything else is refused with a sentence.

A hostile file never causes a traceback or takes much memory.
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar, cast

import msgspec

from disktuner.opening import NoRegularFile, is_there, read_regular
from disktuner.results.document import (
    LARGEST_NUMBER,
    MOST_WORDS,
    Beginning,
    Document,
    Label,
    Measure,
    Named,
    PlanFields,
    SampleRow,
    SeriesRow,
    Step,
    Words,
    WordsValue,
)
from disktuner.results.embedding import result_in_picture
from disktuner.results.model import (
    FORMAT,
    LARGEST_BYTES,
    LONGEST_LINE,
    Addition,
    BadResult,
    NoSuchResult,
    PlanRecord,
    Result,
    Sample,
    SeriesRecord,
)
from disktuner.vocabulary.messages import Message, Value
from disktuner.vocabulary.metrics import Metric
from disktuner.vocabulary.settings import setting_of

LARGEST_WIDE_BYTES = 2**24
"""The limit for non-ASCII text, of which a single character may make all of them four bytes wide in memory."""

MOST_VALUES = 2**20
"""Three times what half an hour of runs with full distributions yields: 370,000."""

MOST_RUNS = 5_000
MOST_SAMPLES = 50_000
"""Half an hour has 550 runs of at most 18 values each; a bench of 1,000 rounds yields 18,000."""

MOST_METRICS, MOST_SCHEDULERS = 500, 64
DEEPEST_MESSAGE = 3
"""A warning contains a run's reason, which contains a program's words."""

_SAME = ("id", "created", "app_version", "machine", "disk", "filesystem", "notes", "finished", "disks", "sizes",
         "histograms", "own", "continues", "after")  # fmt: skip
_SAME_OF_PLAN = ("goal", "budget", "seed", "rounds", "tunes", "question", "felt", "state")
"""Fields that a document, and its plan, share with a result."""
_JOURNAL = b'{"journal":'
_DECODERS: Mapping[type, msgspec.json.Decoder[Any]] = {
    kind: msgspec.json.Decoder(kind) for kind in (Document, Beginning, Step, Named)
}
"""Made on import: msgspec crashes if two threads inspect a type for the first time."""
_Read = TypeVar("_Read")


def load(path: Path, with_series: bool = True) -> Result:
    """Read a result file, or a picture that Disktuner made; judging alone needs no series of live figures.

    Raises ``NoSuchResult`` if the file cannot be read, and ``BadResult`` if it has no sound result.
    """
    data = _bytes(path)
    return decode(result_in_picture(data) if data.startswith(b"\x89PNG") else data, with_series)


def decode(data: bytes | str, with_series: bool = True) -> Result:
    """Turn JSON, or a journal, into a result. Raises ``BadResult`` for anything unsound."""
    if isinstance(data, str):
        data = data.encode("utf-8", "replace")
    if len(data) > (LARGEST_BYTES if data.isascii() else LARGEST_WIDE_BYTES):
        raise BadResult("file-too-large")
    if data.count(b",") > MOST_VALUES:
        raise BadResult("too-many-values")
    result = _replayed(data) if data.startswith(_JOURNAL) else _result(_document_of(data), with_series)
    _check(result)
    return result


def encode(result: Result) -> str:
    """Turn a result into JSON, which ``decode`` turns back into an equal result."""
    return _written(_document(result)).decode()


def head_line(result: Result) -> bytes:
    """Return a journal's first line, for the result at its beginning."""
    return _written(Beginning("disktuner.journal/1", _document(result))) + b"\n"


def line_of(addition: Addition) -> bytes:
    """Return the journal line of one step."""
    step = Step(
        tuple(map(_row, addition.samples)),
        _run(addition.series) if addition.series else None,
        {name: tuple(bins) for name, bins in addition.histograms.items()},
        _words(addition.warning) if addition.warning else None,
        dict(addition.sizes),
    )
    return _written(step) + b"\n"


def journal_of(path: Path) -> Path:
    """Return the journal that stands for a result file during a measurement, or after one that was cut off."""
    return path.with_name(f"{path.name}.journal")


def _bytes(path: Path) -> bytes:
    file = journal_of(path) if path.name and not is_there(path) and is_there(journal_of(path)) else path
    try:
        return read_regular(file, LARGEST_BYTES)
    except NoRegularFile:
        raise NoSuchResult("no-regular-file", file=str(path)) from None
    except OSError as error:
        raise NoSuchResult("cannot-read", file=str(path), why=error.strerror or str(error)) from None


def _written(value: object) -> bytes:
    try:
        return msgspec.json.encode(value)
    except ValueError as error:
        raise BadResult("cannot-write-as-json", why=str(error)) from None


def _read(data: bytes, kind: type[_Read]) -> _Read:
    try:
        return cast("_Read", _DECODERS[kind].decode(data))
    except msgspec.ValidationError as error:
        raise _unsound(str(error)) from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise BadResult("file-is-damaged", why=str(error)) from None


def _document_of(data: bytes) -> Document:
    try:
        return _read(data, Document)
    except BadResult:
        format_ = _read(data, Named).format
        if format_ != FORMAT:
            raise BadResult("other-format", known=FORMAT) if format_ else BadResult("no-format") from None
        raise


def _unsound(why: str) -> BadResult:
    """Return the error for an invalid file; ``why`` names the place."""
    return BadResult("unsound", why=why[:200])


def _replayed(data: bytes) -> Result:
    """Return the result of a journal, whose last line a crash may have cut off."""
    head, *lines = data.split(b"\n")
    empty = _result(_read(head, Beginning).result)
    steps = [line for line in lines if line]
    additions = []
    for number, line in enumerate(steps, 1):
        try:
            additions.append(_addition(_read(line, Step)))
        except BadResult:
            if number < len(steps):
                raise
    return empty.plus(*additions)


def _check(result: Result) -> None:
    """Refuse results that cannot be judged, or would take minutes to judge or draw."""
    for name in {sample.metric for sample in result.samples} - result.metrics.keys():
        raise BadResult("unknown-direction", metric=name)
    measured = {sample.setting for sample in result.samples} | {run.setting for run in result.series}
    too_many = (
        len(result.samples) > MOST_SAMPLES
        or max(len(result.series), len(result.warnings)) > MOST_RUNS
        or len(result.metrics) > MOST_METRICS
        or len(measured.union(result.plan.settings)) > MOST_SCHEDULERS
    )
    if too_many:
        raise BadResult("too-many-values")


def _result(document: Document, with_series: bool = True) -> Result:
    size = document.disk.get("size_bytes", 0)
    if not isinstance(size, int) or isinstance(size, bool) or size < 0:
        raise _unsound("Expected a number of bytes - at `$.disk.size_bytes`")
    return Result(
        plan=_plan(document.plan),
        metrics={name: _metric(name, measure) for name, measure in document.metrics.items()},
        samples=tuple(map(_sample, document.samples)),
        series=tuple(map(_series, document.series)) if with_series else (),
        warnings=tuple(map(_message, document.warnings)),
        **{name: getattr(document, name) for name in _SAME},
    )


def _document(result: Result) -> Document:
    return Document(
        FORMAT,
        plan=_plan_of(result.plan),
        metrics={name: _measure(metric) for name, metric in result.metrics.items()},
        samples=tuple(map(_row, result.samples)),
        series=tuple(map(_run, result.series)),
        warnings=tuple(map(_words, result.warnings)),
        **{name: getattr(result, name) for name in _SAME},
    )


def _plan(plan: PlanFields) -> PlanRecord:
    return PlanRecord(
        settings=tuple(dict.fromkeys(map(setting_of, plan.schedulers))),
        baseline=setting_of(plan.baseline),
        workloads=tuple(dict.fromkeys(plan.workloads)),
        **{name: getattr(plan, name) for name in _SAME_OF_PLAN},
    )


def _plan_of(plan: PlanRecord) -> PlanFields:
    names = tuple(setting.name for setting in plan.settings)
    others = {name: getattr(plan, name) for name in _SAME_OF_PLAN}
    return PlanFields(plan.baseline.name, names, plan.workloads, **others)


def _metric(name: str, measure: Measure) -> Metric:
    label = measure.label or Label()
    said = None if label.values is None else _message(Words(label.id, label.values))
    return Metric(name, measure.unit, measure.better, name if label.text is None else label.text, said=said)


def _measure(metric: Metric) -> Measure:
    said = _words(metric.said) if metric.said else None
    label = Label(said.id, metric.label, said.values) if said else Label(metric.name, metric.label)
    return Measure(metric.better, metric.unit, label)


def _sample(row: SampleRow) -> Sample:
    reason = _message(row.reason) if row.reason else None
    setting = setting_of(row.scheduler)
    return Sample(row.metric, setting, row.round, row.order, row.value, row.valid, reason, row.started, row.duration_s)


def _row(sample: Sample) -> SampleRow:
    return SampleRow(
        sample.metric,
        sample.setting.name,
        sample.value,
        sample.round,
        sample.order,
        sample.valid,
        _words(sample.reason) if sample.reason else None,
        sample.started,
        sample.duration_s,
    )


def _series(run: SeriesRow) -> SeriesRecord:
    try:
        times, figures = _unpacked(run.times_s), {name: _unpacked(data) for name, data in run.figures.items()}
    except ValueError as error:
        raise _unsound(f"{error} - in the series of run {run.order}") from None
    if any(len(values) != len(times) for values in figures.values()) or not _is_ascending(times):
        raise _unsound(f"times that do not go on, or not as many as figures - in the series of run {run.order}")
    return SeriesRecord(run.order, run.workload, setting_of(run.scheduler), run.round, times, figures)


def _run(series: SeriesRecord) -> SeriesRow:
    figures = {name: _packed(values) for name, values in series.figures.items()}
    return SeriesRow(series.order, series.workload, series.setting.name, series.round, _packed(series.times_s), figures)


def _packed(values: array[float]) -> bytes:
    """Return a column as little-endian IEEE 754 single-precision numbers."""
    return _little_endian(values).tobytes()


def _unpacked(data: bytes) -> array[float]:
    """Return the column that ``_packed`` returned.

    Raises ``ValueError`` if it is cut, or has infinite or huge numbers.
    """
    import numpy as np  # noqa: PLC0415 - only results with live figures need it

    values = array("f")
    values.frombytes(data)
    values = _little_endian(values)
    if values and not (np.abs(np.frombuffer(values, dtype=np.float32)) <= LARGEST_NUMBER).all():
        raise ValueError("numbers that are not finite")
    return values


def _is_ascending(values: array[float]) -> bool:
    """Whether a column starts at 0 or later and never decreases, as times do."""
    import numpy as np  # noqa: PLC0415 - only results with live figures need it

    return not values or (values[0] >= 0 and bool((np.diff(np.frombuffer(values, dtype=np.float32)) >= 0).all()))


def _little_endian(values: array[float]) -> array[float]:
    if sys.byteorder == "little":
        return values
    turned = values[:]
    turned.byteswap()
    return turned


def _addition(step: Step) -> Addition:
    return Addition(
        tuple(map(_sample, step.samples)),
        _series(step.series) if step.series else None,
        step.histograms,
        _message(step.warning) if step.warning else None,
        step.sizes,
    )


def _message(words: Words, depth: int = DEEPEST_MESSAGE) -> Message:
    if not depth:
        raise _unsound(f"messages too deep in each other, the last is {words.id}")
    pairs = (
        (name, _message(value, depth - 1) if isinstance(value, Words) else value)
        for name, value in words.values.items()
    )
    return Message(words.id, tuple(pairs))


def _words(what: Message) -> Words:
    return Words(what.id, {name: _value(value) for name, value in what.pairs})


def _value(value: Value) -> WordsValue:
    """Return a message's value, cut to what is read again: a user's command that failed may be longer."""
    if isinstance(value, Message):
        return _words(value)
    if isinstance(value, tuple):
        return tuple(map(_cut, value[:MOST_WORDS]))
    return _cut(value) if isinstance(value, str) else value


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST_LINE else f"{text[: LONGEST_LINE - 1]}…"
