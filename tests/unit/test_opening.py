# SPDX-License-Identifier: GPL-3.0-or-later
"""A pipe in place of a file is never waited for: in the store, among the notes, as an index or an entry."""

from __future__ import annotations

import ast
import os
from pathlib import Path

import pytest
from tests.unit.vocabulary.syntax import modules

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
    sentence = text("no-results" if name == INDEX else "no-regular-file", file=str(folder / "pipe.json"))
    assert sentence in capsys.readouterr().out
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


ASKING = frozenset(
    {"exists", "is_file", "is_dir", "is_symlink", "is_mount", "is_socket", "is_fifo", "resolve", "glob", "rglob"}
)
"""Python's questions about a path that raise where a folder is closed, a name too long or a link leads to itself."""
TOLD = ("opening.py", "workloads/sql.py")
"""Where the helper of the others is, and what PostgreSQL leaves in a folder of our own."""


def test_only_one_place_asks_whether_something_is_there() -> None:
    calls = [
        f"{module.path}:{node.lineno}"
        for module in modules()
        if module.path not in TOLD
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in ASKING
        and not (node.args and node.func.attr not in {"glob", "rglob"})
        and not node.keywords
        and "__file__" not in ast.unparse(node)
        and "resources" not in ast.unparse(node)
    ]
    assert not calls, "use is_there, is_file and is_folder of opening.py"
