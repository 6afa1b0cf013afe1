# SPDX-License-Identifier: GPL-3.0-or-later
"""A program of its own: reads a file as a cold start does, each place known only from the data read before.

Usage: ``python dependent_reader.py FILE READS BLOCK_BYTES START``. It prints ``ready``, begins when its standard input
ends, and prints one JSON object: ``wall_s`` from the first read to the last, and ``blocks``, how many different blocks
were read.
"""

from __future__ import annotations

import json
import os
import sys
import time


def walk(fd: int, reads: int, block_bytes: int, start: int) -> int:
    """Follow the chain through the file and return how many different blocks it met.

    The step counter is mixed in because a chain through random data alone would soon run in a circle.
    """
    blocks = os.fstat(fd).st_size // block_bytes
    place = start % blocks
    seen = set()
    for step in range(reads):
        seen.add(place)
        data = os.pread(fd, block_bytes, place * block_bytes)
        place = (int.from_bytes(data[:8], "little") + step * 7919) % blocks
    return len(seen)


def main() -> None:
    """Read the arguments, wait for the beginning, walk, print."""
    name, reads, block_bytes, start = sys.argv[1:5]
    fd = os.open(name, os.O_RDONLY | os.O_NOFOLLOW)
    os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_RANDOM)
    print("ready", flush=True)
    sys.stdin.buffer.read()
    began = time.monotonic()
    blocks = walk(fd, int(reads), int(block_bytes), int(start))
    print(json.dumps({"wall_s": time.monotonic() - began, "blocks": blocks}))


if __name__ == "__main__":
    main()
