# SPDX-License-Identifier: GPL-3.0-or-later
"""The live graph of a measurement; how it is drawn is seen in the guide's pictures."""

from __future__ import annotations

import pyqtgraph
import pytest

from disktuner.block.counters import Figures
from disktuner.experiment.events import LivePoint
from disktuner.gui.plots.live import LivePlot
from disktuner.vocabulary.settings import Setting
from tests.gui.conftest import Show
from tests.gui.person import until


def point(number: int, scheduler: str, order: int) -> LivePoint:
    return LivePoint(
        100 + number, order, Setting(scheduler), Figures(1.0, 1.0, 1.0, number, 1.0, 0.0, 0.0, 0.01, None, 1.0, 0.5)
    )


@pytest.mark.parametrize("height", [240, 500])
def test_a_name_beside_its_mark_is_whole_in_a_low_graph_too(show: Show, height: int) -> None:
    plot = LivePlot()
    plot.resize(600, height)
    show(plot)
    for number in range(30):
        plot.add(point(number, ("bfq", "mq-deadline")[number // 10 % 2], number // 10))
    rate = plot.findChildren(pyqtgraph.PlotWidget)[0]

    def names() -> list[pyqtgraph.TextItem]:
        return [each for each in rate.items() if isinstance(each, pyqtgraph.TextItem) and each.isVisible()]

    until(names)
    rate.grab()
    inside = rate.getViewBox().sceneBoundingRect()
    for item in names():
        name = item.textItem.sceneBoundingRect()
        assert inside.top() - 1 <= name.top() and name.bottom() <= inside.bottom(), "a part of it is cut"
