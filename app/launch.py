# SPDX-License-Identifier: GPL-3.0-or-later
"""Starts Disktuner from the folder that this file lies in: ``python3 -I launch.py ARG…``.

With ``-I`` nothing is imported from the current folder, from ``PYTHON*`` variables or from the user's own packages.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from disktuner.__main__ import main

sys.exit(main(sys.argv[1:]))
