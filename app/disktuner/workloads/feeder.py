# SPDX-License-Identifier: GPL-3.0-or-later
"""A program of its own: feeds a writer with random data through a pipe, in bursts at a fixed pace.

Usage: ``python feeder.py TOTAL_BYTES BURST_BYTES PERIOD_S OFFSET < DATA | dd …``. Burst ``n`` begins ``n`` periods
after the start, or as soon as the writer took the one before. When the data are used up they begin again one byte
further, so that no block on the disk ever equals another.
"""

from __future__ import annotations

import mmap
import os
import sys
import time

PIECE = 256 * 1024


def feed(data: mmap.mmap, total: int, burst: int, period_s: float, offset: int) -> None:
    """Write ``total`` bytes to stdout; returns early when the writer is gone."""
    began = time.monotonic()
    sent, place, again = 0, offset % max(1, len(data) - PIECE), 0
    while sent < total:
        late = time.monotonic() - (began + sent // burst * period_s)
        if late < 0:
            time.sleep(-late)
        piece = data[place : place + min(PIECE, total - sent)]
        try:
            count = os.write(1, piece)
        except BrokenPipeError:
            return
        sent, place = sent + count, place + count
        if place + PIECE > len(data):
            again += 1
            place = (offset + again) % max(1, len(data) - PIECE)


def main() -> None:
    """Read the arguments and feed."""
    total, burst, period_s, offset = sys.argv[1:5]
    with mmap.mmap(0, 0, prot=mmap.PROT_READ) as data:
        feed(data, int(total), int(burst), float(period_s), int(offset))


if __name__ == "__main__":
    main()
