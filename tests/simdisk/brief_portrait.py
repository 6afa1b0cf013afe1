# SPDX-License-Identifier: GPL-3.0-or-later
"""``disktuner portrait ARG...`` with a curve of ``CURVE_S`` seconds; otherwise the unchanged program."""

import os
import sys
from functools import partial

from disktuner.__main__ import main
from disktuner.comparison import portrait

if __name__ == "__main__":
    seconds = float(os.environ["CURVE_S"])
    portrait.Pace = partial(portrait.Pace, seconds, seconds + 25)  # type: ignore[misc]
    sys.exit(main(["portrait", *sys.argv[1:]]))
