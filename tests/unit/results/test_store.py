# SPDX-License-Identifier: GPL-3.0-or-later
"""Where results are stored: nothing is lost or half-written, and no id leads out of the folder."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from pathlib import Path

import pytest

from disktuner.results.codec import journal_of, load
from disktuner.results.history import Answered, History, known_entries
from disktuner.results.model import Addition, NoSuchResult
from disktuner.results.store import Store, try_place
from disktuner.vocabulary.errors import DisktunerError
from disktuner.vocabulary.messages import Language, literal, speaking
from disktuner.writing import NotSaved, write_atomically

WRITE_UP_A = Path(__file__).parents[2] / "data" / "results" / "write-up-a.json"


def test_saved_is_loaded_annotated_and_removed(tmp_path: Path) -> None:
    store, result = Store(tmp_path / "new"), load(WRITE_UP_A)
    assert load(store.save(result)) == result
    assert store.annotate(result.id, "after the new cable").notes == store.load(result.id).notes
    store.delete(result.id)
    store.delete(result.id)
    with pytest.raises(NoSuchResult):
        store.load(result.id)


@pytest.mark.parametrize("letter", ["a", "\N{GRINNING FACE}"])
def test_a_name_may_be_as_long_as_the_file_system_allows(tmp_path: Path, letter: str) -> None:
    name = letter * (250 // len(letter.encode())) + ".json"
    assert load(write_atomically(tmp_path / name, WRITE_UP_A.read_bytes())) == load(WRITE_UP_A)
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_what_is_no_file_or_cannot_be_named_is_said_before_anything_is_measured(tmp_path: Path) -> None:
    link = tmp_path / "link.json"
    link.symlink_to("/dev/null")
    for path in (Path("/dev/null"), link, tmp_path / ("a" * 256)):
        with pytest.raises(NotSaved):
            try_place(path)


def test_nobody_else_may_read_what_is_kept(tmp_path: Path) -> None:
    """Not even in a folder that an earlier version made."""
    folder = tmp_path / "kept"
    folder.mkdir(0o755)
    store, result = Store(folder), load(WRITE_UP_A)
    store.save(result)
    History(store, lambda _: (literal(""), "switch", "", ()), 1).entries()
    journal = store.journal(replace(result, id="new", samples=()))
    journal.append(Addition(result.samples[:1]))
    modes = {path.name: path.stat().st_mode & 0o777 for path in (folder, *folder.iterdir())}
    assert modes == {"kept": 0o700, "write-up-a.json": 0o600, ".index": 0o600, "new.json.journal": 0o600}
    assert journal.finish(result).stat().st_mode & 0o777 == 0o600


def test_what_cannot_be_removed_or_is_no_file_is_said_and_still_there(tmp_path: Path) -> None:
    store, result = Store(tmp_path / "kept"), load(WRITE_UP_A)
    path = store.save(result)
    store.folder.chmod(0o500)
    with pytest.raises(NotSaved, match=re.escape(f"{path} could not be removed: Permission denied.")):
        store.delete(result.id)
    store.folder.chmod(0o700)
    assert store.load(result.id) == result
    journal_of(store.path_of("link")).symlink_to(path)
    for change in (store.delete, lambda id_: store.annotate(id_, "a note")):
        with pytest.raises(NoSuchResult):
            change("link")
    assert store.load(result.id) == result


def test_a_file_beside_the_results_is_read_by_its_path(tmp_path: Path) -> None:
    store, result = Store(tmp_path), load(WRITE_UP_A)
    store.save(result)
    (tmp_path / "mine.txt").write_bytes(WRITE_UP_A.read_bytes())
    assert store.find(str(tmp_path / "mine.txt")) == store.find(result.id[:8]) == result


def test_a_copy_made_by_hand_is_changed_and_removed_without_touching_the_result_that_it_is_of(tmp_path: Path) -> None:
    store, result = Store(tmp_path), load(WRITE_UP_A)
    store.save(result)
    copy = tmp_path / "a-copy.json"
    copy.write_bytes(WRITE_UP_A.read_bytes())
    store.annotate("a-copy", "of the copy")
    assert load(copy).notes == "of the copy" and store.load(result.id) == result
    assert store.find("a-copy").id == store.find(str(copy)).id == "a-copy"
    store.delete(store.find("a-copy").id)
    assert store.paths() == (store.path_of(result.id),)


def test_an_id_never_leaves_the_folder(tmp_path: Path) -> None:
    for name in ("../x", "a/b", "", ".hidden", "a\n"):
        with pytest.raises(NoSuchResult):
            Store(tmp_path).path_of(name)


def test_an_imported_result_with_a_taken_id_gets_its_own(tmp_path: Path) -> None:
    store, result = Store(tmp_path), load(WRITE_UP_A)
    store.save(replace(result, notes="mine"))
    assert store.add(WRITE_UP_A).id != result.id
    assert len(store.paths()) == 2


def test_no_result_shadows_another_whose_id_begins_so(tmp_path: Path) -> None:
    """People type the beginning they were shown; a foreign result may have just that as its id."""
    store, result, id_ = Store(tmp_path / "kept"), load(WRITE_UP_A), "20261125-125130-0123abcd"
    store.save(replace(result, id=id_))
    short = store.short_ids()[id_]
    assert store.id_of(short) == id_
    for other in (short, f"{id_}-x"):
        file = Store(tmp_path / "elsewhere").save(replace(result, id=other, notes="a stranger's"))
        assert store.add(file).id != other
        assert store.find(id_).notes == result.notes
    assert store.find(short).notes == result.notes
    store.save(replace(result, id=short, notes="put there by hand"))
    with pytest.raises(NoSuchResult):
        store.find(short)
    assert store.find(id_).notes == result.notes


def test_nothing_is_the_beginning_of_no_id(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.save(load(WRITE_UP_A))
    for name in (store.find, store.file_of):
        with pytest.raises(DisktunerError):
            load(path) if isinstance(path := name(""), Path) else None


def test_a_folder_that_is_exchanged_meanwhile_is_not_written_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Others may write to its parent: what they put in its place gets nothing."""
    chosen, home, number = tmp_path / "chosen", tmp_path / "home", os.urandom
    for folder in (chosen, home):
        folder.mkdir()
    (home / "result.json").write_text("mine")

    def exchanged(length: int) -> bytes:
        """Call the callback with the name of the new file."""
        chosen.rename(tmp_path / "aside")
        chosen.symlink_to(home)
        return number(length)

    monkeypatch.setattr(os, "urandom", exchanged)
    write_atomically(chosen / "result.json", b"new")
    assert [path.read_text() for path in home.iterdir()] == ["mine"]
    assert [path.read_text() for path in (tmp_path / "aside").iterdir()] == ["new"]


def test_what_a_killed_instance_began_is_swept_away_later(tmp_path: Path) -> None:
    old, young = tmp_path / ".a.json.1.abc.tmp", tmp_path / ".b.json.2.abc.tmp"
    for path in (old, young):
        path.write_text("{")
    os.utime(old, (0, 0))
    Store(tmp_path).save(load(WRITE_UP_A))
    assert not old.exists() and young.exists()


def test_history_shows_the_good_beside_the_damaged_and_needs_no_index(tmp_path: Path) -> None:
    store, result = Store(tmp_path), load(WRITE_UP_A)
    questions: list[str] = []

    def headline(result: object) -> Answered:
        questions.append(str(result)[:1])
        return literal("noop wins"), "switch", "", ()

    for number in range(3):
        store.save(replace(result, id=f"r{number}", created=f"2026-01-0{number + 1}"))
    (tmp_path / "cut.json").write_text("{")
    (tmp_path / "new.json").write_text('{"format": "disktuner.result/9"}')
    entries = History(store, headline, 1).entries()
    assert [entry.id for entry in entries if not entry.problem] == ["r2", "r1", "r0"]
    assert "a newer Disktuner" in next(entry.problem for entry in entries if entry.id == "new")
    History(store, headline, 1).entries()
    assert len(questions) == 3
    (tmp_path / ".index").write_text("[1")
    assert [e.id for e in History(store, headline, 1).entries("NOOP r1")] == ["r1"]


def test_the_list_is_in_order_of_time_in_whatever_time_zone_it_is_written(tmp_path: Path) -> None:
    store, result = Store(tmp_path), load(WRITE_UP_A)
    for number, created in enumerate(
        ("2026-01-01T12:00:00+09:00", "2026-01-01T11:00:00+00:00", "2026-01-01T09:00", "")
    ):
        store.save(replace(result, id=f"r{number}", created=created))
    entries = History(store, lambda _: (literal(""), "switch", "", ()), 1).entries()
    assert [entry.id for entry in entries] == ["r1", "r2", "r0", "r3"]


def test_what_the_list_knows_is_told_without_asking_again(tmp_path: Path) -> None:
    store, result = Store(tmp_path), load(WRITE_UP_A)
    assert known_entries(store, 1) == ()
    store.save(replace(result, id="one"))
    assert known_entries(store, 1) is None, "it was never listed"
    listed = History(store, lambda _: (literal("noop wins"), "switch", "", ()), 1).entries()
    assert known_entries(store, 1) == listed
    with speaking(Language("xx", {"answer-undecided": "?"})):
        assert known_entries(store, 1) == listed, "a message is said in any language"
    assert known_entries(store, 2) is None, "another method may answer the same samples differently"
    store.annotate("one", "a note")
    assert known_entries(store, 1) is None, "it has changed"
