# SPDX-License-Identifier: GPL-3.0-or-later
"""What a result holds by the ten thousand, checked in columns: its samples, and the live figures of its runs."""

from __future__ import annotations

import base64
import binascii
import math
import sys
from array import array
from collections.abc import Mapping, Sequence
from typing import Any

from disktuner.results.model import Sample, SeriesRecord
from disktuner.results.reading import (
    LARGEST_NUMBER,
    LONGEST_LINE,
    LONGEST_NAME,
    Fields,
    bad,
    kept_at,
    list_at,
    message_at,
    message_json,
    name_at,
    object_at,
    text_at,
)
from disktuner.vocabulary.messages import Message
from disktuner.vocabulary.settings import Setting, setting_of

MOST_RUNS = 5_000
MOST_SAMPLES = 50_000
"""Half an hour holds 550 runs, which yield 18 values each at most; a bench of 1,000 rounds yields 18,000."""

LATEST = 10**6
"""Rounds and runs are counted from 0 and never go so far."""

LONGEST_S = 1e9
WIDTH_BYTES = 4  # of a number in a packed column
_MOST = {"metric": LONGEST_NAME, "scheduler": LONGEST_NAME, "round": LATEST, "order": LATEST}
_KNOWN = frozenset(("metric", "scheduler", "round", "order", "value", "valid", "reason", "started", "duration_s"))


def read_samples(found: Any) -> tuple[tuple[Sample, ...], dict[str, Any]]:
    """Check and convert the samples; the second value holds their unknown keys by position (as text).

    An invalid sample may have the value null: it is kept as NaN and never counted. Raises ``BadResult``.
    """
    rows = list_at(found, "samples", MOST_SAMPLES)
    if not set(map(type, rows)) <= {dict}:
        raise bad("must-be-object", "samples[]")
    metrics = _names(rows, "metric")
    settings = _settings(rows)
    rounds = _integers(rows, "round", 0)
    orders = _integers(rows, "order", 0)
    valid = [row.get("valid", True) for row in rows]
    _only(valid, {bool}, "valid", "must-be-flag")
    reasons = _reasons(rows)
    started = [row.get("started") or "" for row in rows]
    _only(started, {str}, "started", "must-be-text")
    _texts(started, "started")
    durations = _durations(rows)
    values = _values(rows, valid)
    samples = tuple(map(Sample, metrics, settings, rounds, orders, values, valid, reasons, started, durations))
    return samples, _unknown(rows)


def write_samples(samples: Sequence[Sample], unknown: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the samples as JSON objects, with the unknown keys that were kept for them."""
    rows: list[dict[str, Any]] = [
        {
            "metric": sample.metric,
            "scheduler": sample.setting.name,
            "round": sample.round,
            "order": sample.order,
            "value": sample.value if math.isfinite(sample.value) else None,
            "valid": sample.valid,
            "reason": sample.reason and message_json(sample.reason),
            "started": sample.started,
            "duration_s": sample.duration_s,
        }
        for sample in samples
    ]
    for position, extra in unknown.items():
        if str(position).isdecimal() and int(position) < len(rows) and isinstance(extra, dict):
            rows[int(position)].update(extra)
    return rows


def _raw(rows: list[dict[str, Any]], key: str, default: object) -> list[Any]:
    return [row.get(key, default) for row in rows]


def _names(rows: list[dict[str, Any]], key: str) -> list[str]:
    column = _raw(rows, key, None)
    _only(column, {str}, key, "must-be-name")
    for name in set(column):
        name_at(name, f"samples[].{key}")
    known = {name: name for name in column}
    return list(map(known.__getitem__, column))


def _settings(rows: list[dict[str, Any]]) -> list[Setting]:
    names = _names(rows, "scheduler")
    known = {name: setting_of(name) for name in set(names)}
    return list(map(known.__getitem__, names))


def _integers(rows: list[dict[str, Any]], key: str, default: int) -> list[int]:
    column = _raw(rows, key, default)
    _only(column, {int}, key, "must-be-position")
    if column and (min(column) < 0 or max(column) > LATEST):
        raise bad("must-be-position", f"samples[].{key}", most=LATEST)
    return column


def _durations(rows: list[dict[str, Any]]) -> list[float]:
    column = _raw(rows, "duration_s", 0.0)
    _only(column, {int, float}, "duration_s", "must-be-seconds")
    if column and not 0 <= min(column) <= max(column) <= LONGEST_S:
        raise bad("must-be-seconds", "samples[].duration_s")
    return list(map(float, column))


def _values(rows: list[dict[str, Any]], valid: list[bool]) -> list[float]:
    column = _raw(rows, "value", None)
    if None in column:
        column = [math.nan if value is None and not good else value for value, good in zip(column, valid, strict=True)]
    if not set(map(type, column)) <= {int, float}:
        raise bad("must-be-number", "samples[].value")
    known = [value for value in column if value == value]  # noqa: PLR0124 - all but NaN
    if known and not -LARGEST_NUMBER <= min(known) <= max(known) <= LARGEST_NUMBER:
        raise bad("must-be-finite", "samples[].value", most=LARGEST_NUMBER)
    return list(map(float, column))


def _texts(column: list[Any], key: str) -> None:
    for text in set(column) - {None}:
        text_at(text, f"samples[].{key}")


def _reasons(rows: list[dict[str, Any]]) -> list[Message | None]:
    column = _raw(rows, "reason", None)
    return [None if reason is None else message_at(reason, "samples[].reason") for reason in column]


def _only(column: list[Any], types: set[type], key: str, wrong: str) -> None:
    if not set(map(type, column)) <= types:
        raise bad(wrong, f"samples[].{key}", most=_MOST.get(key, LONGEST_LINE))


def _unknown(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """The keys of samples that this version does not know, by position."""
    strange = set().union(*rows) - _KNOWN
    if not strange:
        return {}
    return {
        str(at): {key: kept_at(row[key], f"samples[].{key}") for key in row.keys() & strange}
        for at, row in enumerate(rows)
        if row.keys() & strange
    }


def read_series(value: object, place: str) -> SeriesRecord:
    """Check and convert the live figures of a run. Raises ``BadResult``."""
    series = Fields.of(value, place)
    times = unpack(series.take("times_s", ""), f"{place}.times_s")
    figures = {
        name_at(name, f"{place}.figures"): unpack(values, f"{place}.figures.{name}")
        for name, values in object_at(series.take("figures", {}), f"{place}.figures").items()
    }
    if any(len(values) != len(times) for values in figures.values()):
        raise bad("must-match-times", place)
    if not is_ascending(times):
        raise bad("must-go-on", f"{place}.times_s")
    return SeriesRecord(
        order=series.integer("order", 0) or 0,
        workload=series.text("workload", ""),
        setting=setting_of(series.text("scheduler", "")),
        round=series.integer("round", 0) or 0,
        times_s=times,
        figures=figures,
    )


def write_series(series: SeriesRecord) -> dict[str, Any]:
    """Return the live figures of a run as a JSON object."""
    return {
        "order": series.order,
        "workload": series.workload,
        "scheduler": series.setting.name,
        "round": series.round,
        "times_s": pack(series.times_s),
        "figures": {name: pack(values) for name, values in series.figures.items()},
    }


def column(values: Sequence[float] | Sequence[int] = ()) -> array[float]:
    """Return the values as single-precision numbers."""
    return array("f", values)


def pack(values: array[float]) -> str:
    """Return a column as base64 of little-endian IEEE 754 single-precision numbers."""
    return base64.b64encode(_little_endian(values).tobytes()).decode("ascii")


def unpack(value: object, place: str) -> array[float]:
    """Return the column that ``pack`` wrote.

    Raises ``BadResult`` naming ``place`` for anything else, also for numbers that are not finite.
    """
    try:
        data = base64.b64decode(value, validate=True) if isinstance(value, str) else None
    except (binascii.Error, ValueError):
        data = None
    if data is None or len(data) % WIDTH_BYTES:
        raise bad("must-be-column", place)
    found = array("f")
    found.frombytes(data)
    found = _little_endian(found)
    if not _are_ordinary(found):
        raise bad("must-be-finite", place, most=LARGEST_NUMBER)
    return found


def is_ascending(values: array[float]) -> bool:
    """Say whether a column goes on from 0 or later and never back, as times do."""
    import numpy as np  # noqa: PLC0415 - only results with live figures need it

    return not values or (values[0] >= 0 and bool((np.diff(np.frombuffer(values, dtype=np.float32)) >= 0).all()))


def _are_ordinary(values: array[float]) -> bool:
    import numpy as np  # noqa: PLC0415 - only results with live figures need it

    return bool((np.abs(np.frombuffer(values, dtype=np.float32)) <= LARGEST_NUMBER).all()) if values else True


def _little_endian(values: array[float]) -> array[float]:
    if sys.byteorder == "little":
        return values
    turned = values[:]
    turned.byteswap()
    return turned
