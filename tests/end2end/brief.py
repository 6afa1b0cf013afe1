# SPDX-License-Identifier: GPL-3.0-or-later
"""The command with a quick budget of ``BRIEF_S`` seconds: ``brief.py ARG...``.

Otherwise it is the unchanged program, except that a result may be continued however much faster or slower the disk of a
busy machine has become.
"""

import math
import os
import sys
from dataclasses import replace

from disktuner.__main__ import main
from disktuner.comparison import preparation
from disktuner.vocabulary.goals import BUDGETS, QUICK

if __name__ == "__main__":
    seconds = float(os.environ.get("BRIEF_S", "18"))
    BUDGETS[QUICK.id] = replace(QUICK, limits=replace(QUICK.limits, seconds=seconds, run_s=0.6))
    preparation.MOST_GROWN = math.inf
    sys.exit(main(sys.argv[1:]))
