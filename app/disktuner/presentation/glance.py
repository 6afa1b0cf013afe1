# SPDX-License-Identifier: GPL-3.0-or-later
"""The answer at a glance: what to do, how sure that is, a sentence with figures, the panel that shows them, the price.

Every view of a result states this first, and no other figure.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from disktuner.presentation.certainty import Certainty, certainty_of
from disktuner.presentation.panels import Panel, Row, baseline_words, compared_row, make_panel
from disktuner.results.model import Result
from disktuner.verdict.answer import subject_of, values_of
from disktuner.verdict.effects import ratio_of
from disktuner.verdict.model import Comparison, Estimate, Verdict
from disktuner.verdict.outcomes import Decision, Outcome
from disktuner.vocabulary.goals import purpose_of
from disktuner.vocabulary.messages import literal, message, say, say_all, text
from disktuner.vocabulary.metrics import Better, Metric, words_of
from disktuner.vocabulary.settings import Setting


@dataclass(frozen=True, slots=True)
class Glance:
    """``title`` says what to do, ``sure`` how sure that is (empty if nothing is).

    ``headline`` states the figures of ``panel``, which is None if nothing can be shown; ``parts`` say what is known
    about everything else that decides. ``price`` is all that gets worse beyond the accepted, else the worst change;
    ``turns``: it may turn the answer; ``prices`` are its figures for the current setting and the one in question. If
    the headline has two figures, ``subject`` is the activity, ``value`` the new figure and ``instead`` the old one, if
    they say how long or well it goes. Texts are empty, and ``certainty`` None, if nothing is known.
    """

    title: str
    sure: str
    headline: str
    parts: str
    panel: Panel | None
    price: str
    turns: bool
    prices: tuple[Panel, ...] = ()
    subject: str = ""
    value: str = ""
    instead: str = ""
    certainty: Certainty | None = None

    @property
    def sentence(self) -> str:
        """The headline and what is known about the other parts."""
        return say_all((literal(self.headline), *([literal(self.parts)] if self.parts else ())))

    @property
    def spoken(self) -> str:
        """The answer for screen readers."""
        return text("spoken-result", answer=self.title, why=self.headline)


def glance(result: Result, verdict: Verdict, shown: Iterable[Panel]) -> Glance:
    """Return the glance at a result with these panels."""
    answer, panels = verdict.answer, {panel.metric.name: panel for panel in shown}
    return Glance(
        say(answer.action),
        say(answer.certainty) if answer.certainty else "",
        say(answer.headline),
        say_all(answer.parts),
        None if answer.unfelt else _panel(result, verdict, panels),
        say_all(answer.costs),
        verdict.decision in (Decision.CONDITIONAL, Decision.TRADE_OFF),
        tuple(_of_two(panels[name], verdict) for name in answer.priced if name in panels),
        *_figures(result, verdict),
        certainty_of(verdict),
    )


def _of_two(panel: Panel, verdict: Verdict) -> Panel:
    """Return a panel with only the current setting and the one in question."""
    shown = (row for row in panel.rows if row.is_baseline or row.setting == verdict.about)
    return replace(panel, rows=tuple(shown))


def _figures(result: Result, verdict: Verdict) -> tuple[str, str, str]:
    """Return the activity, its new value and its old one; empty if the headline has no figures of the activity."""
    made = verdict.comparison(verdict.leading or "", verdict.about)
    if made is None or made.value is None or made.now is None:
        return "", "", ""
    values = values_of(made, verdict)
    subject = text("glance-subject", subject=subject_of(made.metric, result.question))
    if result.was_daily_use:
        return subject, "", ""  # only the headline says what the figures are
    return subject, say(values["value"]), text("glance-instead", now=values["now"])


def _panel(result: Result, verdict: Verdict, panels: Mapping[str, Panel]) -> Panel | None:
    """Return the panel of the figure that the headline states; that of the score if it states the mean.

    None if nothing was measured that counts for the goal.
    """
    if purpose_of(result.plan.goal) and not result.question.parts:
        return None
    parts = [panels[name] for name in result.question.deciding if name in panels]
    if verdict.leading in panels:
        return panels[verdict.leading or ""]
    if not parts or len(parts) == 1 or _are_alike(parts) or not _scores(verdict):
        return next(iter(parts or panels.values()), None)
    return _of_score(result, verdict, parts)


def _are_alike(parts: Iterable[Panel]) -> bool:
    """Whether nothing that decides differs, so that the score would show less than the measurements."""
    return all(row.outcome in (None, Outcome.SAME) for panel in parts for row in panel.rows)


def _scores(verdict: Verdict) -> Mapping[Setting, Estimate]:
    known = {setting: assessment.estimate for setting, assessment in verdict.assessments.items()}
    return {setting: estimate for setting, estimate in known.items() if estimate}


def _of_score(result: Result, verdict: Verdict, parts: Iterable[Panel]) -> Panel:
    """Return the score of everything that decides as a panel whose values are the differences."""
    metric = Metric("score", "", Better.HIGHER, "", words_of(panel.metric for panel in parts), message("glance-score"))
    now = baseline_words(result)
    first = Row(verdict.baseline, True, 0, 1.0, "", Estimate(0.0, 0.0, 0.0), difference=now, words=now)
    rows = (compared_row(score_comparison(metric, setting, estimate), "", ratio_of(estimate.gain))
            for setting, estimate in _scores(verdict).items())  # fmt: skip
    named = (
        replace(row, spoken=text("row-alone", scheduler=row.setting.name, value=row.words)) for row in (first, *rows)
    )
    return make_panel(metric, tuple(named), decides=True)


def score_comparison(metric: Metric, setting: Setting, score: Estimate) -> Comparison:
    """Return a score as a comparison."""
    return Comparison(metric, setting, score.outcome(), score, score)
