# SPDX-License-Identifier: GPL-3.0-or-later
"""The mark of a command requested here: nobody else has it, and it holds for that command only."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from disktuner.folders import state_folder
from disktuner.results.definition import Definition
from disktuner.results.mark import is_marked, marked

OWN = Definition("make -B", "make clean", "rm -f out", ("/usr/lib",), folder="/srv")
CHANGES: tuple[dict[str, Any], ...] = (
    *(
        {"command": "sh evil"},
        {"prepare": "sh evil"},
        {"cleanup": "sh evil"},
        {"cold": ("/",)},
        {"shell": "sh -c evil"},
    ),
    *(
        {"folder": "/tmp"},
        {"beside": "both"},
        {"beside": "sh evil"},
        {"limit_s": 1.0},
        {"mark": "0" * 64},
        {"mark": None},
        {"mark": "é"},
    ),
)


def key() -> Path:
    return state_folder() / "key"


def test_what_was_asked_for_here_has_a_mark_that_holds_for_just_that() -> None:
    definition = marked(OWN)
    assert is_marked(definition) and definition == OWN
    assert marked(definition).mark == definition.mark, "the same again"
    assert not is_marked(OWN)
    assert [change for change in CHANGES if is_marked(replace(definition, **change))] == []
    assert (key().stat().st_mode & 0o777, key().parent.stat().st_mode & 0o777) == (0o600, 0o700)


def test_another_user_s_mark_is_none_here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    definition = marked(OWN)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert not is_marked(definition), "there is no key yet"
    assert marked(OWN).mark != definition.mark and not is_marked(definition)


def test_a_key_that_others_know_or_chose_marks_nothing(tmp_path: Path) -> None:
    definition = marked(OWN)
    for mode in (0o640, 0o604):
        key().chmod(mode)
        assert not is_marked(definition) and marked(OWN).mark is None
    key().chmod(0o600)
    key().parent.chmod(0o777)
    assert not is_marked(definition) and marked(OWN).mark is None
    key().parent.chmod(0o700)
    assert is_marked(definition)
    key().rename(tmp_path / "known")
    key().symlink_to(tmp_path / "known")
    assert not is_marked(definition)
    key().unlink()
    os.mkfifo(key())
    assert not is_marked(definition) and marked(OWN).mark is None


def test_all_that_is_run_is_shown_whole() -> None:
    long = Definition("make -B " + "x" * 200, "prepare " + "y" * 200, "clean " + "z" * 200)
    commands = [dict(notice.pairs)["command"] for notice in long.shown]
    assert commands == [long.command, long.prepare, long.cleanup]
    assert [notice.id for notice in Definition(program="editor").shown] == ["own-will-start"]
    assert [notice.id for notice in Definition("a", shell=None).shown] == ["own-will-run-bare"]
