# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the window starts: before Qt is loaded, which takes half of the time until the disks are seen."""

from __future__ import annotations

import gc
import importlib
import os
import sys
from collections.abc import Sequence

from disktuner.gui import wording
from disktuner.gui.first_look import FirstLook, read_disks


def main(argv: Sequence[str]) -> int:
    """Open the window and return the exit code. Refuses to run as root."""
    if os.geteuid() == 0:
        print(wording.AS_ROOT, file=sys.stderr)
        return 2
    gc.disable()  # until the window has a collector of its own: nothing of what is loaded now is garbage
    look = FirstLook(read_disks)
    return int(importlib.import_module("disktuner.gui.application").main(argv, look.disks))
