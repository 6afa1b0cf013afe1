# SPDX-License-Identifier: GPL-3.0-or-later
"""Starts of real small programs are recorded: what they read and touch, in order, but none of the content."""

from __future__ import annotations

import base64
import getpass
import gzip
import mmap
import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from disktuner.workloads.errors import RunFailed
from disktuner.workloads.patterns import Access, Pattern, encode_pattern
from disktuner.workloads.processes import Processes
from disktuner.workloads.recording import record

PAGE = mmap.PAGESIZE


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder on a disk: files in memory are no part of a pattern."""
    with tempfile.TemporaryDirectory(dir="/var/tmp") as name:
        yield Path(name)


def _python(code: str, *words: object) -> list[str]:
    return [sys.executable, "-I", "-S", "-c", code, *map(str, words)]


def _file(folder: Path, name: str, size: int) -> Path:
    path = folder / name
    path.write_bytes(b"private" * (size // 7 + 1))
    os.truncate(path, size)
    return path


def _reads(pattern: Pattern, path: Path) -> list[tuple[int, int, Access]]:
    """Return the reads of the file with this one's size."""
    number = pattern.files.index(path.stat().st_size)
    return [(read.offset, read.length, read.access) for read in pattern.reads if read.file == number]


def _recorded(processes: Processes, argv: Sequence[str], **settings: bool) -> Pattern:
    return record(argv, processes, Path("/"), **settings)


def test_reads_have_their_places(processes: Processes, folder: Path) -> None:
    path = _file(folder, "read", 300_007)
    code = (
        "import os, sys\nfd = os.open(sys.argv[1], os.O_RDONLY)\nos.read(fd, 1000)\nos.read(fd, 500)\n"
        "os.lseek(fd, 200000, 0)\nos.read(fd, 10)\nos.pread(fd, 50, 100000)"
    )
    pattern = _recorded(processes, _python(code, path))
    assert _reads(pattern, path) == [
        (offset, length, Access.READ) for offset, length in ((0, 1000), (1000, 500), (200_000, 10), (100_000, 50))
    ]
    assert pattern.think_s > 0


def test_nothing_of_the_contents_is_kept(processes: Processes, folder: Path) -> None:
    path = _file(folder, "secret-name", 5_003)
    pattern = _recorded(processes, ["cat", str(path)])
    assert _reads(pattern, path)
    content = gzip.decompress(base64.b64decode(encode_pattern(pattern)))
    assert b"private" not in content
    assert b"secret" not in content
    assert getpass.getuser().encode() not in content


def test_a_program_that_stays_is_ended_when_it_rests(processes: Processes, folder: Path) -> None:
    path = _file(folder, "read", 5_003)
    code = (
        "import signal, subprocess, sys\nopen(sys.argv[1]).read()\n"
        "subprocess.Popen(['tail', '-f', sys.argv[1]])\nsignal.pause()"
    )
    pattern = _recorded(processes, _python(code, path), stays=True)
    assert _reads(pattern, path)
    assert not [process for process in Path("/proc").glob("[0-9]*/cmdline") if bytes(path) in _read_bytes(process)]


def _read_bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


@pytest.mark.parametrize(
    ("argv", "stays", "complaint"),
    [
        (["sh", "-c", "echo so it is >&2; exit 3"], False, "status 3.*so it is"),
        (["disktuner-no-such-program"], False, "could not be started"),
        (["true"], True, "probably because it is already running"),
    ],
)
def test_what_goes_wrong_is_said(processes: Processes, argv: list[str], stays: bool, complaint: str) -> None:
    with pytest.raises(RunFailed, match=complaint):
        _recorded(processes, argv, stays=stays)
