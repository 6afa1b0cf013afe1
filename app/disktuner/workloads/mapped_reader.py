# SPDX-License-Identifier: GPL-3.0-or-later
"""A program of its own: reads a mapped file here and there, each place known only from the data read before.

Usage: ``python mapped_reader.py FILE READS START``. It prints one JSON object: ``wall_s`` from the first read to the
last, and ``pages``, how many different ones were touched.

Nothing tells the kernel that the places are scattered, as databases and programs that start do not: each fault reads
the read-ahead size around it (do_sync_mmap_readahead in mm/filemap.c).
"""

from __future__ import annotations

import json
import mmap
import os
import sys
import time


def walk(mapped: mmap.mmap, reads: int, start: int) -> int:
    """Follow the chain through the file and return how many different pages it met.

    The step counter is mixed in because a chain through random data alone would soon run in a circle.
    """
    pages = len(mapped) // mmap.PAGESIZE
    place = start % pages
    seen = set()
    for step in range(reads):
        seen.add(place)
        at = place * mmap.PAGESIZE
        place = (int.from_bytes(mapped[at : at + 8], "little") + step * 7919) % pages
    return len(seen)


def main() -> None:
    """Read the arguments, map the file, walk, print."""
    name, reads, start = sys.argv[1:4]
    fd = os.open(name, os.O_RDONLY | os.O_NOFOLLOW)
    with mmap.mmap(fd, 0, prot=mmap.PROT_READ) as mapped:
        began = time.monotonic()
        pages = walk(mapped, int(reads), int(start))
        print(json.dumps({"wall_s": time.monotonic() - began, "pages": pages}))


if __name__ == "__main__":
    main()
