# SPDX-License-Identifier: GPL-3.0-or-later
"""A program of its own: reads a film at its bit rate, as a player without a long buffer does.

Usage: ``python stream_player.py FILE FRAME_BYTES FRAMES``. Frame ``n`` is due ``n``/25 s after the start, whatever
happened to those before. Prints one JSON object: ``late`` (frames that came more than a frame's time after they were
due), ``longest_s`` (from due to there), ``bytes``.
"""

from __future__ import annotations

import json
import os
import sys
import time

FRAME_S = 0.04


def play(fd: int, frame_bytes: int, frames: int) -> tuple[int, float, int]:
    """Read all frames and return how many were late, the longest stall in seconds, and the bytes read."""
    late, longest, total = 0, 0.0, 0
    began = time.monotonic()
    for number in range(frames):
        due = began + number * FRAME_S
        time.sleep(max(0.0, due - time.monotonic()))
        total += len(os.pread(fd, frame_bytes, number * frame_bytes))
        stall = time.monotonic() - due
        late += stall > FRAME_S
        longest = max(longest, stall)
    return late, longest, total


def main() -> None:
    """Read the arguments, play, print."""
    name, frame_bytes, frames = sys.argv[1:4]
    fd = os.open(name, os.O_RDONLY | os.O_NOFOLLOW)
    late, longest, total = play(fd, int(frame_bytes), int(frames))
    print(json.dumps({"late": late, "longest_s": longest, "bytes": total}))


if __name__ == "__main__":
    main()
