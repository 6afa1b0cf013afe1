# SPDX-License-Identifier: GPL-3.0-or-later
"""The scratch folder: always removed, and nothing else ever."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
from pathlib import Path

import pytest

from disktuner.errors import MeasurementImpossible
from disktuner.experiment.scratch import NAME, remove, remove_leftovers, scratch_folder


def leftover(parent: Path, name: str = ".disktuner-0123456789ab") -> Path:
    """A scratch folder as a killed run leaves it."""
    folder = parent / name
    folder.mkdir()
    (folder / "lock").touch()
    (folder / "big").write_bytes(b"x" * 1000)
    return folder


def test_it_is_private_and_goes_away(tmp_path: Path) -> None:
    with scratch_folder(tmp_path) as scratch:
        assert NAME.fullmatch(scratch.path.name)
        assert scratch.path.stat().st_mode & 0o777 == 0o700
        (scratch.path / "below").mkdir()
        (scratch.path / "below/file").touch()
    assert list(tmp_path.iterdir()) == []


def test_it_goes_away_after_an_error(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError), scratch_folder(tmp_path):
        raise RuntimeError
    assert list(tmp_path.iterdir()) == []


def test_leftovers_of_a_killed_run_are_removed_at_the_next_start(tmp_path: Path) -> None:
    leftover(tmp_path)
    with scratch_folder(tmp_path) as scratch:
        assert list(tmp_path.iterdir()) == [scratch.path]


def test_the_lock_goes_last(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = leftover(tmp_path)
    (folder / "link").symlink_to(tmp_path)
    with monkeypatch.context() as killed_before_the_end:
        killed_before_the_end.setattr("shutil.rmtree", lambda *_, **__: None)
        remove(folder)
        assert [path.name for path in folder.iterdir()] == ["lock"]
    assert remove_leftovers(tmp_path) == (folder,)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "name", [".disktuner-", ".disktuner-XYZ", ".disktuner-0123456789abc", "disktuner-0123456789ab"]
)
def test_what_only_looks_like_ours_stays(tmp_path: Path, name: str) -> None:
    folder = leftover(tmp_path, name)
    assert remove_leftovers(tmp_path) == ()
    assert (folder / "big").exists()


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / "lock").touch()
    (tmp_path / ".disktuner-0123456789ab").symlink_to(precious)
    folder = leftover(tmp_path, ".disktuner-aaaaaaaaaaaa")
    (folder / "out").symlink_to(precious)
    assert remove_leftovers(tmp_path) == (folder,)
    assert (precious / "lock").exists()


def test_a_run_that_lives_keeps_its_folder(tmp_path: Path) -> None:
    folder = leftover(tmp_path)
    with (folder / "lock").open("r+") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert remove_leftovers(tmp_path) == ()
    assert remove_leftovers(tmp_path) == (folder,)


def test_a_program_of_a_killed_run_keeps_the_folder_until_it_ends(tmp_path: Path) -> None:
    folder = leftover(tmp_path)
    with (folder / "lock").open("r+") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        program = subprocess.Popen(["sleep", "60"], pass_fds=(lock.fileno(),))
    assert remove_leftovers(tmp_path) == ()
    program.kill()
    program.wait()
    assert remove_leftovers(tmp_path) == (folder,)


def test_a_folder_that_is_just_being_made_stays(tmp_path: Path) -> None:
    young = tmp_path / ".disktuner-0123456789ab"
    young.mkdir()
    assert remove_leftovers(tmp_path) == ()
    os.utime(young, (0, 0))
    assert remove_leftovers(tmp_path) == (young,)


def test_emptying_follows_no_link(tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.write_text("all of it")
    with scratch_folder(tmp_path) as scratch:
        (scratch.path / "big").write_bytes(b"x" * 5000)
        (scratch.path / "link").symlink_to(precious)
        scratch.empty()
        assert (scratch.path / "big").stat().st_size == 0
    assert precious.read_text() == "all of it"


def test_a_folder_that_cannot_be_written_is_refused_with_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(MeasurementImpossible, match="Choose a folder"), scratch_folder(tmp_path / "nowhere"):
        pass


def test_kill_9_leaves_a_folder_that_the_next_start_removes(tmp_path: Path) -> None:
    code = (
        "import sys, time\nfrom pathlib import Path\nfrom disktuner.experiment.scratch import scratch_folder\n"
        f"with scratch_folder(Path({str(tmp_path)!r})):\n    print('there', flush=True)\n    time.sleep(60)\n"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, env=environment) as process:
        assert process.stdout
        assert process.stdout.readline() == b"there\n"
        process.kill()
    assert len(remove_leftovers(tmp_path)) == 1
    assert list(tmp_path.iterdir()) == []
