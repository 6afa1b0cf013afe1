# SPDX-License-Identifier: GPL-3.0-or-later
"""A program of its own: reads a film at its bit rate, as a player without a long buffer does.

Usage: ``python stream_player.py FILE FRAME_BYTES FRAMES MOST_S``. Frame ``n`` is due ``n``/25 s after the start,
whatever happened to those before. After ``MOST_S``, longer than the film, it ends: frames that are missing are as late
as that.
Prints how many bytes it read, and of each frame how long it took from due to there, or to the end.
"""

from __future__ import annotations

import os
import sys
import time

FRAME_S = 0.04


def play(fd: int, frame_bytes: int, frames: int, most_s: float) -> tuple[list[float], int]:
    """Read all frames and return when each was there after it was due, in seconds, and the bytes read."""
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
    """Read the arguments, play, print."""
    name, frame_bytes, frames, most_s = sys.argv[1:5]
    fd = os.open(name, os.O_RDONLY | os.O_NOFOLLOW)
    stalls_s, total = play(fd, int(frame_bytes), int(frames), float(most_s))
    print(total, *(round(each, 6) for each in stalls_s))


if __name__ == "__main__":
    main()
