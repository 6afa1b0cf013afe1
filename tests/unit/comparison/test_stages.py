# SPDX-License-Identifier: GPL-3.0-or-later
"""Both stages of tuning: what each is asked for, one trial around them, and an end at any time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.unit.comparison.test_tuning import TUNED
from tests.unit.verdict.making import made

from disktuner.block.disk import Disk
from disktuner.block.system import System
from disktuner.comparison import stages
from disktuner.comparison.request import Environment, JudgedResult, Request
from disktuner.comparison.stages import Tuning
from disktuner.experiment.run import SchedulerSwitch
from disktuner.results.codec import load
from disktuner.results.store import Store
from disktuner.verdict.judge import judge
from disktuner.vocabulary.errors import Cancelled
from disktuner.vocabulary.settings import Setting

Log = list[Any]


class Switch(SchedulerSwitch):
    """Records what is set."""

    def __init__(self, log: Log) -> None:
        self._log = log

    def set(self, setting: Setting) -> None:
        self._log.append(setting.name)

    def restore(self) -> None:
        self._log.append("restored")


@pytest.fixture
def log() -> Log:
    """What happened, in order."""
    return []


@pytest.fixture
def environment(log: Log) -> Environment:
    """An environment that records its trials."""

    @contextmanager
    def trials(_: Sequence[Disk]) -> Iterator[SchedulerSwitch]:
        log.append("begin")
        try:
            yield Switch(log)
        finally:
            log.append("end")

    return Environment(System(), trials, Store())


@pytest.fixture
def compared(log: Log, monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], None]], None]:
    """Make comparisons only record what they are asked for; something may happen at the end of each."""

    def use(meanwhile: Callable[[], None] = lambda: None) -> None:
        class Noted:
            def __init__(self, request: Request, environment: Environment) -> None:
                self._request, self._environment, self._cancelled = request, environment, False

            def __enter__(self) -> Noted:
                return self

            def __exit__(self, *_: object) -> None:
                log.append("closed")

            def cancel(self) -> None:
                self._cancelled = True

            def announce(self, _: object) -> str:
                if self._cancelled:
                    raise Cancelled("cancelled")
                return f"after {self._request.after}"

            def run(self, _: object) -> JudgedResult:
                with self._environment.trials([TUNED]) as switch:
                    switch.set(Setting("kyber"))
                    log.append(self._request)
                meanwhile()
                result = made({})
                return JudgedResult(result, judge(result), Path("/first.json"), (TUNED,))

        monkeypatch.setattr(stages, "Comparison", Noted)

    return use


def test_first_the_schedulers_then_settings_with_the_winner_in_one_trial(
    log: Log, environment: Environment, compared: Callable[..., None], tmp_path: Path
) -> None:
    compared()
    events: Log = []
    tuned = Tuning(Request("/srv", out=tmp_path / "out.json", seed=7), environment).run(events.append, events.append)
    assert tuned.plain is not None
    first, second = (entry for entry in log if isinstance(entry, Request))
    assert (first.out, first.after, first.seed) == (None, None, 7)
    assert (second.out, second.after) == (tmp_path / "out.json", Path("/first.json"))
    assert events == ["after None", "after /first.json"]
    switches = [entry for entry in log if not isinstance(entry, Request)]
    assert switches == ["begin", "kyber", "restored", "closed", "kyber", "restored", "closed", "end"]


def test_where_nothing_is_left_to_try_the_file_that_was_asked_for_is_written(
    environment: Environment, compared: Callable[..., None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compared()
    monkeypatch.setattr(stages, "settings_left", lambda *_: ())
    out = tmp_path / "out.json"
    tuned = Tuning(Request("/srv", out=out), environment).run(lambda _: None, lambda _: None)
    assert tuned.plain is None and tuned.judged.path == out
    assert load(out).plan == tuned.judged.result.plan


def test_an_end_between_the_stages_is_heard(log: Log, environment: Environment, compared: Callable[..., None]) -> None:
    tuning = Tuning(Request("/srv"), environment)
    compared(lambda: Tuning.cancel(tuning))
    with pytest.raises(Cancelled):
        tuning.run(log.append, log.append)
    assert len([entry for entry in log if isinstance(entry, Request)]) == 1
    assert log[-1] == "end"
