# SPDX-License-Identifier: GPL-3.0-or-later
"""Blocks of use: both settings in each pair, in random order; what counts in them and what does not."""

from __future__ import annotations

from collections import Counter

from disktuner.vocabulary.messages import message
from disktuner.vocabulary.settings import Setting
from disktuner_watch.field.blocks import BLOCK_S, SETTLE_S, Block, FeltInterval

QUIET, STALLED, AWAY = FeltInterval(1.0, 0.0, True), FeltInterval(1.0, 0.9, True), FeltInterval(1.0, 1.0, False)
SETTLED = Block(0, settled_s=SETTLE_S)


def felt(*looks: FeltInterval, block: Block = SETTLED) -> Block:
    for look in looks:
        block = block.after(look)
    return block


def test_each_pair_has_both_settings_in_an_order_by_lot_that_is_known_beforehand() -> None:
    orders = [tuple(Block(2 * pair + at).which(7) for at in (0, 1)) for pair in range(400)]
    counted = Counter(orders)
    assert counted.keys() == {(0, 1), (1, 0)} and 150 < counted[0, 1] < 250
    assert orders[3] == (Block(6).which(7), Block(7).which(7)) and {Block(0).which(seed) for seed in range(20)} == {
        0,
        1,
    }


def test_only_use_counts_and_that_not_at_once() -> None:
    block = felt(*[STALLED] * int(SETTLE_S), block=Block(0))
    assert (block.use_s, block.stalled_s) == (0, 0)
    block = felt(QUIET, *[AWAY] * 100, STALLED, block=block)
    assert (block.use_s, block.stalled_s) == (2.0, 0.9)
    assert felt(*[STALLED] * 5, block=block.set_again("later")).use_s == 2.0, "after a restart it settles once more"


def test_a_stall_of_more_than_a_second_counts_once_however_long_it_lasts() -> None:
    assert felt(STALLED).stalls == 0
    assert felt(*[STALLED] * 2).stalls == felt(*[STALLED] * 20).stalls == 1
    assert felt(*[STALLED] * 3, QUIET, STALLED, AWAY, STALLED, QUIET, *[STALLED] * 2).stalls == 2


def test_waiting_that_no_disk_confirmed_is_told_of_where_it_is_much() -> None:
    (much, _) = felt(FeltInterval(1.0, 0.1, True, 0.5), QUIET).samples(Setting("bfq"))
    (little, _) = felt(FeltInterval(1.0, 0.1, True, 0.1), QUIET).samples(Setting("bfq"))
    assert much.valid and much.reason == message("pressure-unconfirmed", share=0.25) and little.reason is None
    assert much.value == little.value == 180.0


def test_its_figures_are_per_hour_of_use() -> None:
    block = felt(*[STALLED] * 2, QUIET, *[STALLED] * 2, *[QUIET] * int(BLOCK_S))
    assert block.is_over
    first, second = Block.samples(block, Setting("bfq"))
    assert (first.metric, second.metric) == ("daily-use.stall_s", "daily-use.stalls")
    assert (first.value, second.value) == (3.6 * 3600 / block.use_s, 2 * 3600 / block.use_s)
    assert (first.valid, first.round, first.order) == (True, 0, 0)
    (spoiled, _) = Block(5, use_s=600.0, spoiled="scheduler-changed").samples(Setting("bfq"))
    assert (spoiled.valid, spoiled.round, spoiled.reason and spoiled.reason.id) == (False, 2, "scheduler-changed")
