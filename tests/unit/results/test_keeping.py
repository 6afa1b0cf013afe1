# SPDX-License-Identifier: GPL-3.0-or-later
"""What is measured is kept at the first place that takes it, whole, and the old place is left as it was."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest
from tests.unit.results.test_journal import EMPTY, run

from disktuner.results.codec import load
from disktuner.results.keeping import Keeper
from disktuner.results.model import NotSaved, Result
from disktuner.results.store import Journal, Store, try_place
from disktuner.vocabulary.messages import Message


@pytest.fixture
def spare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where temporary files lie."""
    folder = tmp_path / "spare"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def closed(folder: Path) -> Path:
    """A file in a folder that takes none."""
    folder.mkdir(exist_ok=True)
    folder.chmod(0o555)
    return folder / "new.json"


def test_it_goes_on_where_there_is_room_with_all_from_before(tmp_path: Path, spare: Path) -> None:
    told: list[Message] = []
    store = Store(tmp_path / "store")
    with Keeper(store.journal(EMPTY), [closed(tmp_path / "second")], EMPTY, told.append) as keeper:
        keeper.append(run(0))
        os.truncate(store.path_of("new").with_name("new.json.journal"), 0)  # what the first one holds is not needed
        keeper.append(run(1))
        closed(store.folder)
        result: Result = EMPTY.plus(run(0)).plus(run(1)).plus(run(2))
        keeper.append(run(2))
        path = keeper.finish(result)
    assert path and path.parent.parent == spare and load(path) == result
    assert path.parent.stat().st_mode & 0o077 == 0, "nobody else's business"
    assert [(each.id, each.values["kept"]) for each in told] == [("kept-elsewhere", str(path))]


def test_where_nothing_can_be_kept_it_is_measured_all_the_same(tmp_path: Path, spare: Path) -> None:
    told: list[Message] = []
    closed(spare)
    with Keeper(Journal(closed(tmp_path / "first"), EMPTY), [], EMPTY, told.append) as keeper:
        keeper.append(run(0))
        keeper.append(run(1))
        assert keeper.finish(EMPTY) is None
    assert [each.id for each in told] == ["kept-nowhere"]


def test_a_place_is_tried_without_a_trace(tmp_path: Path) -> None:
    (tmp_path / "old.json").write_text("old")
    for name in ("old.json", "new.json", "not/yet/there.json"):
        try_place(tmp_path / name)
    for place in (tmp_path, closed(tmp_path / "closed"), tmp_path / "old.json" / "below"):
        with pytest.raises(NotSaved, match="nothing was measured yet"):
            try_place(place)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["closed", "old.json"]
    assert (tmp_path / "old.json").read_text() == "old"
