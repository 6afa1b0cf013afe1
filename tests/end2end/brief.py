# SPDX-License-Identifier: GPL-3.0-or-later
"""The command with a quick budget of some seconds: ``brief.py ARG...``. All else is the program's own."""

import sys
from dataclasses import replace

from disktuner.__main__ import main
from disktuner.vocabulary.goals import BUDGETS, QUICK

if __name__ == "__main__":
    BUDGETS[QUICK.id] = replace(QUICK, limits=replace(QUICK.limits, seconds=18.0, shortest_s=0.3, longest_s=0.6))
    sys.exit(main(sys.argv[1:]))
