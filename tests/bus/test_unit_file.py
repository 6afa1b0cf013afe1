# SPDX-License-Identifier: GPL-3.0-or-later
"""The systemd unit is as strict as it says."""

from __future__ import annotations

from pathlib import Path

from tests.conftest import Sudo

UNIT = Path(__file__).parents[2] / "resources/systemd/disktuner-helper.service"


def test_exposure_is_at_most_one_and_a_half(sudo: Sudo) -> None:
    sudo("systemd-analyze", "security", "--offline=true", "--threshold=15", UNIT)
