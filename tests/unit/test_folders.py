# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a user's files are: below the folders of the XDG specification, or its defaults."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from disktuner.cli.main import main
from disktuner.folders import data_folder, state_folder
from disktuner.vocabulary.messages import text

FOLDERS = [(data_folder, "XDG_DATA_HOME", ".local/share"), (state_folder, "XDG_STATE_HOME", ".local/state")]


@pytest.mark.parametrize(("folder", "variable", "usual"), FOLDERS)
def test_only_an_absolute_folder_counts_and_without_one_it_is_the_usual_one(
    folder: Callable[[], Path], variable: str, usual: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", "/home/somebody")
    for value in ("", "relative/folder"):
        monkeypatch.setenv(variable, value)
        assert folder() == Path("/home/somebody", usual, "disktuner")
    monkeypatch.delenv(variable)
    assert folder() == Path("/home/somebody", usual, "disktuner")
    monkeypatch.setenv(variable, "/elsewhere")
    assert folder() == Path("/elsewhere/disktuner")


def test_where_nobody_knows_a_home_the_user_is_told_to_set_one(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for variable in ("HOME", "XDG_DATA_HOME"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setattr("os.getuid", lambda: 2**31)
    assert main(["history"]) == 2
    assert capsys.readouterr().err == f"disktuner: {text('home-unknown')}\n"
