# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables on terminals and elsewhere: colours only on request, and nothing that a terminal would obey."""

from __future__ import annotations

import errno
import io
import os
import sys
from collections.abc import Callable

import pytest
from tests.unit.cli.test_glance import CONTROL, Terminal

from disktuner.block.counters import Figures
from disktuner.cli.progress import Progress
from disktuner.cli.screen import Column, Screen, table
from disktuner.cli.streams import Printable, printable_only
from disktuner.experiment.events import LivePoint, Phase, RunStarted
from disktuner.experiment.progress import Advance
from disktuner.vocabulary.messages import message
from disktuner.vocabulary.settings import Setting

EVIL = "\x1b[2J[red]x[/red] :smile: \u202e"
COLUMNS = (Column("A", "bold"), Column("B", right=True), Column("C", "cyan", wraps=True))


@pytest.fixture
def environment(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Set a terminal's environment; by default a common one, 80 columns wide."""

    def have(**variables: str) -> None:
        for name in ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "COLORTERM"):
            monkeypatch.delenv(name, raising=False)
        for name, value in {"TERM": "xterm-256color", "COLUMNS": "80", **variables}.items():
            monkeypatch.setenv(name, value)

    return have


def drawn(stream: io.StringIO, *cells: str) -> str:
    Screen(stream).show(table(COLUMNS, [cells]), cells[0])
    return stream.getvalue()


@pytest.mark.parametrize(
    ("stream", "variables"),
    [
        (io.StringIO, {"FORCE_COLOR": "1"}),
        (io.StringIO, {}),
        (Terminal, {"NO_COLOR": "1"}),
        (Terminal, {"TERM": "dumb"}),
    ],
)
def test_others_get_plain_text(
    stream: type[io.StringIO], variables: dict[str, str], environment: Callable[..., None]
) -> None:
    environment(**variables)
    screen = drawn(stream(), "a", "12", "c")
    assert [line.rstrip() for line in screen.splitlines()] == ["A   B  C", "a  12  c", "a"]


@pytest.mark.parametrize("stream", [io.StringIO, Terminal])
def test_what_strangers_wrote_is_only_shown(stream: type[io.StringIO], environment: Callable[..., None]) -> None:
    environment(COLUMNS="200")
    screen = drawn(stream(), EVIL, "1", f"{EVIL}\n{EVIL}")
    assert r"\u001b[2J[red]x[/red] :smile: \u202e" in screen
    assert CONTROL.sub("", screen).replace("\n", "").isprintable()
    assert len(screen.rstrip("\n").split("\n")) == 3, "a line feed breaks no row"


def run(left_s: float) -> RunStarted:
    return RunStarted("dd-write", Setting("bfq"), 0, 2, Advance(0.25, 0.5, 30.0, left_s))


def point() -> LivePoint:
    return LivePoint(1.0, 2, Setting("bfq"), Figures(0.1, 1.0, 0.0, 64e6, 0.0, 0.0, 0.0, None, None, 0.0, 0.0))


def test_the_bar_shows_what_runs_how_fast_and_what_is_left(
    environment: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    environment()
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    with printable_only():
        assert isinstance(sys.stderr, Printable)
        progress = Progress()
        progress(run(125.9))
        progress(point())
        progress.close()
    screen = CONTROL.sub("", stream.getvalue())
    assert "━" in screen and "At most 2:05 left, round 1" in screen
    assert "bfq: writing one big file  read 64 MB/s, write 0 B/s" in screen
    assert stream.getvalue().endswith("\x1b[2K"), "the bar is cleared at the end"


class Full(io.StringIO):
    """A log on a disk that is full."""

    def write(self, _: str) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_no_remark_is_worth_a_measurement(environment: Callable[..., None], monkeypatch: pytest.MonkeyPatch) -> None:
    environment()
    monkeypatch.setattr(sys, "stderr", Full())
    with printable_only():
        progress = Progress()
        progress(Phase(message("measuring")))
        progress.close()
