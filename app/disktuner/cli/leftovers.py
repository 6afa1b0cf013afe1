# SPDX-License-Identifier: GPL-3.0-or-later
"""Says on stderr what interrupted measurements left on the disks, and removes it when told to."""

from __future__ import annotations

import sys

from disktuner.experiment.scratch import Leftovers


def tell_leftovers() -> None:
    """Say where something lies, how much, and how to be rid of it."""
    found = Leftovers().find()
    for left in found:
        print(f"An interrupted measurement left {left.size_bytes / 1e6:.0f} MB in {left.path}.", file=sys.stderr)
    if found:
        print("To remove all of it: disktuner history --tidy", file=sys.stderr)


def remove_leftovers() -> int:
    """Remove all of it; the exit code says whether all is gone."""
    known = Leftovers()
    found = known.find()
    stayed = known.remove()
    for left in found:
        if left.path not in stayed:
            print(f"Removed {left.path} ({left.size_bytes / 1e6:.0f} MB).", file=sys.stderr)
    for path in stayed:
        print(f"disktuner: {path} could not be removed. Look for the disk's errors, then try again.", file=sys.stderr)
    if not found:
        print("No interrupted measurement left anything.", file=sys.stderr)
    return 1 if stayed else 0
