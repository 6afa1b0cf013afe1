# SPDX-License-Identifier: GPL-3.0-or-later
"""A pipe in the place of a file is never waited for: in the store, among the notes, as an index or an entry."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from disktuner.cli.main import main
from disktuner.experiment.scratch import Leftovers
from disktuner.folders import state_folder
from disktuner.opening import NoRegularFile, open_regular
from disktuner.private_folder import new_name
from disktuner.results.history import INDEX
from disktuner.results.store import Store
from disktuner.vocabulary.errors import NoSuchThing
from disktuner.vocabulary.messages import text
from disktuner.workloads.programs import find_program


def test_only_a_regular_file_is_opened(tmp_path: Path) -> None:
    pipe, file = tmp_path / "pipe", tmp_path / "file"
    os.mkfifo(pipe)
    for odd in (pipe, tmp_path, Path("/dev/zero")):
        for flags in (os.O_RDONLY, os.O_WRONLY):
            with pytest.raises((NoRegularFile, PermissionError)):
                open_regular(odd, flags)
    os.close(open_regular(file, os.O_WRONLY | os.O_CREAT))
    assert file.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("name", ["pipe.json", "pipe.json.journal", INDEX])
def test_a_pipe_in_the_store_ends_no_list(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    folder = Store().folder
    folder.mkdir(parents=True)
    os.mkfifo(folder / name)
    assert main(["history"]) == 0
    said = text("no-results" if name == INDEX else "no-regular-file", file=str(folder / "pipe.json"))
    assert said in capsys.readouterr().out
    for words in (["verdict", "pipe"], ["history", "--note", "pipe", "x"]):
        assert main(words) == 2, "it is named, or there is no such result"


def test_a_pipe_that_was_named_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert main(["verdict", str(tmp_path / "pipe")]) == 2
    assert text("no-regular-file", file=str(tmp_path / "pipe")) in capsys.readouterr().err


def test_a_pipe_among_the_notes_or_entries_is_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    notes = state_folder()
    notes.mkdir(parents=True)
    os.mkfifo(notes / new_name())
    assert Leftovers().find() == ()
    entries = tmp_path / "share/applications"
    entries.mkdir(parents=True)
    os.mkfifo(entries / "odd.desktop")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "share"))
    with pytest.raises(NoSuchThing):
        find_program("odd")
