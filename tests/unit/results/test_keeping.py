# SPDX-License-Identifier: GPL-3.0-or-later
"""Places for results are tried beforehand, and a place that fails costs no measurement.

tests/end2end/test_saving.py shows that measuring goes on at the next place, with everything from before.
"""

from __future__ import annotations

import errno
import os
import tempfile
from pathlib import Path

import pytest
from tests.unit.results.test_journal import EMPTY, run

from disktuner.results.keeping import Keeper
from disktuner.results.store import Journal, Store, try_place
from disktuner.vocabulary.messages import Message
from disktuner.writing import NotSaved


def open_files() -> int:
    return len([*Path("/proc/self/fd").iterdir()])


def closed(folder: Path) -> Path:
    """A file in a folder that accepts none."""
    folder.mkdir(exist_ok=True)
    folder.chmod(0o555)
    return folder / "new.json"


def test_where_nothing_can_be_kept_it_is_measured_all_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    messages: list[Message] = []
    monkeypatch.setattr(tempfile, "tempdir", str(closed(tmp_path / "spare").parent))
    with Keeper(Journal(closed(tmp_path / "first"), EMPTY), [], EMPTY, messages.append) as keeper:
        keeper.append(run(0))
        keeper.append(run(1))
        assert keeper.finish(EMPTY) is None
    assert [message.id for message in messages] == ["kept-nowhere"]


def test_what_was_kept_before_no_place_took_more_is_there_and_nobodys_any_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor does a place keep what it could not finish: here the second one."""
    messages: list[Message] = []
    monkeypatch.setattr(tempfile, "tempdir", str(closed(tmp_path / "spare").parent))
    full, open_before = iter((False, True, True)), open_files()

    def sync(_fd: int) -> None:
        if next(full):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("disktuner.results.store.os.fdatasync", sync)
    store = Store(tmp_path / "first")
    journal, places = Journal(store.path_of("new"), EMPTY), [tmp_path / "second/new.json"]
    with Keeper(journal, places, EMPTY, messages.append) as keeper:
        keeper.append(run(0))
        keeper.append(run(1))
        assert keeper.finish(EMPTY) is None
        assert [message.id for message in messages] == ["kept-nowhere"]
        assert open_files() == open_before
        result = store.load("new")
        assert result.samples[0] == run(0).samples[0] and not result.finished
        assert store.annotate("new", "cut off").notes == "cut off"
        assert list((tmp_path / "second").iterdir()) == []


def test_a_place_is_tried_without_a_trace(tmp_path: Path) -> None:
    (tmp_path / "old.json").write_text("old")
    for name in ("old.json", "new.json", "not/yet/there.json"):
        try_place(tmp_path / name)
    for place in (tmp_path, closed(tmp_path / "closed"), tmp_path / "old.json" / "below"):
        with pytest.raises(NotSaved, match="nothing was measured yet"):
            try_place(place)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["closed", "old.json"]
    assert (tmp_path / "old.json").read_text() == "old"
