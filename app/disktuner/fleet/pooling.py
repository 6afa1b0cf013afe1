# SPDX-License-Identifier: GPL-3.0-or-later
"""The typical difference over machines that truly differ (random effects), from few machines with unequal noise.

* How much machines truly differ is Paule and Mandel's estimate (R. C. Paule and J. Mandel, "Consensus values and
  weighting factors", Journal of Research of the National Bureau of Standards 87, 1982): the one with which the weighted
  squares of the deviations come out as large as there are degrees of freedom. Of the usual estimates it is the one to
  take where machines are few and their noise unequal (A. A. Veroniki et al., "Methods to estimate the between-study
  variance and its uncertainty in meta-analysis", Research Synthesis Methods 7, 2016).
* The interval is Hartung and Knapp's, with Student's t (J. Hartung and G. Knapp, "A refined method for the
  meta-analysis of controlled clinical trials with binary outcome", Statistics in Medicine 20, 2001). Its scale is never
  below 1, so that a few machines which agree by chance make it no narrower than their own noise allows (C. Röver, G.
  Knapp and T. Friede, "Hartung-Knapp-Sidik-Jonkman approach and its modification for random-effects meta-analysis with
  few studies", BMC Medical Research Methodology 15, 2015).
* Weights come from noise that is only estimated. So the error is never below what the machines' own deviations come to
  with these weights, whatever these are (K. Sidik and J. N. Jonkman, "A note on variance estimation in random effects
  meta-regression", Journal of Biopharmaceutical Statistics 15, 2005).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from disktuner.verdict.interval import LEAST_DEVIATION, Errors, quantile

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

_STEPS = 200
_EXACT = 1e-9
_NONE = 1e-12
_LEAST_VARIANCE = (LEAST_DEVIATION / 100) ** 2
_LEAST_SHARE = 1 / 3
"""No machine's noise counts as less than this share of the median machine's. Without that, one very exact machine among
noisy ones would decide alone, and intervals would miss in up to 30 % instead of 5 % (tests/unit/fleet/test_pooling)."""


@dataclass(frozen=True, slots=True)
class Pooled:
    """What machines say together of one difference, as logarithms of a ratio.

    ``between`` is the deviation of the machines' true differences, ``error`` the standard error of ``centre``.
    """

    machines: int
    centre: float
    between: float
    error: float

    def ends(self, errors: Errors) -> tuple[float, float]:
        """Return the interval of the typical difference; of one machine there is none, so it must be two or more."""
        low, high = (float(quantile(each, self.machines - 1)) * self.error for each in (errors.low, errors.high))
        return self.centre - low, self.centre + high


def pool(differences: Floats, variances: Floats) -> Pooled:
    """Pool the differences that machines measured, with the variance of each one's noise; at least one."""
    import numpy as np  # noqa: PLC0415 - loaded only when something is judged

    variances = counted(variances)
    between = heterogeneity(differences, variances)
    weights = 1 / (variances + between)
    shares = weights / weights.sum()
    off = differences - (shares * differences).sum()
    freedom = max(1, len(differences) - 1)
    scale = max(1.0, float((weights * off**2).sum()) / freedom)
    seen = float((shares**2 * off**2 / np.maximum(1 - shares, _NONE)).sum())
    error = max(scale / float(weights.sum()), seen) ** 0.5
    return Pooled(len(differences), float((shares * differences).sum()), between**0.5, error)


def heterogeneity(differences: Floats, variances: Floats) -> float:
    """Return the variance of the machines' true differences: Paule and Mandel's, by Newton's method.

    The weighted squares fall with it and are convex, so steps that begin at 0 never go too far.
    """
    wanted = len(differences) - 1
    between = 0.0
    for _ in range(_STEPS if wanted else 0):
        weights = 1 / (variances + between)
        off = differences - (weights * differences).sum() / weights.sum()
        excess = float((weights * off**2).sum()) - wanted
        if excess <= _EXACT:
            break
        between += excess / float((weights**2 * off**2).sum())
    return between


def pool_runs(differences: Floats, variances: Floats) -> tuple[float, float]:
    """Return the difference and its variance of one machine that was measured several times.

    What its measurements differ by beyond their noise widens the variance (R. T. Birge, "The calculation of errors by
    the method of least squares", Physical Review 40, 1932).
    """
    variances = counted(variances)
    weights = 1 / variances
    centre = float((weights * differences).sum() / weights.sum())
    ratio = float((weights * (differences - centre) ** 2).sum()) / max(1, len(differences) - 1)
    return centre, max(1.0, ratio) / float(weights.sum())


def counted(variances: Floats) -> Floats:
    """Return the variances as they count: none is 0, and none so small that one machine stands for all."""
    import numpy as np  # noqa: PLC0415

    return np.maximum(variances, max(_LEAST_VARIANCE, _LEAST_SHARE * float(np.median(variances))))
