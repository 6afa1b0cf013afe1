# SPDX-License-Identifier: GPL-3.0-or-later
"""A whole result as people see it: answer, set-up, figures, cautions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import inf

from disktuner.presentation.bars import Bars, bars_of
from disktuner.presentation.changes import Change, changes_of
from disktuner.presentation.glance import Glance, glance
from disktuner.presentation.heading import Heading, extent_of, heading_of, more_disks
from disktuner.presentation.panels import Panel, Row, panels
from disktuner.presentation.priorities import priorities_found
from disktuner.presentation.tried import Tried, tried
from disktuner.results.history import Answered, when
from disktuner.results.model import Result
from disktuner.verdict.judge import judge
from disktuner.verdict.model import Verdict
from disktuner.verdict.outcomes import Decision, Outcome
from disktuner.vocabulary.goals import BUDGETS, purpose_of
from disktuner.vocabulary.kinds import KINDS
from disktuner.vocabulary.messages import Message, language, message, named, say, say_all, text
from disktuner.vocabulary.settings import Setting
from disktuner.vocabulary.states import DiskState
from disktuner.vocabulary.units import size


@dataclass(frozen=True, slots=True)
class Presented:
    """Everything that is shown of a result.

    ``glance`` is shown first everywhere. ``title`` is the answer in a few words, ``why`` in sentences, ``reasons`` are
    these one by one if they list what is known so far (else empty). ``setup`` are facts on disk and machine (disk,
    kind, size, file system, kernel, …), ``run`` those on the comparison (goal, rounds, left-out and disturbed samples,
    date, version). ``measured`` says what the result rests on. ``panels`` begin with those that decide; ``tried`` says
    why each setting of a tuning competed. ``cautions`` hold one text per kind, ``priorities`` the findings about I/O
    priorities; ``method`` explains the bars.
    """

    result: Result
    verdict: Verdict
    glance: Glance
    title: str
    why: str
    reasons: tuple[str, ...]
    setup: tuple[str, ...]
    run: tuple[str, ...]
    measured: str
    panels: tuple[Panel, ...]
    cautions: tuple[str, ...]
    priorities: str | None
    method: str
    tried: tuple[Tried, ...]

    @property
    def about(self) -> Setting | None:
        """The setting of the answer: the winner, the one to keep, or the leader."""
        kept = self.verdict.baseline if self.verdict.decision is Decision.KEEP else None
        return self.verdict.winner or kept or self.verdict.leader

    def gain_of(self, setting: Setting | None) -> Row | None:
        """The row of the answer's figure in which a setting is shown to be better; None without one."""
        rows = self.glance.panel.rows if self.glance.panel else ()
        return next((row for row in rows if row.setting == setting and row.outcome is Outcome.BETTER), None)

    @property
    def bars(self) -> Bars | None:
        """The chart of the answer; None if nothing can be shown."""
        return bars_of(self.glance.panel, self.about) if self.glance.panel else None

    @property
    def method_drawn(self) -> str:
        """The method, where bars have single rounds."""
        return say_all((message("how-measured"), message("each-dot")))

    @property
    def heading(self) -> Heading:
        """The heading of the result."""
        return heading_of(self.result)

    @property
    def changes(self) -> tuple[Change, ...]:
        """What the setting in question costs."""
        return changes_of(self.result, self.verdict, self.panels)

    @property
    def candidate(self) -> Setting | None:
        """The setting to try: the winner, or the leader of an undecided result.

        If tuning gains nothing, it is the setting that was tuned, unless the disk had that already.
        """
        plain = None if self.result.had_baseline or not self._is_plain_best else self.verdict.baseline
        return self.verdict.winner or self.verdict.leader or plain

    @property
    def _is_plain_best(self) -> bool:
        return self.result.plan.tunes and self.verdict.decision is Decision.KEEP


def present(result: Result, verdict: Verdict | None = None) -> Presented:
    """Return a result as people see it, judging it if no verdict is given."""
    verdict = verdict or judge(result)
    shown = panels(result, verdict)
    return Presented(
        result,
        verdict,
        glance(result, verdict, shown),
        say(verdict.answer.action),
        say_all(verdict.answer.sentences),
        _reasons(verdict),
        _setup(result),
        _run(result),
        _measured(result),
        shown,
        _cautions(result.warnings),
        say_all(priorities_found(result)) or None,
        text("how-measured"),
        tried(result, verdict),
    )


def _reasons(verdict: Verdict) -> tuple[str, ...]:
    """Return the sentences of an answer that lists what is known so far."""
    said = verdict.answer.sentences
    is_list = verdict.decision not in (Decision.SWITCH, Decision.KEEP) and len(said) > 1
    return tuple(map(say, said)) if is_list else ()


def listed(verdict: Verdict) -> Answered:
    """Return the answer for a list of results, with its leading figure as bars, the best first."""
    made = [comparison for comparison in verdict.comparisons if comparison.metric.name == verdict.leading]
    rows = [(comparison.gain, comparison.setting.name, comparison.value) for comparison in made]
    rows += [(0.0, verdict.baseline.name, comparison.now) for comparison in made[:1]]
    known = sorted((-gain, name, value) for gain, name, value in rows if value and 0 < value < inf)
    longest = max((value for *_, value in known), default=1.0)
    shares = tuple((name, round(value / longest, 3)) for _, name, value in known)
    about = verdict.baseline if verdict.decision is Decision.KEEP else verdict.about
    return verdict.answer.summary, verdict.decision, about.name if about else "", shares


def measure_longer(verdict: Verdict) -> str:
    """Return the label of the button that adds rounds: how long that takes, within the longest budget, or how many."""
    more = verdict.more
    if more is None:
        return text("measure-more")
    if more.seconds:
        longest = max(budget.limits.seconds for budget in BUDGETS.values())
        return text("measure-more-for", seconds=min(more.seconds, longest))
    return text("measure-more-rounds", count=more.rounds)


def result_title(result: Result) -> str:
    """Return disk and time of a result."""
    return text("result-title", disk=_disk(result, "vendor", "model", "name"), when=when(result.created))


def _disk(result: Result, *facts: str) -> str:
    return " ".join(result.disk_called(*facts).split()) or text("unnamed-disk")


def _setup(result: Result) -> tuple[str, ...]:
    disk, machine = result.disk, result.machine
    known, bytes_ = KINDS.get(str(disk.get("kind"))), disk.get("size_bytes")
    is_nameless = not result.disk_called("vendor", "model") and known is not None
    facts = (
        "" if is_nameless else _disk(result, "vendor", "model"),
        named(known.name) if known else "",
        size(bytes_, language().numbers) if isinstance(bytes_, int | float) and bytes_ >= 1e9 else "",
        more_disks(result),
        result.filesystem.fstype,
        text("of-kernel", release=machine.kernel) if machine.kernel else "",
        machine.os,
        machine.cpu,
    )
    return tuple(" ".join(fact.split()) for fact in facts if fact)


def _run(result: Result) -> tuple[str, ...]:
    goal = purpose_of(result.plan.goal)
    invalid = sum(not sample.valid for sample in result.samples)
    disturbed = sum(sample.valid and sample.reason is not None for sample in result.samples)
    facts = (
        text("of-goal", goal=goal.name if goal else result.plan.goal) if result.plan.goal else "",
        text("state-exhausted") if result.plan.state is DiskState.EXHAUSTED else "",
        extent_of(result),
        text("samples-left-out", count=invalid) if invalid else "",
        text("samples-disturbed", count=disturbed) if disturbed else "",
        result.created[:10],
        text("of-version", version=result.app_version).strip(),
    )
    return tuple(fact for fact in facts if fact)


def _measured(result: Result) -> str:
    known = result.disk.get("name")
    shown = [_disk(result, "model", "name"), *(name for name in result.disks if known and name != known)]
    return text(
        "measured-in" if result.filesystem.path else "measured-on",
        count=len(result.samples),
        rounds=message("of-rounds", count=result.rounds),
        disk=" + ".join(shown),
        path=result.filesystem.path,
    )


def _cautions(cautions: Iterable[Message]) -> tuple[str, ...]:
    """Return one text per kind of caution, with its count."""
    kinds: dict[str, list[Message]] = {}
    for caution in cautions:
        kinds.setdefault(caution.id, []).append(caution)
    return tuple(
        text("caution-several", caution=same[0], count=len(same) - 1) if len(same) > 1 else say(same[0])
        for same in kinds.values()
    )
