# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers are written with their units, with as many digits as mean something, and with a language's signs."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis.strategies import floats

from disktuner.vocabulary import units
from disktuner.vocabulary.units import NOTHING, WAYS, Numbers, value_text

GERMAN = Numbers(
    grouped="12.345", grouped_first="1.234", fraction="1,5", percents="5\u00a0%",
    and_="{0} und {1}", or_="{0} oder {1}", a_few_seconds="einige Sekunden",
    seconds=("{0} Sekunde", "{0} Sekunden"), minutes=("{0} Minute", "{0} Minuten"), hours=("{0} Stunde", "{0} Stunden"),
)  # fmt: skip


@pytest.mark.parametrize(
    ("way", "value", "shown"),
    [
        ("digits", 0, "0"),
        ("digits", 0.12345, "0.123"),
        ("digits", 9.995, "9.99"),
        ("digits", 99.96, "100"),
        ("digits", 1506.7, "1,507"),
        ("digits", 2_357_701_699.0, "2,357,701,699"),
        ("digits", 1e-9, "1.00e-09"),
        ("digits", math.nan, NOTHING),
        ("digits", math.inf, NOTHING),
        ("count", 12345, "12,345"),
        ("bytes", 0, "0 B"),
        ("bytes", 999, "999 B"),
        ("bytes", 999.6, "1 kB"),
        ("bytes", 1.5e9, "1.5 GB"),
        ("bytes", 999_999_999, "1 GB"),
        ("bytes", 2e21, "2,000 EB"),
        ("rate", 64.2e6, "64.2 MB/s"),
        ("per_s", 1506.7, "1,507/s"),
        ("time", 0, "0 s"),
        ("time", 0.0700, "70 ms"),
        ("time", 4.52, "4.52 s"),
        ("time", 0.0009999, "1 ms"),
        ("time", 2.5e-6, "2.5 µs"),
        ("time", 2.5e-8, "0.025 µs"),
        ("time", None, NOTHING),
        ("duration", 4, "a few seconds"),
        ("duration", 44, "40 seconds"),
        ("duration", 89, "90 seconds"),
        ("duration", 100, "2 minutes"),
        ("duration", 60 * 89, "89 minutes"),
        ("duration", 3600, "60 minutes"),
        ("duration", 9000, "2.5 hours"),
        ("duration", 36_000_000, "10,000 hours"),
        ("seconds", 1, "1 second"),
        ("seconds", 12, "12 seconds"),
        ("clock", 125, "2:05"),
        ("percent", 0, "0 %"),
        ("percent", 0.045, "4.5 %"),
        ("percent", 0.04, "4 %"),
        ("percent", 0.2849, "28 %"),
        ("percent", -0.045, "-4.5 %"),
        ("factor", 2.94, "2.9×"),
        ("factor", 12.34, "12.3×"),
        ("amount", 1.15, "15 %"),
        ("amount", 1.99, "99 %"),
        ("amount", 2.94, "2.9×"),
        ("list", ("a",), "a"),
        ("list", ("a", "b", "c"), "a, b and c"),
        ("list", (), ""),
        ("or", ("a", "b", "c"), "a, b or c"),
        ("scheduler", "none", "“none”"),
        ("scheduler", "bfq", "bfq"),
        ("scheduler", ("none", "bfq"), "“none” and bfq"),
    ],
)
def test_each_way_of_writing(way: str, value: object, shown: str) -> None:
    assert WAYS[way](value, units.ENGLISH) == shown


@pytest.mark.parametrize(
    ("way", "value", "shown"),
    [
        ("digits", 1506.7, "1.507"),
        ("digits", 0.1234, "0,123"),
        ("bytes", 1.5e9, "1,5 GB"),
        ("count", 1_234_567, "1.234.567"),
        ("duration", 9000, "2,5 Stunden"),
        ("duration", 5, "einige Sekunden"),
        ("percent", 0.045, "4,5\u00a0%"),
        ("list", ("a", "b"), "a und b"),
        ("or", ("a", "b"), "a oder b"),
    ],
)
def test_another_language_has_its_own_signs(way: str, value: object, shown: str) -> None:
    assert WAYS[way](value, GERMAN) == shown


def test_a_small_share_stands_alone_at_an_axis() -> None:
    assert units.one_in(0.001) == "1 in 1,000"
    assert units.one_in(0.001, GERMAN) == "1 in 1.000"
    assert units.one_in(0) == "0"


def test_a_measured_value_has_its_metrics_unit() -> None:
    assert value_text(0.07, "s") == "70 ms"
    assert value_text(64e6, "bytes_per_s") == "64 MB/s"
    assert value_text(1507, "per_s") == "1,507/s"
    assert value_text(0.994, "") == "0.994"
    assert value_text(12.5, "frames_per_s") == "12.5 frames/s"
    assert value_text(3, "\x1b[2J") == "3 \\u001b[2J"


def test_names_of_strangers_are_made_safe() -> None:
    assert WAYS["list"](("a", "b\x1b[2J"), units.ENGLISH) == "a and b\\u001b[2J"
    assert WAYS["scheduler"]("\u202ebfq", units.ENGLISH) == "\\u202ebfq"


@given(floats(1e-3, 1e14))
def test_what_is_shown_is_off_by_half_a_percent_at_most(value: float) -> None:
    assert float(units.digits(value).replace(",", "")) == pytest.approx(value, rel=0.0051)


@given(floats(1e-7, 1e5))
def test_a_time_keeps_its_value_and_has_a_unit(value: float) -> None:
    number, unit = units.time(value).split(" ")
    scale = {"s": 1, "ms": 1e-3, "µs": 1e-6}[unit]
    assert float(number.replace(",", "")) * scale == pytest.approx(value, rel=0.0051)
