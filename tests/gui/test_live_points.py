# SPDX-License-Identifier: GPL-3.0-or-later
"""What the live graph keeps of a measurement, and how it is drawn: no line where another scheduler had its turn."""

from __future__ import annotations

import numpy as np
import pyqtgraph
import pytest

from disktuner.experiment.events import LivePoint
from disktuner.gui.plots.axes import stretches, with_next
from disktuner.gui.plots.live import LivePlot, Points
from tests.gui.conftest import Show
from tests.gui.person import until


def point(number: int, scheduler: str, order: int, latency_s: float | None = 0.01) -> LivePoint:
    return LivePoint(100 + number, order, scheduler, number, 1.0, 1.0, 1.0, latency_s, None, 1.0, 0.5)


def test_the_last_points_are_kept_in_their_order() -> None:
    points = Points(10)
    for number in range(57):
        points.add(point(number, ("bfq", "none")[number // 5 % 2], number // 5, None if number == 50 else 0.01))
    seen = points.seen()
    assert seen.age_s.tolist() == list(range(-9, 1))
    assert seen.bytes_per_s.tolist() == list(range(48, 58))
    assert points.schedulers == ["bfq", "none"]
    assert [points.schedulers[int(each)] for each in seen.scheduler] == ["none"] * 3 + ["bfq"] * 5 + ["none"] * 2
    assert (np.flatnonzero(np.diff(seen.turn)) + 1).tolist() == [3, 8]
    assert np.isnan(seen.latency).tolist() == [number == 3 for number in range(10)]
    assert seen.latency[0] == -2


def test_lines_break_where_others_had_their_turn() -> None:
    whose = np.array([0, 0, 1, 1, 0, 0, 1])
    age_s, up = stretches(with_next(whose == 0), np.arange(7.0), np.arange(7.0) * 10)
    np.testing.assert_array_equal(age_s, [0, 1, 2, np.nan, 4, 5, 6])
    np.testing.assert_array_equal(up, [0, 10, 20, np.nan, 40, 50, 60])
    assert [len(column) for column in stretches(np.zeros(3, bool), np.arange(3.0))] == [0]


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
