# SPDX-License-Identifier: GPL-3.0-or-later
"""A program of its own: reads a film at its bit rate, as a player without a long buffer does.

Usage: ``python stream_player.py FILE FRAME_BYTES FRAMES``. Frame ``n`` is due ``n``/25 s after the start, whatever
happened to those before. Prints how many bytes it read, and of each frame how long it took from due to there.
"""

from __future__ import annotations

import os
import sys
import time

FRAME_S = 0.04


def play(fd: int, frame_bytes: int, frames: int) -> tuple[list[float], int]:
    """Read all frames and return when each was there after it was due, in seconds, and the bytes read."""
    stalls_s, total = [], 0
    began = time.monotonic()
    for number in range(frames):
        due = began + number * FRAME_S
        time.sleep(max(0.0, due - time.monotonic()))
        total += len(os.pread(fd, frame_bytes, number * frame_bytes))
        stalls_s.append(round(time.monotonic() - due, 6))
    return stalls_s, total


def main() -> None:
    """Read the arguments, play, print."""
    name, frame_bytes, frames = sys.argv[1:4]
    fd = os.open(name, os.O_RDONLY | os.O_NOFOLLOW)
    stalls_s, total = play(fd, int(frame_bytes), int(frames))
    print(total, *stalls_s)


if __name__ == "__main__":
    main()
