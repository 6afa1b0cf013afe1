# SPDX-License-Identifier: GPL-3.0-or-later
"""Patterns of starts: what is stored can be read again; hostile replacements are refused."""

from __future__ import annotations

import base64
import gzip
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from disktuner.vocabulary.errors import MeasurementImpossible
from disktuner.vocabulary.messages import say
from disktuner.workloads.patterns import (
    LARGEST_BYTES,
    Access,
    Pattern,
    Read,
    decode_pattern,
    encode_pattern,
)

SMALL = Pattern(
    (8192, 5),
    (Read(0, 0, 4096, 250_000), Read(1, 4, 1, 1, Access.TOUCHED), Read(0, 4096, 4096, 0, Access.LOOKED_UP)),
)
LARGE = Pattern((1 << 30,), tuple(Read(0, 4096 * number, 4096, 1000) for number in range(5000)))


def packed(data: bytes) -> str:
    return base64.b64encode(gzip.compress(data)).decode()


@pytest.mark.parametrize("pattern", [SMALL, LARGE, Pattern((1,), (Read(0, 0, 1),))])
def test_what_is_kept_is_read_again(pattern: Pattern) -> None:
    assert decode_pattern(encode_pattern(pattern)) == pattern


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (("files",), {}),
        (("files",), [1] * 20_001),
        (("files", 0), -1),
        (("files", 0), 2**60),
        (("files", 0), True),
        (("files", 0), 8192.0),
        (("reads",), []),
        (("reads",), [[0, 0, 1, 0, "read"]] * 200_001),
        (("reads", 0), [0, 0]),
        (("reads", 0, 0), 2),
        (("reads", 0, 1), 8193),
        (("reads", 0, 2), 8193),
        (("reads", 0, 3), 10**12),
        (("reads", 0, 3), float("nan")),
        (("reads", 0, 3), "1"),
        (("reads", 0, 4), "written"),
        (("reads", 0, 4), ["read"]),
    ],
)
def test_what_no_recording_makes_is_refused(place: tuple[str | int, ...], value: object) -> None:
    document: Any = json.loads(gzip.decompress(base64.b64decode(encode_pattern(SMALL))))
    at = document
    for key in place[:-1]:
        at = at[key]
    at[place[-1]] = value
    with pytest.raises(MeasurementImpossible) as raised:
        decode_pattern(packed(json.dumps(document).encode()))
    assert "again" in say(raised.value.message)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no base64",
        "\u20ac",
        base64.b64encode(b"no gzip").decode(),
        packed(b"\xff\xfe\x00"),
        packed(b"{}"),
        packed(b"[" * 100_000),
        packed(b"1" * 5000),
        packed(b'{"files": ' + b" " * LARGEST_BYTES + b"[1]}"),
        encode_pattern(SMALL)[:-20],
    ],
)
def test_what_is_no_pattern_is_refused(text: str) -> None:
    with pytest.raises(MeasurementImpossible):
        decode_pattern(text)


@given(st.binary(max_size=200))
def test_no_bytes_make_it_fail_otherwise(data: bytes) -> None:
    for text in (data.decode("latin-1"), packed(data)):
        with pytest.raises(MeasurementImpossible):
            decode_pattern(text)
