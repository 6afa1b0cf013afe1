# SPDX-License-Identifier: GPL-3.0-or-later
"""If no run counts, there is no answer; what was measured is stored nevertheless."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.unit.block.trees import MQ, PCI, Tree
from tests.unit.comparison.test_continuing import PROBE

from disktuner.block.disk import Disk
from disktuner.block.system import System
from disktuner.comparison import comparison, preparation
from disktuner.comparison.comparison import Bench, Comparison
from disktuner.comparison.request import BenchRequest, Environment, Request
from disktuner.experiment.run import SchedulerSwitch
from disktuner.results.codec import load
from disktuner.results.model import Addition, Result, Sample
from disktuner.results.store import Store
from disktuner.vocabulary.errors import MeasurementImpossible
from disktuner.vocabulary.messages import message
from disktuner.vocabulary.settings import Setting


@contextmanager
def trials(_: Sequence[Disk]) -> Iterator[SchedulerSwitch]:
    yield SchedulerSwitch()


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Environment:
    """A machine with a disk that is looked at without being touched."""
    tree = Tree(tmp_path / "machine")
    tree.disk("vda", "254:0", f"{PCI}/virtio1", MQ, 1)
    tree.mount("254:0", "/", "ext4", "/dev/vda")
    monkeypatch.setattr(preparation, "probe_folder", lambda *_: PROBE)
    monkeypatch.setattr(comparison, "refuse_root", lambda: None)
    return Environment(System(tree.root), trials, Store())


@pytest.fixture
def environment(machine: Environment, monkeypatch: pytest.MonkeyPatch) -> Environment:
    """An environment whose experiments yield a run that did not count."""

    class Experiment:
        def __init__(self, _plan: object, empty: Result, *, save: Callable[[Addition], object], **_: object) -> None:
            self._empty, self._save = empty, save

        def run(self) -> Result:
            reason = message("other-io", moved=96_000_000)
            addition = Addition(
                (Sample("dd-read.bytes_per_s", Setting("none"), 0, 0, 1e8, valid=False, reason=reason),)
            )
            self._save(addition)
            return self._empty.plus(addition)

    monkeypatch.setattr(comparison, "Experiment", Experiment)
    return machine


def test_runs_that_do_not_count_are_kept_and_no_answer(tmp_path: Path, environment: Environment) -> None:
    place, out = str(tmp_path), tmp_path / "out.json"
    compared = Comparison(Request(place, "copying", "quick", workloads=("dd-read",)), environment)
    alone = Bench(BenchRequest(place, "dd-read", out=out), environment)
    for guided in (compared, alone):
        with guided, pytest.raises(MeasurementImpossible) as refused:
            guided.run(lambda _: None)
        assert refused.value.message.id == "no-run-counted"
    (path,) = environment.store.paths()
    assert not load(path).finished and not load(out).finished, "nobody takes them for an answer"
