# SPDX-License-Identifier: GPL-3.0-or-later
"""strace's log is read in all forms that a start's calls have."""

from __future__ import annotations

from pathlib import Path

import pytest

from disktuner.workloads.tracks import FileEvent, What, events

IN = "/a/lib.so"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f'pread64(3<{IN}>, ""..., 784, 64) = 784', (What.READS, IN, 64, 784)),
        (f"preadv2(3<{IN}>, [{{iov_base=..., iov_len=9}}], 1, 70, 0) = 9", (What.READS, IN, 70, 9)),
        (f"sendfile(1</b>, 3<{IN}>, NULL, 99) = 20", (What.READS, IN, 0, 20)),
        (f"fadvise64(3<{IN}>, 5, 4096, POSIX_FADV_WILLNEED) = 0", (What.READS, IN, 5, 4096)),
        (f"mmap(NULL, 8192, PROT_READ, MAP_PRIVATE, 3<{IN}>, 0x2000) = 0x7f8", (What.MAPS, IN, 0x2000, 8192)),
        (f"mmap(NULL, 8192, PROT_READ, MAP_SHARED|MAP_POPULATE, 3<{IN}>, 0) = 0x7f8", (What.READS, IN, 0, 8192)),
        ("getdents64(3</a>, 0x55 /* 2 entries */, 32768) = 48", (What.LOOKS_UP, "/a", 0, 0)),
        ('openat(AT_FDCWD</here>, "x", O_RDONLY) = -1 ENOENT (No such file)', (What.LOOKS_UP, "/here/x", 0, 0)),
        ('access("rel", R_OK) = 0', (What.LOOKS_UP, "/start/rel", 0, 0)),
        (r'stat("/a\303\274\"b", {st_mode=S_IFREG}) = 0', (What.LOOKS_UP, '/aü"b', 0, 0)),
    ],
)
def test_a_call_is_understood(text: str, expected: tuple[What, str, int, int]) -> None:
    assert list(events([f"12  5.25 {text} <0.1>"], Path("/start"))) == [FileEvent(5.25, *expected)]


@pytest.mark.parametrize(
    "text",
    [
        f'read(3<{IN}>, "", 10) = 0',
        f"read(3<{IN}>, 0x7f, 10) = -1 EIO (Input/output error)",
        "mmap(NULL, 8192, PROT_READ, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0) = 0x7f8",
        f"fadvise64(3<{IN}>, 0, 0, POSIX_FADV_RANDOM) = 0",
        "+++ exited with 0 +++",
        "",
    ],
)
def test_what_reads_nothing_is_passed_over(text: str) -> None:
    assert not list(events([f"12 5.25 {text}"], Path("/start")))


def test_calls_of_several_processes_that_overlap_are_put_together() -> None:
    lines = [
        f"1 1.0 pread64(3<{IN}>,  <unfinished ...>",
        '2 1.5 execve("/a/b", [...], 0x7f /* 3 vars */) = 0 <0.1>',
        '1 2.0 <... pread64 resumed>""..., 832, 4096) = 832 <0.9>',
    ]
    track = list(events(lines, Path("/")))
    assert [event.what for event in track] == [What.PAUSES, What.LOOKS_UP, What.READS]
    assert (track[-1].at_s, track[-1].offset, track[-1].length) == (1.0, 4096, 832)
