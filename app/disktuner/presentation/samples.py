# SPDX-License-Identifier: GPL-3.0-or-later
"""Every raw sample of a result as a row of texts."""

from __future__ import annotations

from typing import NamedTuple

from disktuner.presentation.panels import figure
from disktuner.results.model import Result, Sample
from disktuner.vocabulary.messages import say, text
from disktuner.vocabulary.workloads import as_declared, label_of


class SampleRow(NamedTuple):
    """One sample: its run and round (from 1), what was measured, and whether it counts or why not."""

    run: str
    round: str
    setting: str
    label: str
    value: str
    counts: str


def samples(result: Result) -> tuple[SampleRow, ...]:
    """Return a row per sample, in the order taken."""
    metrics = {name: as_declared(metric) for name, metric in result.metrics.items()}
    ordered = sorted(result.samples, key=lambda sample: (sample.order, sample.metric))
    return tuple(
        SampleRow(
            str(sample.order + 1),
            str(sample.round + 1),
            sample.setting.words,
            say(label_of(metrics[sample.metric])),
            figure(sample.value, metrics[sample.metric]),
            _counts(sample),
        )
        for sample in ordered
    )


def _counts(sample: Sample) -> str:
    if sample.reason is None:
        return text("counts" if sample.valid else "does-not-count")
    return text("counts-disturbed" if sample.valid else "does-not-count-because", reason=sample.reason)
