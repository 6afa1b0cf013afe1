# SPDX-License-Identifier: GPL-3.0-or-later
"""All disks at work: what they do in a row each, drawn and in words, and every figure on demand."""

from __future__ import annotations

from disktuner.block.counters import Figures, parse_stat
from disktuner.gui.widgets.monitor_page import COURSE, MonitorModel, MonitorPage
from tests.gui.conftest import Show
from tests.gui.stand_ins import disk


def second(reads: int, writes: int) -> dict[str, Figures]:
    """What a disk did in a second, in sectors; half of it busy."""
    before = parse_stat("0 0 0 0 0 0 0 0 0 0 0", 0.0)
    return {"sda": parse_stat(f"10 0 {reads} 120 10 0 {writes} 90 0 500 900", 1.0).since(before)}


def shown(page: MonitorPage, row: int) -> list[str]:
    """The cells of a line that are seen."""
    model = page.table.model()
    seen = (at for at in range(model.columnCount()) if not page.table.isColumnHidden(at))
    return [model.index(row, at).data() for at in seen]


def test_a_row_a_disk_shows_its_last_minute_and_all_figures_on_demand(show: Show) -> None:
    model = MonitorModel()
    model.show_disks((disk("sda"), disk("sdb", diskseq=9, scheduler="none")))
    for number in range(70):
        model.show_figures(second(2000 * (number > 30), 0))
    page = show(MonitorPage(model))
    page.resize(800, 400)
    assert [shown(page, row) for row in (0, 1)] == [
        ["sda  WD Blue WD10EZEX", "↓ 1.02 MB/s  ↑ 0 B/s", "mq-deadline", "12 ms", "50 %"],
        ["sdb  WD Blue WD10EZEX", "", "none", "–", "–"],
    ]
    assert len(model.course(0)) == 60
    picture = page.table.viewport().grab(page.table.visualRect(model.index(0, COURSE))).toImage()
    ground, quarter = picture.pixel(1, 1), picture.height() // 4
    assert picture.pixel(picture.width() // 4, quarter) == ground, "nothing half a minute ago"
    assert picture.pixel(picture.width() * 3 // 4, quarter) != ground, "reads since then"
    assert picture.pixel(picture.width() * 3 // 4, picture.height() - quarter) == ground, "and no writes"
    page.all_button.click()
    assert shown(page, 0)[2:6] == ["10", "1.02 MB/s", "12 ms", "10"]
