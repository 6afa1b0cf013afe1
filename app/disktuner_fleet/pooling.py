# SPDX-License-Identifier: GPL-3.0-or-later
"""The typical gain over machines that truly differ (random effects), from few machines with unequal noise.

* The variance between machines is Paule and Mandel's estimate (R. C. Paule and J. Mandel, Journal of Research of the
  National Bureau of Standards 87, 1982), recommended for few machines with unequal noise (A. A. Veroniki et al.,
  Research Synthesis Methods 7, 2016): it makes the weighted sum of squared deviations equal the degrees of freedom.
* The standard error is Hartung and Knapp's, with Student's t (J. Hartung and G. Knapp, Statistics in Medicine 20,
  2001). Its scale is never below 1, so that machines which agree by chance do not make it smaller than their noise
  allows (C. Röver, G. Knapp and T. Friede, BMC Medical Research Methodology 15, 2015).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from disktuner.verdict.effects import Effect
from disktuner.verdict.evidence import Effects
from disktuner.vocabulary.settings import Setting

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

Merge = Callable[[Sequence[Effect]], Effect]

_STEPS = 200
_EXACT = 1e-9
_LEAST_SHARE = 1 / 3
"""A machine's noise counts as at least this share of the median machine's. Otherwise one very exact machine among noisy
ones would decide alone, and up to 27 % of intervals instead of 5 % would miss (tests/unit/fleet/test_pooling)."""


def pool(effects: Sequence[Effect]) -> Effect:
    """Return the typical gain over machines, with their number as ``n``; for one machine, its gain with its noise."""
    gains, noise = _arrays(effects)
    gain, error = _mean(gains, noise + heterogeneity(gains, noise))
    return Effect(len(effects), gain, error, max(1, len(effects) - 1))


def combine_repeats(effects: Sequence[Effect]) -> Effect:
    """Return the gain on one machine from several measurements.

    Differences beyond their noise widen the error (R. T. Birge, Physical Review 40, 1932).
    """
    gain, error = _mean(*_arrays(effects))
    return Effect(sum(effect.n for effect in effects), gain, error, sum(effect.df for effect in effects))


def merge_effects(mappings: Iterable[Mapping[Setting, Effect]], merge: Merge) -> dict[Setting, Effect]:
    """Merge effects setting by setting."""
    by_setting: dict[Setting, list[Effect]] = defaultdict(list)
    for mapping in mappings:
        for setting, effect in mapping.items():
            by_setting[setting].append(effect)
    return {setting: merge(effects) for setting, effects in by_setting.items()}


def merge_by_metric(machines: Sequence[Effects], merge: Merge) -> dict[str, dict[Setting, Effect]]:
    """Merge effects metric by metric and setting by setting."""
    metrics = dict.fromkeys(metric for effects in machines for metric in effects)
    return {metric: merge_effects((effects.get(metric, {}) for effects in machines), merge) for metric in metrics}


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


def _mean(gains: Floats, variances: Floats) -> tuple[float, float]:
    """Return the weighted mean and its error, widened if gains differ by more than the variances say."""
    weights = 1 / variances
    total = float(weights.sum())
    mean = float((weights * gains).sum()) / total
    scale = float((weights * (gains - mean) ** 2).sum()) / max(1, len(gains) - 1)
    return mean, (max(1.0, scale) / total) ** 0.5


def _arrays(effects: Sequence[Effect]) -> tuple[Floats, Floats]:
    """Return the gains and the variances of their noise, with the floor of ``_LEAST_SHARE``."""
    import numpy as np  # noqa: PLC0415

    gains, errors = np.array([(effect.gain, effect.std_error) for effect in effects]).T
    return gains, np.maximum(errors**2, _LEAST_SHARE * float(np.median(errors**2)))
