# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the window starts: before Qt is loaded, which takes half of the time until the disks are seen."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Sequence

from disktuner.gui.first_look import FirstLook, read_disks


def main(argv: Sequence[str]) -> int:
    """Open the window and return the exit code. Refuses to run as root."""
    if os.geteuid() == 0:
        print(importlib.import_module("disktuner.gui.wording").AS_ROOT, file=sys.stderr)
        return 2
    look = FirstLook(read_disks)
    return int(importlib.import_module("disktuner.gui.application").main(argv, look.disks))
