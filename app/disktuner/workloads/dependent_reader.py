# SPDX-License-Identifier: GPL-3.0-or-later
"""A program of its own: reads a file as a cold start does, each place known only from the data read before.

Usage: ``python dependent_reader.py FILE READS BLOCK_BYTES START``. It prints ``ready``, begins when its standard input
ends, and prints one JSON object: ``wall_s`` from the first read to the last, ``bytes``, how much that was (of different
blocks), ``began_s``, when that was by the monotonic clock, and ``done_us``, how long after that each read was done.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterator


def walk(fd: int, reads: int, block_bytes: int, start: int) -> Iterator[int]:
    """Follow the chain through the file, and go through the numbers of the blocks that were read.

    The step counter is mixed in because a chain through random data alone would soon run in a circle.
    """
    blocks = os.fstat(fd).st_size // block_bytes
    place = start % blocks
    for step in range(reads):
        data = os.pread(fd, block_bytes, place * block_bytes)
        yield place
        place = (int.from_bytes(data[:8], "little") + step * 7919) % blocks


def main() -> None:
    """Read the arguments, wait for the beginning, walk, print."""
    name, reads, block_bytes, start = sys.argv[1:5]
    fd = os.open(name, os.O_RDONLY | os.O_NOFOLLOW)
    os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_RANDOM)
    print("ready", flush=True)
    sys.stdin.buffer.read()
    began_s = time.monotonic()
    seen, done = set(), []
    for place in walk(fd, int(reads), int(block_bytes), int(start)):
        done.append(time.monotonic())
        seen.add(place)
    wall_s = time.monotonic() - began_s
    done_us = [round(1e6 * (each - began_s)) for each in done]
    print(json.dumps({"wall_s": wall_s, "bytes": len(seen) * int(block_bytes), "began_s": began_s, "done_us": done_us}))


if __name__ == "__main__":
    main()
