# SPDX-License-Identifier: GPL-3.0-or-later
"""A result on a terminal: one chart, what else changes, the answer, and the next commands."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from disktuner.cli.screen import Screen, cell
from disktuner.presentation import Bar, Change, Heading, Presented, other_goals
from disktuner.verdict.outcomes import Decision, Outcome
from disktuner.vocabulary.messages import say_all, text

WIDTH = 80
"""The width that everything fits; wider terminals only break fewer lines."""
LONGEST_BAR, SHORTEST_BAR = 22, 6
LONGEST_LABEL = 38
STYLES = {Outcome.BETTER: "green", Outcome.WORSE: "red", Outcome.SAME: "", Outcome.UNDECIDED: "dim", None: ""}
_SIGNS = {
    Decision.SWITCH: ("✔", "bold green"),
    Decision.CONDITIONAL: ("✔", "bold yellow"),
    Decision.TRADE_OFF: ("±", "bold yellow"),
    Decision.KEEP: ("=", "bold"),
    Decision.UNDECIDED: ("?", "bold"),
}
_EIGHTHS = " ▏▎▍▌▋▊▉"


@dataclass(frozen=True, slots=True)
class Step:
    """A command to copy: its purpose, the command, and a remark."""

    name: str
    command: str
    remark: str = ""


def show_glance(screen: Screen, shown: Presented, steps: Sequence[Step] = (), *, just_measured: bool = False) -> None:
    """Draw the result in at most 40 lines of 80 columns."""
    show_heading(screen, shown.heading, just_measured=just_measured)
    if shown.bars:
        screen.show(cell(shown.bars.title, "bold"), _indented(_chart(shown.bars.bars, min(screen.width, WIDTH))))
        if shown.bars.hidden:
            screen.show(_indented(cell(text("rows-more", count=shown.bars.hidden), "dim")))
    if shown.changes:
        about = shown.verdict.about
        of = text("glance-prices", setting=about.name if about else None)
        screen.show(cell(of, "bold"), _indented(_changes(shown.changes)))
    show_answer(screen, shown)
    _show_steps(screen, steps)


def steps_after(shown: Presented, name: str, disks: Sequence[str], *, other_goal: str = "") -> Iterator[Step]:
    """Yield what can be done with a result, which is found by its ``name``, a file or an id (empty: nowhere).

    ``disks`` are those to which the answer can be applied, none where that is not known. ``other_goal`` is what it is
    judged for instead of what it was measured for, which is what continuing and exporting it would be about.
    """
    setting, more = shown.candidate, shown.verdict.more
    if disks and setting and shown.verdict.decision is not Decision.UNDECIDED:
        yield Step(text("step-try"), _set(disks, setting.name), text("until-restart"))
        yield Step(text("step-keep"), _set(disks, setting.name, "--persist"))
    if name:
        judged = (name, "--goal", other_goal) if other_goal else (name,)
        if (more or not shown.result.finished) and not shown.result.was_daily_use and not other_goal:
            remark = text("about-so-long", seconds=more.seconds) if more and more.seconds else ""
            yield Step(text("step-surer"), _command("compare", "--continue", name), remark)
        if not other_goal:
            yield Step(text("step-show"), _command("export", name, "--to", "card.png"))
        if goals := other_goals(shown.result):
            yield Step(text("step-other-goal"), _command("verdict", name, "--goal", goals[0].id))
        if others := _others(shown):
            remark = text("more-figures", count=others)
            yield Step(text("step-all"), _command("verdict", *judged, "--all"), remark)


def _others(shown: Presented) -> int:
    """Return how many other figures there are."""
    named = {*shown.result.question.deciding, *(change.metric for change in shown.changes)}
    return sum(panel.metric.name not in named for panel in shown.panels)


def _set(disks: Sequence[str], *setting: str) -> str:
    if len(disks) == 1:
        return _command("set", disks[0], *setting)
    return f'for disk in {shlex.join(disks)}; do disktuner set "$disk" {shlex.join(setting)}; done'


def _command(*words: str) -> str:
    """Return a command to copy: names come from files and disks, and a shell must take each for one word."""
    return shlex.join(("disktuner", *words))


def show_heading(screen: Screen, heading: Heading, *, just_measured: bool = False) -> None:
    """Draw what was measured, for what, and for how long."""
    disk = cell(f"{heading.disks}  " if heading.disks else "", "bold").append_text(cell(heading.facts, "not bold"))
    asked = cell("   ".join(filter(None, (heading.goal, heading.now))), "not bold")
    free = min(screen.width, WIDTH) - disk.cell_len - asked.cell_len
    screen.show(*([disk.append(" " * free).append_text(asked)] if free >= 3 else [disk, asked]))
    run = cell(heading.run, "dim")
    if just_measured and screen.moves:
        run = cell("━" * (WIDTH - 2 - run.cell_len), "cyan").append("  ").append_text(run)
    screen.show(run)


def _chart(bars: Sequence[Bar], width: int) -> Table:
    """Return the bars in the room that the words leave."""
    names, values, words = (
        max(map(cell_len, column)) for column in zip(*((bar.name, bar.value, bar.words) for bar in bars), strict=True)
    )
    room = width - 2 - 6 - names - values - words
    length = min(LONGEST_BAR, max(SHORTEST_BAR, room))
    drawn = Table.grid(padding=(0, 2, 0, 0))
    drawn.add_column(overflow="fold", max_width=max(names - max(0, length - room), 10))
    drawn.add_column(no_wrap=True, justify="right")
    drawn.add_column(no_wrap=True)
    if words:
        drawn.add_column()
    longest = max(bar.share for bar in bars) or 1.0
    for bar in bars:
        style = STYLES[bar.outcome]
        name = cell(bar.name, "bold" if bar.stands_out else "")
        cells = (name, cell(bar.value), cell(_drawn(bar, length / longest), style), cell(bar.words, style))
        drawn.add_row(*cells[: len(drawn.columns)])
    return drawn


def _drawn(bar: Bar, length: float) -> str:
    """Return a bar; undecided ones are faint."""
    if not bar.share:
        return ""
    eighths = max(1, round(bar.share * length * 8))
    if bar.outcome is Outcome.UNDECIDED:
        return "░" * max(1, round(eighths / 8))
    return ("█" * (eighths // 8) + _EIGHTHS[eighths % 8]).rstrip()


def _changes(changes: Sequence[Change]) -> Table:
    drawn = Table.grid(padding=(0, 2, 0, 0))
    drawn.add_column(max_width=LONGEST_LABEL)
    drawn.add_column(no_wrap=True, justify="right")
    drawn.add_column()
    for change in changes:
        words = f"{change.words} ⚠" if change.can_turn else change.words
        style = "yellow" if change.can_turn else STYLES[change.outcome]
        drawn.add_row(cell(change.label), cell(change.values), cell(words, style))
    return drawn


def show_answer(screen: Screen, shown: Presented) -> None:
    """Draw the answer with its figures, its price, and what more certainty would take."""
    sign, style = _SIGNS[shown.verdict.decision]
    glance = shown.glance
    answer = Table.grid(padding=(0, 1, 0, 0))
    answer.add_row(cell(sign, style), cell(f"{glance.title} ({glance.sure})" if glance.sure else glance.title, style))
    screen.show(answer)
    said = shown.verdict.answer
    more = [*said.ruled_out, *filter(None, (said.effort,)), *said.notes]
    screen.show(_indented(cell(" ".join(filter(None, (glance.sentence, glance.price, say_all(more)))))))


def _show_steps(screen: Screen, steps: Sequence[Step]) -> None:
    """Print commands without line breaks, so that they can be copied."""
    names = max((cell_len(step.name) for step in steps), default=0)
    commands = max((len(step.command) for step in steps if step.remark), default=0)
    for step in steps:
        line = f"  {step.name}{' ' * (names - cell_len(step.name))}  {step.command}"
        aligned = f"{line}{' ' * (commands - len(step.command))}  {step.remark}".rstrip()
        close = f"{line}  {step.remark}".rstrip()
        screen.show_unbroken(cell(next((form for form in (aligned, close) if cell_len(form) <= WIDTH), line)))


def _indented(drawn: Table | Text) -> Padding:
    return Padding(drawn, (0, 0, 0, 2), expand=False)
