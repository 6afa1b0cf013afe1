# SPDX-License-Identifier: GPL-3.0-or-later
"""Patterns of starts: what is saved is loaded again, without names unless asked for; strangers' files are refused."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from disktuner.vocabulary.messages import say
from disktuner.workloads.patterns import (
    LARGEST_FILE_BYTES,
    Access,
    BadPattern,
    NoSuchPattern,
    Pattern,
    PatternFile,
    Read,
    decode_pattern,
    encode_pattern,
    load_pattern,
    save_pattern,
)

SMALL = Pattern(
    (PatternFile(8192, "/usr/bin/secret"), PatternFile(5)),
    (Read(0, 0, 4096, 0.25), Read(1, 4, 1, 1e-6, Access.TOUCHED), Read(0, 4096, 4096, 0.0, Access.LOOKED_UP)),
)
LARGE = Pattern((PatternFile(1 << 30),), tuple(Read(0, 4096 * number, 4096, 0.001) for number in range(5000)))


@pytest.mark.parametrize("pattern", [SMALL, LARGE, Pattern((PatternFile(1),), (Read(0, 0, 1),))])
def test_what_is_saved_is_loaded_again(tmp_path: Path, pattern: Pattern) -> None:
    assert load_pattern(save_pattern(pattern, tmp_path / "a", with_names=True)) == pattern


def test_names_are_kept_only_where_asked_for(tmp_path: Path) -> None:
    path = save_pattern(SMALL, tmp_path / "a")
    assert b"secret" not in path.read_bytes()
    assert load_pattern(path) == SMALL.nameless()
    assert load_pattern(path).reads == SMALL.reads


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (("format",), "disktuner.pattern/2"),
        (("files",), {}),
        (("files",), [{"size_bytes": 1}] * 20_001),
        (("files", 0, "size_bytes"), -1),
        (("files", 0, "size_bytes"), 2**60),
        (("files", 0, "name"), "\x1b[2J"),
        (("files", 0, "name"), "x" * 300),
        (("reads",), [[0, 0, 1, 0, "read"]] * 200_001),
        (("reads", 0), [0, 0, 1, 0]),
        (("reads", 0, 0), 2),
        (("reads", 0, 1), 8193),
        (("reads", 0, 2), 8193),
        (("reads", 0, 3), 10**12),
        (("reads", 0, 4), "written"),
    ],
)
def test_what_no_recording_makes_is_refused(place: tuple[str | int, ...], value: object) -> None:
    document: Any = json.loads(encode_pattern(SMALL))
    at = document
    for key in place[:-1]:
        at = at[key]
    at[place[-1]] = value
    with pytest.raises(BadPattern) as raised:
        decode_pattern(json.dumps(document).encode())
    assert say(raised.value.message).isprintable()


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xff\xfe\x00",
        b"{}",
        b'{"format": NaN}',
        b"[" * 100_000,
        b"\x1f\x8bgarbage",
        gzip.compress(b"\x00" * (LARGEST_FILE_BYTES + 10)),
        b" " * (LARGEST_FILE_BYTES + 1),
        gzip.compress(encode_pattern(SMALL))[:-20],
    ],
)
def test_what_is_no_pattern_is_refused(data: bytes) -> None:
    with pytest.raises(BadPattern):
        decode_pattern(data)


@given(st.binary(max_size=200))
def test_no_bytes_make_it_fail_otherwise(data: bytes) -> None:
    with pytest.raises(BadPattern):
        decode_pattern(data)


def test_a_missing_file_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(NoSuchPattern, match="Name a pattern"):
        load_pattern(tmp_path / "none")
    with pytest.raises(NoSuchPattern):
        load_pattern(tmp_path)
