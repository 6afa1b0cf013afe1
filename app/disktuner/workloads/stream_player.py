# SPDX-License-Identifier: GPL-3.0-or-later
"""A standalone program: reads a film at its bit rate, as a player without a long buffer does.

Usage: ``python stream_player.py FILE FRAME_BYTES FRAMES MOST_S``. Frame ``n`` is due ``n``/25 s after the start,
whatever happened to earlier ones. It gives up after ``MOST_S``, which is longer than the film. It prints the number of
bytes read, and for each frame the seconds from its due time to its arrival, or to the end if it never arrived.
"""

from __future__ import annotations

import os
import sys
import time

FRAME_S = 0.04


def play(fd: int, frame_bytes: int, frames: int, most_s: float) -> tuple[list[float], int]:
    """Read all frames; return how late each arrived, in seconds, and the bytes read."""
    stalls_s, total = list[float](), 0
    began = now = time.monotonic()
    dues = [began + number * FRAME_S for number in range(frames)]
    while len(stalls_s) < frames and now < began + most_s:
        number = len(stalls_s)
        time.sleep(max(0.0, dues[number] - now))
        total += len(os.pread(fd, frame_bytes, number * frame_bytes))
        now = time.monotonic()
        stalls_s.append(now - dues[number])
    return [*stalls_s, *(now - due for due in dues[len(stalls_s) :])], total


def main() -> None:
    name, frame_bytes, frames, most_s = sys.argv[1:5]
    fd = os.open(name, os.O_RDONLY | os.O_NOFOLLOW)
    stalls_s, total = play(fd, int(frame_bytes), int(frames), float(most_s))
    print(total, *(round(stall_s, 6) for stall_s in stalls_s))


if __name__ == "__main__":
    main()
