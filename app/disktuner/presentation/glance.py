# SPDX-License-Identifier: GPL-3.0-or-later
"""The answer at one glance: what to do, how sure, a sentence with its figures, the panel that shows them, the price.

The figure is that of the goal's leading workload; where several decide and that one does not show the gain, it is the
score of all of them. Everybody who shows a result states this one first, and no other.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from disktuner.presentation.panels import Panel, Row, compared_row, make_panel
from disktuner.results.model import Result
from disktuner.verdict.judge import outcome
from disktuner.verdict.model import Contrast, Outcome, Verdict
from disktuner.verdict.why import subject_of
from disktuner.vocabulary.differences import difference_of_gain, gain_message
from disktuner.vocabulary.goals import purpose_of
from disktuner.vocabulary.messages import Message, message, say, say_all, text
from disktuner.vocabulary.metrics import Better, Metric, Wording, words_of
from disktuner.vocabulary.settings import Setting

_GAINS = frozenset(("nothing-better", "no-practical-difference", "no-more-than", "leads"))
_WRITTEN = "bytes_per_s"
_CONDITIONS = frozenset(("if-so-much", "if-unknown"))


@dataclass(frozen=True, slots=True)
class Glance:
    """``title`` says what to do, ``sure`` how sure that is (empty where nothing is).

    ``panel`` holds the figures of ``sentence``, None where nothing can be shown. ``price`` is all that gets worse
    beyond what is accepted, else the worst of it, empty where nothing does; ``turns`` says that it may turn the answer.
    """

    title: str
    sure: str
    sentence: str
    panel: Panel | None
    price: str
    turns: bool

    @property
    def spoken(self) -> str:
        """Return the answer for those who hear it."""
        return text("spoken-result", answer=self.title, why=self.sentence)


def glance(result: Result, verdict: Verdict, shown: Iterable[Panel], title: str) -> Glance:
    """Return the glance at a result of which these panels are shown; ``title`` is the answer in a few words."""
    panels = {panel.metric.name: panel for panel in shown}
    about = verdict.winner or verdict.leader
    panel = _panel(result, verdict, panels)
    measured = {
        name: each for name, each in panels.items() if any(row.setting == about and row.gain for row in each.rows)
    }
    price, turns = _price(result, verdict, measured, about) if about else ("", False)
    return Glance(title, _sure(verdict), _sentence(result, verdict, panel, about), panel, price, turns)


def _sure(verdict: Verdict) -> str:
    if verdict.winner is not None:
        return text("glance-sure")
    return "" if verdict.chance is None else text("glance-likely", chance=min(max(verdict.chance, 0.01), 0.99))


def _sentence(result: Result, verdict: Verdict, panel: Panel | None, about: Setting | None) -> str:
    if about is None or panel is None or (verdict.winner is None and panel.metric.name == _SCORE):
        return say_all([each for each in verdict.why if each.id in _GAINS] or verdict.why)
    if panel.metric.name != _SCORE:
        said = "glance-gain-daily-use" if result.was_daily_use else "glance-gain"
        return say(_instead(said, result, panel, about))
    found = verdict.score[about]
    difference = gain_message(panel.metric.words, found.ci_low or 1.0, found.ratio)
    goal = purpose_of(result.plan.goal)
    purpose = message("purpose", purpose=goal.purpose) if goal else message("all-that-decides")
    return text("winner-gains", winner=about.name, difference=difference, subject=purpose)


def _instead(id_: str, result: Result, panel: Panel, about: Setting, **more: str) -> Message:
    """Say what there is instead of what there was."""
    rows = {row.setting: row.value for row in panel.rows}
    subject = subject_of(panel.metric, result.question)
    return message(id_, value=rows[about], now=rows[result.plan.baseline], subject=subject, **more)


def _panel(result: Result, verdict: Verdict, panels: Mapping[str, Panel]) -> Panel | None:
    parts = [part for part in result.question.parts if part.metric in panels]
    if not parts:
        return next(iter(panels.values()), None)
    if verdict.leading in panels or not verdict.figures:
        return panels.get(verdict.leading or parts[0].metric)
    return _of_score(result, verdict, words_of(panels[part.metric].metric for part in parts))


def _is_worse(panel: Panel, about: Setting) -> bool:
    return any(row.setting == about and row.outcome is Outcome.WORSE for row in panel.rows)


def _gain(panel: Panel, about: Setting) -> float:
    return next((row.gain for row in panel.rows if row.setting == about and row.gain), 1.0)


_SCORE = "score"


def _of_score(result: Result, verdict: Verdict, words: Wording) -> Panel:
    """Return the score of all that decides as a panel of its own."""
    goal = purpose_of(result.plan.goal)
    said = message("glance-score", purpose=goal.purpose) if goal else message("all-that-decides")
    metric = Metric(_SCORE, "", Better.HIGHER, "", words, said)
    rows = [_baseline(verdict.baseline)]
    for setting, found in verdict.score.items():
        ends = (found.ci_low, found.ci_high)
        contrast = Contrast(_SCORE, setting, found.n, found.ratio, *ends, outcome(*ends))
        rows.append(_said_once(compared_row(metric, contrast, "", found.ratio)))
    return make_panel(metric, tuple(rows), decides=True)


def _said_once(row: Row) -> Row:
    """Return the row of a score without a value: that is the difference itself, which stands beside it."""
    return replace(row, spoken=text("row-alone", scheduler=row.setting.name, value=row.words))


def _baseline(setting: Setting) -> Row:
    now = text("had-before")
    return _said_once(Row(setting, True, 0, 1.0, "", now, gain=1.0, words=now))


def _price(result: Result, verdict: Verdict, panels: Mapping[str, Panel], about: Setting) -> tuple[str, bool]:
    """Return what a setting is shown to cost beyond what is accepted, else the worst; whether that turns the answer.

    Where nothing that counts gets worse it is what is written meanwhile.
    """
    if conditions := [each for each in verdict.why if each.id in _CONDITIONS]:
        return say_all(conditions), True
    beyond = sorted((each for each in verdict.beyond if each.metric in panels), key=lambda each: each.measured or 0.0)
    if beyond:
        return say_all(_beyond(result, panels[each.metric], about, each.least) for each in beyond), True
    counted = [panels[name] for name in result.question.metrics if name in panels]
    lost = [[each for each in some if _is_worse(each, about)] for some in (counted, _written(panels, counted))]
    worst = min(lost[0] or lost[1], key=lambda panel: _gain(panel, about), default=None)
    return ("" if worst is None else say(_instead("glance-price", result, worst, about))), False


def _written(panels: Mapping[str, Panel], counted: Sequence[Panel]) -> list[Panel]:
    """Return what is written while something counts: it has no tolerance, but whoever copies notices it."""
    workloads = {each.metric.workload for each in counted if each.decides}
    return [each for each in panels.values() if each.metric.workload in workloads and each.metric.unit == _WRITTEN]


def _beyond(result: Result, panel: Panel, about: Setting, least: float) -> Message:
    most = say(difference_of_gain(panel.metric.words, least))
    return _instead("glance-price-beyond", result, panel, about, most=most)
