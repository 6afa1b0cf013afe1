# SPDX-License-Identifier: GPL-3.0-or-later
"""A card reader without a card is listed, and cannot be tuned."""

from __future__ import annotations

from pathlib import Path

from tests.unit.block.trees import NONE, Tree, usb

from disktuner.block.system import System
from disktuner.vocabulary.messages import message


def test_where_no_card_is_in_nothing_can_be_tuned(tmp_path: Path) -> None:
    tree = Tree(tmp_path)
    tree.kernel("6.12.0")
    tree.disk("sdc", "8:32", usb(5), NONE, 0, {"removable": "1", "device/model": "Card Reader"}, size=0)
    assert System(tmp_path).disk("sdc").why_not == message("no-medium")
