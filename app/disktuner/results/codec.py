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
from dataclasses import fields
from pathlib import Path
from typing import Any, NoReturn

from disktuner.results.columns import is_ascending, pack, read_samples, unpack, write_samples
from disktuner.results.model import (
    FORMAT,
    BadResult,
    Caution,
    FileSystem,
    Machine,
    NoSuchResult,
    PlanRecord,
    Result,
    SeriesRecord,
)
from disktuner.results.reading import (
    LARGEST_TEXT_BYTES,
    LONGEST_NAME,
    LONGEST_TEXT,
    Fields,
    as_text,
    bad,
    kept_at,
    list_at,
    name_at,
    object_at,
    text_at,
    too_large,
)
from disktuner.vocabulary.metrics import Better, Metric

MOST_VALUES = 2**20
"""Three times as many as half an hour of runs with full distributions leaves: 370,000."""

MOST_METRICS, MOST_SCHEDULERS = 500, 64
MOST_RUNS = 5_000


def load(path: Path) -> Result:
    """Read a result file, or a picture that Disktuner made.

    Raises ``NoSuchResult`` where the file cannot be read and ``BadResult`` where it holds no sound result.
    """
    data = _bytes(path)
    if data.startswith(b"\x89PNG"):
        from disktuner.results.embedding import text_in_picture  # noqa: PLC0415 - only pictures need it

        return decode(text_in_picture(data))
    try:
        return decode(as_text(data))
    except UnicodeDecodeError:
        raise BadResult(
            f"{path.name} is no text and no picture with a result in it. "
            "Give a result file (.json) or a picture that Disktuner saved (.png)."
        ) from None


def from_picture(path: Path) -> Result:
    """Read the result out of a picture that Disktuner saved. Raises as ``load`` does."""
    from disktuner.results.embedding import text_in_picture  # noqa: PLC0415 - only pictures need it

    return decode(text_in_picture(_bytes(path)))


def decode(text: str) -> Result:
    """Turn JSON text into a result. Raises ``BadResult`` with a sentence for everything that is not sound."""
    if text.count(",") > MOST_VALUES:
        raise BadResult(
            "The file holds more values than any measurement leaves; it was not written by Disktuner. "
            "Use another file, or measure again with 'disktuner compare'."
        )
    with without_collector():
        return _result(_parse(text))


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
        "plan": _plain(result.plan, nested.get("plan")),
        "metrics": {
            name: {"unit": metric.unit, "better": metric.better.value, "label": metric.label}
            | nested.get("metrics", {}).get(name, {})
            for name, metric in result.metrics.items()
        },
        "samples": write_samples(result.samples, nested.get("samples", {})),
        "series": [_packed(series) for series in result.series],
        "warnings": [_plain(caution, None) for caution in result.warnings],
    }
    if result.notes:
        document["notes"] = result.notes
    if not result.finished:
        document["finished"] = False
    try:
        return json.dumps(document | extra, allow_nan=False, separators=(",", ":"))
    except ValueError as error:
        raise BadResult(f"This result cannot be written as JSON ({error}); measure again.") from None


_NESTED = ("machine", "filesystem", "plan", "metrics", "samples")


def _bytes(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST_TEXT_BYTES + 1)  # devices and pipes have no size to look at before
    except OSError as error:
        raise NoSuchResult(
            f"{path} cannot be read: {error.strerror or error}. Check the name and its rights."
        ) from None
    if len(data) > LARGEST_TEXT_BYTES:
        raise too_large(path.name)
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


def _parse(text: str) -> dict[str, Any]:
    try:
        document = json.loads(text, parse_constant=_refuse_constant)
    except (json.JSONDecodeError, RecursionError, ValueError) as error:
        if isinstance(error, json.JSONDecodeError):
            place = f"line {error.lineno}, column {error.colno}"
            raise BadResult(
                f"The file is not valid JSON at {place} ({error.msg}); it was cut or damaged. "
                "Use a whole copy of it, or measure again with 'disktuner compare'."
            ) from None
        raise BadResult(
            "The file is JSON that no Disktuner wrote (nested too deep or with numbers too long). "
            "Use another file, or measure again with 'disktuner compare'."
        ) from None
    if not isinstance(document, dict) or "format" not in document:
        raise BadResult(
            "This is not a Disktuner result: it does not say its format. "
            "Give a file that 'disktuner compare --out FILE' or the window wrote."
        )
    _check_format(document["format"])
    return document


def _refuse_constant(name: str) -> NoReturn:
    raise BadResult(
        f"The file holds {name}, which no measurement yields; another program damaged it. "
        "Use the original file, or measure again with 'disktuner compare'."
    )


def _check_format(found: object) -> None:
    if found == FORMAT:
        return
    family = FORMAT.split("/", maxsplit=1)[0] + "/"
    if isinstance(found, str) and found.startswith(family) and found[len(family) :].isdecimal():
        raise BadResult(
            f"The file has the format {found[:60]}, which this version does not know (it knows {FORMAT}). "
            "Update Disktuner and open it again."
        )
    raise BadResult("This is not a Disktuner result: its format is another one. Give a file that Disktuner wrote.")


def _result(document: dict[str, Any]) -> Result:
    top = Fields("", document)
    top.take("format")
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
            _series(each, at) for at, each in enumerate(list_at(top.take("series", []), "'series'", MOST_RUNS))
        ),
        warnings=tuple(
            _caution(each, at) for at, each in enumerate(list_at(top.take("warnings", []), "'warnings'", MOST_RUNS))
        ),
        notes=top.text("notes", "", LONGEST_TEXT),
        finished=top.flag("finished", default=True),
        extra=extra,
    )
    extra.update(top.unknown())
    _check_size(result)
    return result


def _check_size(result: Result) -> None:
    """Refuse what would take minutes to judge or to draw: metrics times schedulers."""
    measured = {sample.scheduler for sample in result.samples} | {run.scheduler for run in result.series}
    if len(measured | set(result.plan.schedulers)) > MOST_SCHEDULERS:
        raise bad("the number of its schedulers", f"must be {MOST_SCHEDULERS} at most")
    if len(result.metrics) > MOST_METRICS:
        raise bad("the number of its metrics", f"must be {MOST_METRICS} at most")


def _disk(found: Mapping[str, Any]) -> Mapping[str, Any]:
    """The disk as ``list --json`` prints it: kept as it is, but its size is reckoned with."""
    size = found.get("size_bytes", 0)
    if not isinstance(size, int) or isinstance(size, bool) or not 0 <= size < 2**63:
        raise bad("'disk.size_bytes'", "must be a whole number of bytes")
    kept_at(found, "'disk'")
    return found


def _plan(plan: Fields, extra: dict[str, Any]) -> PlanRecord:
    rounds = plan.integer("rounds")
    if rounds is not None and not 1 <= rounds <= 10**6:
        raise bad("'plan.rounds'", "must be a number of rounds from 1 up")
    record = PlanRecord(
        goal=plan.optional_name("goal"),
        budget=plan.optional_name("budget"),
        schedulers=plan.names("schedulers"),
        baseline=plan.name("baseline"),
        workloads=plan.names("workloads"),
        seed=plan.integer("seed", 0) or 0,
        rounds=rounds,
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
    options, place = filesystem.take("options", []), "'filesystem.options'"
    if isinstance(options, str):
        options = options.split(",")
    record = FileSystem(
        path=filesystem.text("path", ""),
        fstype=filesystem.text("fstype", ""),
        options=tuple(text_at(each, place, LONGEST_TEXT) for each in list_at(options, place)),
        via=filesystem.names("via"),
    )
    _keep(extra, "filesystem", filesystem)
    return record


def _metrics(found: Any, extra: dict[str, Any]) -> dict[str, Metric]:
    metrics: dict[str, Metric] = {}
    unknown: dict[str, Any] = {}
    for name, value in found.items():
        metric = Fields.of(value, f"metrics.{name_at(name, 'a name in metrics')}")
        better = metric.take("better")
        if better not in ("lower", "higher"):
            raise bad(metric.where("better"), "must be 'lower' or 'higher'")
        metrics[name] = Metric(
            name,
            metric.text("unit", "", LONGEST_NAME),
            Better(better),
            metric.text("label", name, LONGEST_NAME),
        )
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
    raise BadResult(
        f"The file has samples of '{name}' but does not say whether less or more of it is better. "
        f'Add {{"{name}": {{"unit": "…", "better": "lower"}}}} (or "higher") to its metrics.'
    )


def _series(value: object, at: int) -> SeriesRecord:
    place = f"series[{at}]"
    series = Fields.of(value, place)
    times = unpack(series.take("times_s", []), f"{place}.times_s")
    figures = {
        name_at(name, f"'{place}.figures'"): unpack(column, f"{place}.figures.{name}")
        for name, column in object_at(series.take("figures", {}), f"'{place}.figures'").items()
    }
    if any(len(column) != len(times) for column in figures.values()):
        raise bad(f"'{place}'", "must have as many figures as times")
    if not is_ascending(times):
        raise bad(f"'{place}.times_s'", "must go on from 0")
    return SeriesRecord(
        order=series.integer("order", 0) or 0,
        workload=series.text("workload", ""),
        scheduler=series.text("scheduler", ""),
        round=series.integer("round", 0) or 0,
        times_s=times,
        figures=figures,
    )


def _packed(series: SeriesRecord) -> dict[str, Any]:
    figures = {name: pack(column) for name, column in series.figures.items()}
    return _plain(series, None) | {"times_s": pack(series.times_s), "figures": figures}


def _caution(value: object, at: int) -> Caution:
    caution = Fields.of(value, f"warnings[{at}]")
    return Caution(caution.text("code", ""), caution.text("text", ""), caution.text("advice", ""))


def _keep(extra: dict[str, Any], key: str, read: Fields) -> None:
    if read.rest:
        extra[key] = read.unknown()


def _plain(value: Any, extra: dict[str, Any] | None) -> dict[str, Any]:
    """A flat dataclass as a JSON object, None left out where that is what a missing key means."""
    plain = {each.name: getattr(value, each.name) for each in fields(value)}
    if plain.get("rounds", 0) is None:
        del plain["rounds"]
    return plain | (extra or {})
