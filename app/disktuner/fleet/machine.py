# SPDX-License-Identifier: GPL-3.0-or-later
"""One disk in its machine, which counts once, however often it was measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from disktuner.fleet.pooling import Effects, merged_by_metric, repeated
from disktuner.fleet.run import Run
from disktuner.verdict.effects import Effect
from disktuner.verdict.findings import of_setting, score_of
from disktuner.vocabulary.questions import Question


@dataclass(frozen=True, slots=True)
class Machine:
    """The files that were measured there, and what settings gain; ``is_known`` is whether files name the disk."""

    files: tuple[str, ...]
    is_known: bool
    effects: Effects

    @classmethod
    def of(cls, runs: Sequence[Run]) -> Machine:
        """Return what the runs on a machine say together."""
        effects = merged_by_metric([run.effects for run in runs], repeated)
        return cls(tuple(run.file for run in runs), runs[0].disk is not None, effects)

    def scores(self, question: Question) -> dict[str, Effect]:
        """Return what each setting gains over all that decides, where all of that was measured."""
        settings = dict.fromkeys(name for by_setting in self.effects.values() for name in by_setting)
        found = {name: score_of(of_setting(self.effects, name), question) for name in settings}
        return {name: score for name, score in found.items() if score}
