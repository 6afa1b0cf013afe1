# SPDX-License-Identifier: GPL-3.0-or-later
"""A portrait as measured on an NVMe disk whose fast cache ends after 42 GB."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from disktuner.results.model import FileSystem, Machine
from disktuner.results.portrait import Burst, Copied, Portrait, Reads
from disktuner.vocabulary.messages import message

STEP_BYTES = 10**8
FAST_S, SLOW_S = STEP_BYTES / 1.9e9, STEP_BYTES / 180e6
DISK = {"name": "nvme0n1", "vendor": "", "model": "Crucial P3", "serial": "S1", "wwn": "", "size_bytes": 10**12,
        "kind": "nvme-ssd"}  # fmt: skip


def portrait(**changes: Any) -> Portrait:
    """Return the portrait, with changes."""
    portrait_made = Portrait(
        "20261130-002000-abcdef01",
        "2026-11-30T00:20:00Z",
        "1.0",
        Machine(),
        DISK,
        FileSystem("/", "ext4"),
        10**11,
        STEP_BYTES,
        earlier_bytes=40 * 10**6,
        says=(message("disk-says-pcie", speed=16.0, lanes=4),),
        steps_s=(FAST_S,) * 420 + (SLOW_S,) * 90,
        reads=(
            Reads(0, False, 80e-6, 200e-6),
            Reads(10**9, True, 400e-6, 3e-3),
            Reads(51 * 10**9, True, 4e-3, 90e-3),
            Reads(51 * 10**9, False, 200e-6, 2e-3),
        ),
        bursts=(Burst(1.0, 2e8), Burst(8.0, 1.7e9)),
        copied=Copied(268 * 10**6, 0.2, 1.3),
        finished=True,
    )
    return replace(portrait_made, **changes)
