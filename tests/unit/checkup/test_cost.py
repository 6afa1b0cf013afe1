# SPDX-License-Identifier: GPL-3.0-or-later
"""A check-up of many disks costs little more than listing them: ratios within one run only."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.bench.bench_block import CHECK, OURS, cpu_s
from tests.unit.block.trees import Tree, letters
from tests.unit.checkup.machines import many_hard_disks

DISKS = 250


@pytest.mark.parametrize("sick", [0, 25])
def test_at_most_half_more_than_listing(tmp_path: Path, sick: int) -> None:
    """The best of four, one beside the other: interruptions only ever add."""
    many_hard_disks(DISKS, tmp_path)
    tree = Tree(tmp_path)
    tree.write("etc/udev/rules.d/60-local.rules", 'KERNEL=="sd*", ATTR{queue/nomerges}="2"')
    for number in range(sick):
        tree.write(f"sys/block/{letters(number)}/queue/nomerges", "2")
    pairs = [(cpu_s(OURS, tmp_path), cpu_s(CHECK, tmp_path)) for _ in range(4)]
    listing, checking = map(min, zip(*pairs, strict=True))
    assert checking <= 1.5 * listing, pairs
