# SPDX-License-Identifier: GPL-3.0-or-later
"""The curves of a result say what its histograms and thread figures say."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from disktuner.gui.plots.curves import distributions, scaling
from disktuner.presentation import present
from disktuner.vocabulary.messages import literal
from disktuner.vocabulary.settings import Setting
from tests.gui.stand_ins import LAUNCH, full_result, result


def with_histograms(measured: Any) -> Any:
    return replace(result(1), histograms=measured)


def test_a_distribution_is_the_share_that_waited_longer() -> None:
    """Of 1000 requests 600 took up to 1 ms, 390 up to 10 ms, 9 up to 0.1 s, one up to a second."""
    bins = [(0.001, 600), (0.01, 390), (0.1, 9), (1.0, 1)]
    order = next(s.order for s in result(1).samples if s.metric == LAUNCH and s.setting == Setting("bfq"))
    (chart,) = distributions(with_histograms({order: {"latency_s": bins}}))
    (curve,) = chart.curves
    assert curve.setting == Setting("bfq")
    shares = [(0.001, 0.4), (0.01, 0.01), (0.1, 0.001), (1.0, 0.0005)]
    assert curve.points[1:] == tuple(pytest.approx(share) for share in shares)
    assert curve.marks == ((0.001, 0.5), (0.01, 0.1), (0.01, 0.01), (0.1, 0.001))
    assert chart.speech == (
        "bfq: 1 in 2 above 1 ms, 1 in 10 above 10 ms, 1 in 100 above 10 ms, 1 in 1,000 above 100 ms"
    )


def test_runs_that_do_not_count_are_left_out() -> None:
    plain = result(1)
    samples = tuple(
        replace(s, valid=False, reason=literal("x")) if s.setting == Setting("bfq") else s for s in plain.samples
    )
    bins = {s.order: {"latency_s": [(0.001, 5)]} for s in plain.samples if s.metric == LAUNCH}
    (chart,) = distributions(replace(plain, samples=samples, histograms=bins))
    assert [curve.setting.name for curve in chart.curves] == ["mq-deadline", "none", "kyber"]


def test_a_curve_grows_with_threads_and_says_bytes_beside_requests() -> None:
    (chart,) = scaling(present(full_result(3)))
    assert [curve.setting.name for curve in chart.curves] == ["mq-deadline", "none", "kyber", "bfq"]
    assert [x for x, _ in chart.curves[0].points] == [1, 2, 8, 16, 32]
    assert "1 thread 549/s · 9 MB/s" in chart.speech
    assert 3 <= len(chart.up.ticks) <= 8
    assert scaling(present(result(3))) == ()
