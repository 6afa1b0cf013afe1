# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers are written with units, significant digits, and the conventions of a language."""

from __future__ import annotations

import math

import pytest

from disktuner.vocabulary import units
from disktuner.vocabulary.differences import value_message
from disktuner.vocabulary.messages import say
from disktuner.vocabulary.metrics import Better, Metric
from disktuner.vocabulary.units import NOTHING, WAYS


@pytest.mark.parametrize(
    ("way", "value", "shown"),
    [
        ("digits", 0.12345, "0.123"),
        ("digits", 1e-9, "1.00e-09"),
        ("digits", math.nan, NOTHING),
        ("count", 12345, "12,345"),
        ("bytes", 999.6, "1 kB"),
        ("bytes", 1.5e9, "1.5 GB"),
        ("per_s", 1506.7, "1,507/s"),
        ("time", 0.0009999, "1 ms"),
        ("time", 2.5e-6, "2.5 µs"),
        ("time", None, NOTHING),
        ("duration", 4, "a few seconds"),
        ("duration", 89, "90 seconds"),
        ("duration", 9000, "2.5 hours"),
        ("seconds", 1, "1 second"),
        ("clock", 125, "2:05"),
        ("percent", 0.045, "4.5 %"),
        ("percent", -0.045, "-4.5 %"),
        ("percent", -0.0004, "0 %"),
        ("factor", 2.94, "2.9×"),
        ("amount", 1.15, "1.15×"),
        ("list", ("a", "b", "c"), "a, b and c"),
        ("or", ("a", "b", "c"), "a, b or c"),
        ("scheduler", "none", "“none”"),
        ("scheduler", ("none", "bfq"), "“none” and bfq"),
        ("word", "bfq:low_latency=0", "bfq:low_latency=0"),
        ("word", "bfq;reboot", "'bfq;reboot'"),
        ("word", "my disk\x1b", r"'my disk\u001b'"),
    ],
)
def test_each_way_of_writing(way: str, value: object, shown: str) -> None:
    assert WAYS[way](value, units.ENGLISH) == shown


@pytest.mark.parametrize(
    ("limit_s", "shown"),
    [
        (41, "50 seconds"),
        (80, "80 seconds"),
        (85, "2 minutes"),
        (208, "4 minutes"),
        (240, "4 minutes"),
        (9100, "2.6 hours"),
    ],
)
def test_a_limit_is_not_said_to_be_shorter_than_it_is(limit_s: float, shown: str) -> None:
    assert units.duration(units.longest(limit_s)) == shown


def test_a_measured_value_has_its_metrics_unit() -> None:
    assert say(value_message(0.07, Metric("x.y", "s", Better.LOWER, ""))) == "70 ms"
    assert say(value_message(64e6, Metric("x.y", "bytes_per_s", Better.LOWER, ""))) == "64 MB/s"
    assert say(value_message(1507, Metric("x.y", "per_s", Better.LOWER, ""))) == "1,507/s"
    assert say(value_message(0.994, Metric("x.y", "", Better.LOWER, ""))) == "0.994"
    assert say(value_message(12.5, Metric("x.y", "frames_per_s", Better.LOWER, ""))) == "12.5 frames/s"
    assert say(value_message(3, Metric("x.y", "\x1b[2J", Better.LOWER, ""))) == "3 \\u001b[2J"


def test_names_of_strangers_are_made_safe() -> None:
    assert WAYS["list"](("a", "b\x1b[2J"), units.ENGLISH) == "a and b\\u001b[2J"
    assert WAYS["scheduler"]("\u202ebfq", units.ENGLISH) == "\\u202ebfq"
