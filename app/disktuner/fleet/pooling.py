# SPDX-License-Identifier: GPL-3.0-or-later
"""The typical gain over machines that truly differ (random effects), from few machines with unequal noise.

* How much machines truly differ is Paule and Mandel's estimate (R. C. Paule and J. Mandel, "Consensus values and
  weighting factors", Journal of Research of the National Bureau of Standards 87, 1982): the one with which the weighted
  squares of the deviations come out as large as there are degrees of freedom. Of the usual estimates it is the one to
  take where machines are few and their noise unequal (A. A. Veroniki et al., "Methods to estimate the between-study
  variance and its uncertainty in meta-analysis", Research Synthesis Methods 7, 2016).
* The error is Hartung and Knapp's, with Student's t (J. Hartung and G. Knapp, "A refined method for the meta-analysis
  of controlled clinical trials with binary outcome", Statistics in Medicine 20, 2001). Its scale is never below 1, so
  that a few machines which agree by chance make it no smaller than their own noise allows (C. Röver, G. Knapp and T.
  Friede, "Hartung-Knapp-Sidik-Jonkman approach and its modification for random-effects meta-analysis with few studies",
  BMC Medical Research Methodology 15, 2015).
* Weights come from noise that is only estimated. So the error is never below what the machines' own deviations come to
  with these weights, whatever these are (K. Sidik and J. N. Jonkman, "A note on variance estimation in random effects
  meta-regression", Journal of Biopharmaceutical Statistics 15, 2005).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from disktuner.verdict.effects import Effect

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

Effects = Mapping[str, Mapping[str, Effect]]
"""Gains over the baseline by metric and setting."""
Merge = Callable[[Sequence[Effect]], Effect]

_STEPS = 200
_EXACT = 1e-9
_NONE = 1e-12
_LEAST_SHARE = 1 / 3
"""No machine's noise counts as less than this share of the median machine's. Without that, one very exact machine among
noisy ones would decide alone, and intervals would miss in up to 30 % instead of 5 % (tests/unit/fleet/test_pooling)."""


def pool(effects: Sequence[Effect]) -> Effect:
    """Return the typical gain over machines, whose number is its ``n``; of one machine it is that one's with its noise.

    There is at least one.
    """
    import numpy as np  # noqa: PLC0415 - loaded only when something is judged

    gains, noise = _arrays(effects)
    weights = 1 / (noise + heterogeneity(gains, noise))
    shares = weights / weights.sum()
    gain = float((shares * gains).sum())
    squares = (gains - gain) ** 2
    freedom = max(1, len(effects) - 1)
    scale = max(1.0, float((weights * squares).sum()) / freedom)
    seen = float((shares**2 * squares / np.maximum(1 - shares, _NONE)).sum())
    return Effect(len(effects), gain, max(scale / float(weights.sum()), seen) ** 0.5, freedom)


def repeated(effects: Sequence[Effect]) -> Effect:
    """Return the gain on one machine that was measured several times.

    What its measurements differ by beyond their noise widens the error (R. T. Birge, "The calculation of errors by the
    method of least squares", Physical Review 40, 1932).
    """
    gains, noise = _arrays(effects)
    weights = 1 / noise
    gain = float((weights * gains).sum() / weights.sum())
    ratio = float((weights * (gains - gain) ** 2).sum()) / max(1, len(effects) - 1)
    rounds, freedom = sum(each.n for each in effects), sum(each.freedom for each in effects)
    return Effect(rounds, gain, (max(1.0, ratio) / float(weights.sum())) ** 0.5, freedom)


def merged(found: Iterable[Mapping[str, Effect]], merge: Merge) -> dict[str, Effect]:
    """Return one effect by setting out of several."""
    by_name: dict[str, list[Effect]] = defaultdict(list)
    for each in found:
        for name, effect in each.items():
            by_name[name].append(effect)
    return {name: merge(effects) for name, effects in by_name.items()}


def merged_by_metric(found: Sequence[Effects], merge: Merge) -> dict[str, dict[str, Effect]]:
    """Return one effect by metric and setting out of several."""
    metrics = dict.fromkeys(metric for each in found for metric in each)
    return {metric: merged((each.get(metric, {}) for each in found), merge) for metric in metrics}


def heterogeneity(gains: Floats, noise: Floats) -> float:
    """Return the variance of the machines' true gains: Paule and Mandel's, by Newton's method.

    The weighted squares fall with it and are convex, so steps that begin at 0 never go too far.
    """
    wanted = len(gains) - 1
    between = 0.0
    for _ in range(_STEPS if wanted else 0):
        weights = 1 / (noise + between)
        off = gains - (weights * gains).sum() / weights.sum()
        excess = float((weights * off**2).sum()) - wanted
        if excess <= _EXACT:
            break
        between += excess / float((weights**2 * off**2).sum())
    return between


def _arrays(effects: Sequence[Effect]) -> tuple[Floats, Floats]:
    """Return the gains, and the variances of their noise as they count: none so small that one stands for all."""
    import numpy as np  # noqa: PLC0415

    gains, errors = np.array([(each.gain, each.error) for each in effects]).T
    return gains, np.maximum(errors**2, _LEAST_SHARE * float(np.median(errors**2)))
