# SPDX-License-Identifier: GPL-3.0-or-later
"""A kind of disk that is declared once has its name, icon and starting point on the card."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from disktuner.block.queue import suggest
from disktuner.gui.choice import Choice
from disktuner.gui.widgets.disk_card import DiskCard
from tests.gui.stand_ins import disk
from tests.unit.block.test_kinds import TOY


def test_the_card_of_a_new_kind(qtbot: QtBot, dressed: QApplication) -> None:
    plain = disk(kind=TOY, model="")
    card = DiskCard(plain)
    qtbot.addWidget(card)
    card.show_disk(replace(plain, suggestion=suggest(plain, "desktop")), Choice())
    assert card._picture._name == "chip"
    assert card._name.text() == "Toy disk"
    assert "Toy disk" in card._details.text()
    assert "A toy squeaks less with bfq. Source: the toymaker." in card._hint.text()
