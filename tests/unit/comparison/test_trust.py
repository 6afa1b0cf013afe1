# SPDX-License-Identifier: GPL-3.0-or-later
"""Commands in a result's file run only if this user asked for them here, and are shown whole before."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.unit.comparison.test_counted import machine
from tests.unit.results.hostile import places as ways
from tests.unit.results.hostile import with_value

from disktuner.comparison.comparison import Comparison
from disktuner.comparison.preparation import prepare
from disktuner.comparison.request import Environment, Request, empty_result
from disktuner.comparison.target import find_target
from disktuner.comparison.tasks import comparison_task
from disktuner.experiment.events import Event, Phase
from disktuner.results.codec import encode
from disktuner.results.definition import Definition
from disktuner.results.model import Result, Sample
from disktuner.results.store import Store
from disktuner.vocabulary.errors import DisktunerError, MeasurementImpossible, UsageError
from disktuner.vocabulary.messages import say
from disktuner.workloads.processes import Control

__all__ = ["machine"]


@pytest.fixture
def ran(tmp_path: Path) -> Iterator[Callable[[], set[str]]]:
    """Return what was run so far and left a trace."""
    traces = tmp_path / "traces"
    traces.mkdir()
    yield lambda: {path.name for path in traces.iterdir()}


@pytest.fixture
def definition(tmp_path: Path) -> Definition:
    """A command with everything that belongs to it; each part leaves a trace."""
    command, prepare, cleanup = (f"touch {tmp_path}/traces/{name}" for name in ("command", "prepare", "cleanup"))
    # One that takes no time at all is run so often for a sample that a busy machine needs minutes for that.
    lasting = f"{command}; head -c 300M /dev/zero > /dev/null"
    return Definition(lasting, prepare, cleanup, folder=str(tmp_path))


def announced(request: Request, machine: Environment) -> list[str]:
    """Announce a comparison, which runs its command once; return what was announced."""
    events: list[Event] = []
    with Comparison(request, machine) as comparison:
        comparison.announce(events.append)
    return [say(event.message) for event in events if isinstance(event, Phase)]


def measured(definition: Definition, machine: Environment, tmp_path: Path) -> Result:
    """A result of a comparison with this command, after one round."""
    target = find_target(str(tmp_path), machine.system)
    task = comparison_task(Request(str(tmp_path), "own", own=definition), target)
    prepared = prepare(task, target, Control(), saves=False)
    empty = empty_result(prepared)
    metric = next(name for name in empty.metrics if name.endswith(".wall_s"))
    samples = tuple(Sample(metric, setting, 0, at, 2.0) for at, setting in enumerate(empty.plan.settings))
    return replace(empty, samples=samples)


def test_what_was_measured_here_is_shown_and_run_again(
    definition: Definition, machine: Environment, tmp_path: Path, ran: Callable[[], set[str]]
) -> None:
    path = machine.store.save(measured(definition, machine, tmp_path))
    for trace in (tmp_path / "traces").iterdir():
        trace.unlink()
    events = announced(Request(str(tmp_path), continues=path), machine)
    assert events[:3] == [say(sentence) for sentence in definition.shown] and "touch" in events[3]
    assert {"command", "prepare"} <= ran()


@pytest.mark.parametrize("part", ["command", "prepare", "cleanup", "program", "no mark"])
def test_what_anybody_may_have_written_is_told_and_not_run(
    part: str, definition: Definition, machine: Environment, tmp_path: Path, ran: Callable[[], set[str]]
) -> None:
    """A file from elsewhere, among the user's own, that claims to have been measured here."""
    result = measured(definition, machine, tmp_path)
    for trace in (tmp_path / "traces").iterdir():
        trace.unlink()
    assert result.own is not None
    evil = f"touch {tmp_path}/traces/evil"
    changes = {"program": {"command": "", "program": "evil"}, "no mark": {"mark": None}}.get(part, {part: evil})
    forged = replace(result.own, **changes)
    (tmp_path / "evil.json").write_text(encode(replace(result, id="evil", own=forged)))
    added = Store().add(tmp_path / "evil.json")
    for path in (machine.store.path_of(added.id), tmp_path / "evil.json"):
        with pytest.raises(MeasurementImpossible) as refused:
            announced(Request(str(tmp_path), continues=path), machine)
        assert refused.value.message.id == "own-from-elsewhere"
        run = ("program",) if part == "program" else ("command", "prepare", "cleanup")
        assert all(str(getattr(forged, name)) in str(refused.value) for name in run)
    assert ran() == set()


def test_what_is_asked_for_again_in_the_same_words_is_run(
    definition: Definition, machine: Environment, tmp_path: Path, ran: Callable[[], set[str]]
) -> None:
    result = measured(definition, machine, tmp_path)
    (tmp_path / "theirs.json").write_text(encode(replace(result, own=definition)))
    announced(Request(str(tmp_path), continues=tmp_path / "theirs.json", own=definition), machine)
    assert "command" in ran()


def test_whatever_a_file_says_of_a_command_is_refused_with_a_sentence(
    definition: Definition, machine: Environment, tmp_path: Path, ran: Callable[[], set[str]]
) -> None:
    """Each value of the definition is replaced by values that no valid file has there."""
    text, odd = encode(measured(definition, machine, tmp_path)), tmp_path / "odd.json"
    for trace in (tmp_path / "traces").iterdir():
        trace.unlink()
    document = json.loads(text)
    for place in [("own", *rest) for rest in ways(document["own"])]:
        for value in ("true", "null", "-1", '"x"', "[]", '["x"]', "{}", '"(a+)+$"'):
            odd.write_text(with_value(text, place, value))
            if json.loads(odd.read_text()) != document:
                with pytest.raises(DisktunerError):
                    announced(Request(str(tmp_path), continues=odd), machine)
    assert ran() == set()


@pytest.mark.parametrize("part", ["command", "prepare", "beside", "folder"])
def test_what_no_result_could_hold_is_refused_before_it_runs(
    part: str, definition: Definition, machine: Environment, tmp_path: Path, ran: Callable[[], set[str]]
) -> None:
    latin = replace(definition, **{part: f"{getattr(definition, part)} caf\udce9"})
    with pytest.raises(MeasurementImpossible, match="not valid UTF-8"):
        announced(Request(str(tmp_path), own=latin), machine)
    assert not ran()


@pytest.mark.parametrize("command", ["make", None])
def test_no_result_is_continued_with_another_command(
    command: str | None, definition: Definition, machine: Environment, tmp_path: Path, ran: Callable[[], set[str]]
) -> None:
    (tmp_path / "ours.json").write_text(
        encode(replace(measured(definition, machine, tmp_path), own=command and definition))
    )
    for trace in (tmp_path / "traces").iterdir():
        trace.unlink()
    request = Request(
        str(tmp_path), continues=tmp_path / "ours.json", own=replace(definition, command="touch {scratch}/x")
    )
    with pytest.raises(UsageError, match="continues with its original"):
        announced(request, machine)
    assert not ran()
