# SPDX-License-Identifier: GPL-3.0-or-later
"""The systemd unit is as strict as it says."""

from __future__ import annotations

import subprocess
from pathlib import Path

UNIT = Path(__file__).parents[2] / "resources/systemd/disktuner-helper.service"


def test_exposure_is_at_most_one_and_a_half() -> None:
    command = ["systemd-analyze", "security", "--offline=true", "--threshold=15", str(UNIT)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
