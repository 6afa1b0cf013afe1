# SPDX-License-Identifier: GPL-3.0-or-later
"""A result at one glance: the one chart that stands for the answer, and what else the setting in question changes.

Its figures are those of the sentence (``Verdict.figures``). Doubt has four words (better, worse, same, can't tell): a
factor is said only where something is shown, and a range never.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from disktuner.presentation.panels import Panel, Row
from disktuner.results.model import Result
from disktuner.verdict.judge import outcome
from disktuner.verdict.model import Outcome, Score, Verdict
from disktuner.vocabulary.differences import difference_of_gain, gain_message
from disktuner.vocabulary.goals import purpose_of
from disktuner.vocabulary.kinds import KINDS
from disktuner.vocabulary.messages import language, named, say, text
from disktuner.vocabulary.metrics import BESIDE, Metric, Wording, words_of
from disktuner.vocabulary.schedulers import shown
from disktuner.vocabulary.units import clock, size
from disktuner.vocabulary.workloads import WORKLOADS, as_declared

MOST_BARS = 9
"""More would not be taken in at a glance: the best, and what is compared with them."""
MOST_CHANGES = 5


@dataclass(frozen=True, slots=True)
class Bar:
    """A setting in the chart.

    ``share`` is its length, 1 that of the longest; ``words`` say how it differs from what is there now, which itself
    has no ``outcome``.
    """

    scheduler: str
    value: str
    share: float
    words: str
    outcome: Outcome | None

    @property
    def name(self) -> str:
        """The setting as people read it."""
        return shown(self.scheduler)


@dataclass(frozen=True, slots=True)
class Change:
    """Another figure with the setting in question: ``values`` are now's and its own ("48 → 9 MB/s").

    ``can_turn`` says that it was measured beyond what the goal accepts, or is not shown to be within it: the answer
    hangs on it.
    """

    metric: str
    label: str
    values: str
    words: str
    outcome: Outcome | None
    can_turn: bool


@dataclass(frozen=True, slots=True)
class Glance:
    """The chart of the answer with its ``title``, and what the ``setting`` in question (if any) changes besides.

    ``disk`` is its name, then what and where it is; ``goal``, ``now`` and ``run`` say for what, with which setting and
    for how long it was measured. ``values`` are the setting's and now's in words ("0.4 s instead of 1.2 s"), empty
    where the chart shows a score of several figures. ``parts`` are further figures that decide, ``prices`` what may get
    worse, the worst first. ``others`` counts the figures that are not here.
    """

    disk: tuple[str, str]
    goal: str
    now: str
    run: str
    title: str
    direction: str
    bars: tuple[Bar, ...]
    setting: str | None
    values: str
    parts: tuple[Change, ...]
    prices: tuple[Change, ...]
    others: int


def glance(result: Result, verdict: Verdict, panels: Sequence[Panel]) -> Glance:
    """Return what is seen first of a result."""
    by_metric = {panel.metric.name: panel for panel in panels}
    leading, setting = by_metric.get(verdict.leading or ""), verdict.winner or verdict.leader
    bars = _bars_of(leading, verdict) if leading else _bars_of_score(result, verdict)
    parts, prices = _changes(result, verdict, by_metric, setting) if setting else ((), ())
    seen = {verdict.leading, *(change.metric for change in (*parts, *prices))}
    goal = purpose_of(result.plan.goal)
    return Glance(
        _disk(result),
        named(goal.name) if goal else result.plan.goal or "",
        text("now-is", baseline=verdict.baseline),
        _run(result),
        leading.label if leading else _purpose(result),
        leading.direction if leading else text("longer-is-better"),
        bars,
        setting,
        _instead(leading, setting),
        parts,
        prices,
        len(by_metric.keys() - seen),
    )


def _disk(result: Result) -> tuple[str, str]:
    disk, filesystem = result.disk, result.filesystem
    others = result.extra.get("disks")
    names = [disk.get("name"), *(others if isinstance(others, list) else ())]
    model = " ".join(str(disk[key]).strip() for key in ("vendor", "model") if disk.get(key))
    kind, size_bytes = KINDS.get(str(disk.get("kind"))), disk.get("size_bytes")
    where = text("filesystem-on", fstype=filesystem.fstype, path=filesystem.path) if filesystem.path else ""
    facts = (
        model or (named(kind.name) if kind else ""),
        size(size_bytes, language().numbers) if isinstance(size_bytes, int | float) and size_bytes > 0 else "",
        where or filesystem.fstype,
    )
    return " + ".join(dict.fromkeys(name for name in names if isinstance(name, str))), ", ".join(filter(None, facts))


def _run(result: Result) -> str:
    taken_s = sum({sample.order: sample.duration_s for sample in result.samples}.values())
    rounds = text("of-rounds", count=len({sample.round for sample in result.samples}))
    return ", ".join(filter(None, (clock(taken_s) if taken_s else "", rounds, result.created[:10])))


def _purpose(result: Result) -> str:
    """Return what the score is about, as a title."""
    goal = purpose_of(result.plan.goal)
    words = named(goal.purpose) if goal else text("all-that-decides")
    return words[:1].upper() + words[1:]


def _instead(leading: Panel | None, setting: str | None) -> str:
    rows = {row.scheduler: row for row in leading.rows} if leading else {}
    base = next((row for row in rows.values() if row.is_baseline), None)
    ours = rows.get(setting or "")
    return text("instead-of", ours=ours.value, theirs=base.value) if base and ours and ours.gain else ""


def _bars_of(panel: Panel, verdict: Verdict) -> tuple[Bar, ...]:
    rows = [row for row in panel.rows if row.typical is not None]
    longest = max((row.typical or 0.0 for row in rows), default=0.0)
    return _chosen(
        [
            (row.gain or 0.0, _bar(verdict, panel.metric.words, row.scheduler, row.value, _share(row.typical, longest)))
            for row in rows
        ],
        verdict,
    )


def _bars_of_score(result: Result, verdict: Verdict) -> tuple[Bar, ...]:
    """Return bars of how many times better each setting is, as far as anything is compared."""
    if not verdict.figures:
        return ()
    words = words_of(as_declared(result.metrics[name]) for name in result.question.deciding)
    gains = {verdict.baseline: 1.0} | {name: each.ratio for name, each in verdict.figures.items()}
    longest = max(gains.values())
    return _chosen(
        [(gain, _bar(verdict, words, name, "", _share(gain, longest))) for name, gain in gains.items()], verdict
    )


def _share(value: float | None, longest: float) -> float:
    return (value or 0.0) / longest if longest and math.isfinite(longest) else 0.0


def _bar(verdict: Verdict, words: Wording, scheduler: str, value: str, share: float) -> Bar:
    if scheduler == verdict.baseline:
        return Bar(scheduler, value, share, text("is-now"), None)
    figure = verdict.figures.get(scheduler)
    found = _outcome(figure)
    return Bar(scheduler, value, share, _words(words, figure, found), found)


def _outcome(figure: Score | None) -> Outcome:
    if figure is None or not figure.ci_low or not figure.ci_high:
        return Outcome.UNDECIDED
    return outcome(math.log(figure.ci_low), math.log(figure.ci_high))


def _words(words: Wording, figure: Score | None, found: Outcome) -> str:
    """Return what a bar says: a factor where one is shown, else only a word."""
    if figure is None or found in (Outcome.SAME, Outcome.UNDECIDED):
        return text(f"finding-{found}")
    if found is Outcome.BETTER:
        return say(gain_message(words, figure.ci_low or 1.0, figure.ratio))
    return say(difference_of_gain(words, figure.ratio))


def _chosen(bars: list[tuple[float, Bar]], verdict: Verdict) -> tuple[Bar, ...]:
    """Return the best first; of very many only those, what they are compared with, and whom the answer is about."""
    ordered = [bar for _, bar in sorted(bars, key=lambda each: -each[0])]
    always = [bar for bar in ordered if bar.scheduler in (verdict.baseline, verdict.winner, verdict.leader)]
    kept = [*always, *(bar for bar in ordered if bar not in always)][:MOST_BARS]
    return tuple(bar for bar in ordered if bar in kept)


def _changes(
    result: Result, verdict: Verdict, panels: Mapping[str, Panel], setting: str
) -> tuple[tuple[Change, ...], tuple[Change, ...]]:
    """Return the parts besides the leading one, and the prices."""
    question = result.question
    least = dict.fromkeys(question.deciding, 1 / question.worth)
    for price in question.prices:
        beside = _row(panels.get(price.beside or ""), setting)
        least[price.metric] = price.least_gain(beside.gain or 1.0 if beside else 1.0)
    workloads = set(question.deciding_workloads)
    others = [name for name in panels if _is_beside(panels[name].metric, workloads) and name not in least]
    unsettled = {each.metric for each in verdict.open}
    found = {
        name: _change(panels[name], setting, least.get(name, 0.0), name in unsettled)
        for name in (*least, *others)
        if name != verdict.leading and name in panels
    }
    if verdict.winner is None:
        found = {name: each for name, each in found.items() if each.outcome is not Outcome.UNDECIDED or each.can_turn}
    prices = sorted((each for name, each in found.items() if name not in question.deciding), key=_worst_first)
    return tuple(each for name, each in found.items() if name in question.deciding), tuple(prices[:MOST_CHANGES])


def _is_beside(metric: Metric, workloads: set[str]) -> bool:
    return metric.workload in workloads and metric.last in BESIDE


def _worst_first(change: Change) -> tuple[bool, int]:
    places = (Outcome.WORSE, Outcome.UNDECIDED, None, Outcome.SAME, Outcome.BETTER)
    return not change.can_turn, places.index(change.outcome)


def _row(panel: Panel | None, setting: str) -> Row | None:
    return next((row for row in panel.rows if row.scheduler == setting), None) if panel else None


def _change(panel: Panel, setting: str, least: float, unsettled: bool) -> Change:
    row, base = _row(panel, setting), next((row for row in panel.rows if row.is_baseline), None)
    if row is None or row.typical is None or base is None or row.gain is None:
        return Change(panel.metric.name, _label(panel), "", text("graph-empty"), None, can_turn=unsettled)
    words = row.difference if row.outcome in (Outcome.BETTER, Outcome.WORSE) else row.finding
    values = text("from-to", before=_short(base.value, row.value), after=row.value)
    return Change(panel.metric.name, _label(panel), values, words, row.outcome, unsettled or row.gain < least)


def _short(value: str, other: str) -> str:
    """Return a value without its unit where the other has the same."""
    number, _, unit = value.rpartition(" ")
    return number if number and unit == other.rpartition(" ")[2] else value


def _label(panel: Panel) -> str:
    """Return what was done where the figure stands for that, else its own name."""
    facts = WORKLOADS.get(panel.metric.workload)
    if panel.metric.last in BESIDE:
        return text("reading-meanwhile" if panel.metric.last.startswith("read") else "writing-meanwhile")
    return named(facts.activity) if facts and facts.deciding == panel.metric.last else panel.label
