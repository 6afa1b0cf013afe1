# SPDX-License-Identifier: GPL-3.0-or-later
"""How a terminal of 40 lines by 80 columns shows results of all kinds; figures: tests/gui/test_figures_agree.py."""

from __future__ import annotations

import io
import math
import re
import shlex

import pytest
from rich.cells import cell_len
from tests.unit.cli.kinds import every
from tests.unit.verdict.making import LAUNCH, made

from disktuner.cli.glance import show_glance, steps_after
from disktuner.cli.screen import Screen
from disktuner.presentation import Presented, present
from disktuner.results.codec import decode, encode
from disktuner.verdict.outcomes import Decision

RESULTS = every()
CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
NAME = "20261125-1251"


class Terminal(io.StringIO):
    """A terminal that keeps its output."""

    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def _usual_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "COLORTERM"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "80")


def drawn(shown: Presented, stream: io.StringIO) -> str:
    show_glance(Screen(stream), shown, tuple(steps_after(shown, NAME, ("sda",))), just_measured=True)
    return CONTROL.sub("", stream.getvalue())


@pytest.fixture(params=RESULTS)
def shown(request: pytest.FixtureRequest) -> Presented:
    return present(RESULTS[request.param])


def test_all_kinds_are_here() -> None:
    assert {present(result).verdict.decision for result in RESULTS.values()} == set(Decision)


def test_it_fits_a_terminal_and_ends_with_the_answer_and_commands(shown: Presented) -> None:
    lines = drawn(shown, Terminal()).splitlines()
    assert len(lines) <= 40
    assert not [line for line in lines if cell_len(line) > 80 and " disktuner " not in line]
    answer = next(at for at, line in enumerate(lines) if line[:1] in "✔±=?" and shown.title in line)
    assert all(line.startswith("  ") for line in lines[answer + 1 :])
    assert f"disktuner export {NAME}" in "\n".join(lines[answer + 1 :])


def test_a_price_beyond_its_tolerance_is_named(shown: Presented) -> None:
    text = drawn(shown, Terminal())
    for price in shown.result.question.prices if shown.verdict.winner else ():
        comparison = shown.verdict.comparison(price.metric, shown.verdict.winner)
        if comparison and comparison.estimate and comparison.estimate.gain < math.log(price.least_gain()):
            (change,) = (change for change in shown.changes if change.metric == price.metric)
            assert (change.can_turn or price.beside) and change.values in text


def test_two_rows_never_carry_the_same_label(shown: Presented) -> None:
    labels = [change.label for change in shown.changes]
    assert len(set(labels)) == len(labels)


def test_where_the_locale_has_no_other_signs_it_is_ascii(monkeypatch: pytest.MonkeyPatch, shown: Presented) -> None:
    lines = drawn(shown, Terminal()).splitlines()
    monkeypatch.setattr("locale.getencoding", lambda: "ANSI_X3.4-1968")
    plain = drawn(shown, Terminal())
    assert plain.isascii() and list(map(len, plain.splitlines())) == list(map(len, lines))


def test_piped_it_is_the_same_without_colour_and_progress(shown: Presented) -> None:
    piped, terminal = io.StringIO(), drawn(shown, Terminal())
    show_glance(Screen(piped), shown, tuple(steps_after(shown, NAME, ("sda",))), just_measured=True)
    assert "\x1b" not in piped.getvalue() and "━" not in piped.getvalue()
    assert piped.getvalue().split() == terminal.replace("━", "").split()


def test_a_command_to_copy_runs_nothing_that_a_file_or_a_disk_is_called() -> None:
    """A result may come from anybody."""
    forged = decode(encode(made({(LAUNCH, "bfq"): 0.3}, metrics=(LAUNCH,))).replace('"bfq"', '"bfq;reboot"'))
    file = "my $(reboot).json"
    try_, keep, *others = (step.command for step in steps_after(present(forged), file, ("cciss!c0d0",)))
    assert shlex.split(try_) == ["disktuner", "set", "cciss!c0d0", "bfq;reboot"]
    assert keep == "disktuner set 'cciss!c0d0' 'bfq;reboot' --persist"
    assert others and all(f"'{file}'" in command for command in others)
    several = next(steps_after(present(forged), file, ("sda", "sdb"))).command
    assert several == """for disk in sda sdb; do disktuner set "$disk" 'bfq;reboot'; done"""
