# SPDX-License-Identifier: GPL-3.0-or-later
"""A result as JSON text and back: strict where a verdict depends on it, lenient about what is merely missing.

Unknown keys survive: those of the top level and of the single objects stand in ``Result.extra`` and are
written back where they were. Everything that cannot be a measurement (NaN, a future format, a cut file)
is refused with a sentence; nothing here ever yields a traceback for a hostile file.
"""

from __future__ import annotations

import gc
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from disktuner.opening import NoRegularFile, read_regular
from disktuner.results.columns import MOST_RUNS, read_samples, read_series, write_samples, write_series
from disktuner.results.embedding import text_in_picture
from disktuner.results.journal import is_journal, replayed
from disktuner.results.model import (
    FORMAT,
    BadResult,
    FileSystem,
    Machine,
    NoSuchResult,
    PlanRecord,
    Result,
)
from disktuner.results.questions import question_at, question_json
from disktuner.results.reading import (
    LARGEST_TEXT_BYTES,
    LONGEST_NAME,
    LONGEST_TEXT,
    Fields,
    as_text,
    bad,
    kept_at,
    list_at,
    message_at,
    message_json,
    name_at,
    object_at,
    parse,
    text_at,
)
from disktuner.vocabulary.metrics import Better, Metric
from disktuner.vocabulary.settings import setting_of

MOST_VALUES = 2**20
"""Three times as many as half an hour of runs with full distributions leaves: 370,000."""

MOST_METRICS, MOST_SCHEDULERS = 500, 64
_NESTED = ("machine", "filesystem", "plan", "metrics", "samples")


def load(path: Path, with_series: bool = True) -> Result:
    """Read a result file, or a picture that Disktuner made; who only judges needs no live figures of its runs.

    Raises ``NoSuchResult`` where the file cannot be read and ``BadResult`` where it holds no sound result.
    """
    data = _bytes(path)
    if data.startswith(b"\x89PNG"):
        return decode(text_in_picture(data), with_series)
    try:
        return decode(as_text(data), with_series)
    except UnicodeDecodeError:
        raise BadResult("file-is-no-text", file=path.name) from None


def decode(text: str, with_series: bool = True) -> Result:
    """Turn JSON text, or a journal, into a result. Raises ``BadResult`` for everything that is not sound.

    Live figures that are not wanted are not looked at.
    """
    if text.count(",") > MOST_VALUES:
        raise BadResult("too-many-values")
    with without_collector():
        return _result(_document(text), with_series)


def encode(result: Result) -> str:
    """Turn a result into JSON text, in ASCII, that ``decode`` turns into an equal result."""
    extra = {key: value for key, value in result.extra.items() if key not in _NESTED}
    nested = {key: value for key, value in result.extra.items() if key in _NESTED and isinstance(value, dict)}
    document: dict[str, Any] = {
        "format": FORMAT,
        "id": result.id,
        "created": result.created,
        "app_version": result.app_version,
        "machine": _plain(result.machine, nested.get("machine")),
        "disk": dict(result.disk),
        "filesystem": _plain(result.filesystem, nested.get("filesystem")),
        "plan": _plan_json(result.plan, nested.get("plan")),
        "metrics": {
            name: {"unit": metric.unit, "better": metric.better.value, "label": _label_json(metric)}
            | nested.get("metrics", {}).get(name, {})
            for name, metric in result.metrics.items()
        },
        "samples": write_samples(result.samples, nested.get("samples", {})),
        "series": [write_series(series) for series in result.series],
        "warnings": [message_json(warning) for warning in result.warnings],
    }
    if result.notes:
        document["notes"] = result.notes
    if not result.finished:
        document["finished"] = False
    try:
        return json.dumps(document | extra, allow_nan=False, separators=(",", ":"))
    except ValueError as error:
        raise BadResult("cannot-write-as-json", why=str(error)) from None


def journal_of(path: Path) -> Path:
    """Return the journal that stands for a result file while it is measured, and where that was cut off."""
    return path.with_name(f"{path.name}.journal")


def _bytes(path: Path) -> bytes:
    found = journal_of(path) if path.name and not path.exists() and journal_of(path).exists() else path
    try:
        data = read_regular(found, LARGEST_TEXT_BYTES)
    except NoRegularFile:
        raise NoSuchResult("no-regular-file", file=str(path)) from None
    except OSError as error:
        raise NoSuchResult("cannot-read", file=str(path), why=error.strerror or str(error)) from None
    if len(data) > LARGEST_TEXT_BYTES:
        raise BadResult("file-too-large")
    return data


@contextmanager
def without_collector() -> Iterator[None]:
    """Hold the cycle collector still: a million fresh objects without a cycle make it five times slower."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _document(text: str) -> dict[str, Any]:
    """The JSON document of a result, put together where the text is a journal."""
    document = replayed(text) if is_journal(text) else parse(text)
    if not isinstance(document, dict) or "format" not in document:
        raise BadResult("no-format")
    if document["format"] != FORMAT:
        raise BadResult("other-format", known=FORMAT)
    return document


def _result(document: dict[str, Any], with_series: bool) -> Result:
    top = Fields("", document)
    top.take("format")
    live = top.take("series", [])
    extra: dict[str, Any] = {}
    plan = _plan(Fields.of(top.take("plan"), "plan"), extra)
    metrics = _metrics(top.mapping("metrics"), extra)
    samples, sample_extra = read_samples(top.take("samples"))
    if sample_extra:
        extra["samples"] = sample_extra
    for name in {sample.metric for sample in samples} - metrics.keys():
        metrics[name] = _guessed_metric(name)
    result = Result(
        id=top.text("id", ""),
        created=top.text("created", ""),
        app_version=top.text("app_version", ""),
        machine=_machine(Fields.of(top.mapping("machine"), "machine"), extra),
        disk=_disk(top.mapping("disk")),
        filesystem=_filesystem(Fields.of(top.mapping("filesystem"), "filesystem"), extra),
        plan=plan,
        metrics=metrics,
        samples=samples,
        series=tuple(
            read_series(each, f"series[{at}]")
            for at, each in enumerate(list_at(live if with_series else [], "series", MOST_RUNS))
        ),
        warnings=tuple(
            message_at(each, f"warnings[{at}]")
            for at, each in enumerate(list_at(top.take("warnings", []), "warnings", MOST_RUNS))
        ),
        notes=top.text("notes", "", LONGEST_TEXT),
        finished=top.flag("finished", default=True),
        extra=extra,
    )
    extra.update(top.unknown())
    _check_size(result)
    return result


def _plan_json(plan: PlanRecord, extra: dict[str, Any] | None) -> dict[str, Any]:
    plain = _plain(replace(plan, question=None), extra)
    settings = {"schedulers": [each.name for each in plain.pop("settings")], "baseline": plan.baseline.name}
    asked = {"question": question_json(plan.question)} if plan.question else {}
    return plain | settings | asked


def _check_size(result: Result) -> None:
    """Refuse what would take minutes to judge or to draw: metrics times schedulers."""
    measured = {sample.setting for sample in result.samples} | {run.setting for run in result.series}
    if len(measured | set(result.plan.settings)) > MOST_SCHEDULERS:
        raise bad("too-many-schedulers", most=MOST_SCHEDULERS)
    if len(result.metrics) > MOST_METRICS:
        raise bad("too-many-metrics", most=MOST_METRICS)


def _disk(found: Mapping[str, Any]) -> Mapping[str, Any]:
    """The disk as ``list --json`` prints it: kept as it is, but its size is reckoned with."""
    size = found.get("size_bytes", 0)
    if not isinstance(size, int) or isinstance(size, bool) or not 0 <= size < 2**63:
        raise bad("must-be-bytes", "disk.size_bytes")
    kept_at(found, "disk")
    return found


def _plan(plan: Fields, extra: dict[str, Any]) -> PlanRecord:
    rounds = plan.integer("rounds")
    if rounds is not None and not 1 <= rounds <= 10**6:
        raise bad("must-be-rounds", "plan.rounds")
    record = PlanRecord(
        goal=plan.optional_name("goal"),
        budget=plan.optional_name("budget"),
        settings=tuple(dict.fromkeys(map(setting_of, plan.names("schedulers")))),
        baseline=setting_of(plan.name("baseline")),
        workloads=plan.names("workloads"),
        seed=plan.integer("seed", 0) or 0,
        rounds=rounds,
        tunes=plan.flag("tunes", False),
        question=question_at(asked, "plan.question") if (asked := plan.mapping("question")) else None,
    )
    _keep(extra, "plan", plan)
    return record


def _machine(machine: Fields, extra: dict[str, Any]) -> Machine:
    record = Machine(
        kernel=machine.text("kernel", ""),
        os=machine.text("os", ""),
        cpu=machine.text("cpu", ""),
        memory_bytes=machine.integer("memory_bytes", 0) or 0,
        cmdline=machine.text("cmdline", "", LONGEST_TEXT),
    )
    _keep(extra, "machine", machine)
    return record


def _filesystem(filesystem: Fields, extra: dict[str, Any]) -> FileSystem:
    place = "filesystem.options"
    record = FileSystem(
        path=filesystem.text("path", ""),
        fstype=filesystem.text("fstype", ""),
        options=tuple(text_at(each, place, LONGEST_TEXT) for each in list_at(filesystem.take("options", []), place)),
        via=filesystem.names("via"),
    )
    _keep(extra, "filesystem", filesystem)
    return record


def _metrics(found: Any, extra: dict[str, Any]) -> dict[str, Metric]:
    metrics: dict[str, Metric] = {}
    unknown: dict[str, Any] = {}
    for name, value in found.items():
        metric = Fields.of(value, f"metrics.{name_at(name, 'metrics')}")
        better = metric.take("better")
        if better not in ("lower", "higher"):
            raise bad("must-be-better", metric.where("better"))
        unit, where = metric.text("unit", "", LONGEST_NAME), metric.where("label")
        label = object_at(metric.take("label", {}), where)
        words = text_at(label.get("text", name), where, LONGEST_NAME)
        said = message_at(label, where) if "values" in label else None  # only of names that are not declared
        metrics[name] = Metric(name, unit, Better(better), words, said=said)
        if metric.rest:
            unknown[name] = metric.unknown()
    if unknown:
        extra["metrics"] = unknown
    return metrics


def _guessed_metric(name: str) -> Metric:
    """What a metric that the file does not describe must be, judged by the unit at the end of its name."""
    last = name.rsplit(".", maxsplit=1)[-1]
    if last.endswith(("_per_s", "tps", "iops")):
        return Metric(name, "", Better.HIGHER, name)
    if last.endswith(("_s", "_ms", "_us", "_ns")):
        return Metric(name, "s" if last.endswith("_s") else "", Better.LOWER, name)
    raise BadResult("unknown-direction", metric=name)


def _label_json(metric: Metric) -> dict[str, Any]:
    """What a metric is called: its own name where that is declared, else a message; and a text for others."""
    known = message_json(metric.said) if metric.said else {"id": metric.name}
    return {**known, "text": metric.label}


def _keep(extra: dict[str, Any], key: str, read: Fields) -> None:
    if read.rest:
        extra[key] = read.unknown()


def _plain(value: Any, extra: dict[str, Any] | None) -> dict[str, Any]:
    """A flat dataclass as a JSON object, without what a missing key means."""
    plain = {each.name: getattr(value, each.name) for each in fields(value)}
    for key, missing in (("rounds", None), ("tunes", False), ("question", None)):
        if plain.get(key, 0) is missing:
            del plain[key]
    return plain | (extra or {})
