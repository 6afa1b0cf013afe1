# SPDX-License-Identifier: GPL-3.0-or-later
"""Starts disktuner-fleet as launch.py starts Disktuner."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from disktuner_fleet.__main__ import main

sys.exit(main(sys.argv[1:]))
