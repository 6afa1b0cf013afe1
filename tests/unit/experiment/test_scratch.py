# SPDX-License-Identifier: GPL-3.0-or-later
"""The scratch folder: always removed, and never anything else."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from disktuner.experiment.scratch import Leftovers, scratch_folder
from disktuner.folders import state_folder
from disktuner.private_folder import NAME, PrivateFolder, abandoned
from disktuner.vocabulary.errors import MeasurementImpossible

NAMED = ".disktuner-0123456789ab"
PRECIOUS = b"all of it"


def remove_leftovers(parent: Path) -> tuple[str, ...]:
    return tuple(folder.name for folder in abandoned(parent) if folder.remove())


def leftover(parent: Path, name: str = NAMED) -> Path:
    """A scratch folder left by a killed run."""
    made = PrivateFolder.make(parent, name)
    folder = parent / name
    (folder / "big").write_bytes(b"x" * 1000)
    (folder / "below/deep").mkdir(parents=True)
    (folder / "below/deep/file").touch()
    made.close()
    return folder


def photos(parent: Path, name: str = "photos", mode: int = 0o700) -> Path:
    """A folder of this user's that must not be touched."""
    folder = parent / name
    (folder / "2026").mkdir(parents=True)
    (folder / "2026/one.jpg").write_bytes(PRECIOUS)
    folder.chmod(mode)
    return folder


def is_whole(folder: Path) -> bool:
    return (folder / "2026/one.jpg").read_bytes() == PRECIOUS


def test_it_is_private_and_goes_away(tmp_path: Path) -> None:
    with scratch_folder(tmp_path) as scratch:
        assert [path.name for path in tmp_path.iterdir()] == [scratch.name]
        assert NAME.fullmatch(scratch.name)
        assert scratch.path.stat().st_mode & 0o777 == 0o700
        (scratch.path / "below").mkdir()
        (scratch.path / "below/file").touch()
    assert list(tmp_path.iterdir()) == []


def test_leftovers_of_a_killed_run_are_removed_at_the_next_start(tmp_path: Path) -> None:
    leftover(tmp_path)
    with scratch_folder(tmp_path) as scratch:
        assert [path.name for path in tmp_path.iterdir()] == [scratch.name]


def test_the_lock_goes_last(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = leftover(tmp_path)
    (folder / "link").symlink_to(tmp_path)
    unlink = os.unlink

    def killed(name: str, *, dir_fd: int) -> None:
        if "lock" in name:
            raise KeyboardInterrupt
        unlink(name, dir_fd=dir_fd)

    with monkeypatch.context() as before_the_end, pytest.raises(KeyboardInterrupt):
        before_the_end.setattr("os.unlink", killed)
        remove_leftovers(tmp_path)
    assert [path.name for path in folder.iterdir()] == ["disktuner-lock-0123456789ab"]
    assert remove_leftovers(tmp_path) == (NAMED,)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "name", [".disktuner-", ".disktuner-XYZ", ".disktuner-0123456789abc", "disktuner-0123456789ab"]
)
def test_what_only_looks_like_ours_stays(tmp_path: Path, name: str) -> None:
    leftover(tmp_path).rename(tmp_path / name)
    assert remove_leftovers(tmp_path) == ()
    assert (tmp_path / name / "big").exists()


@pytest.mark.parametrize("mode", [0o700, 0o755, 0o775, 0o2775])
def test_another_folder_that_somebody_named_like_ours_stays(tmp_path: Path, mode: int) -> None:
    precious = photos(tmp_path, NAMED, mode)
    os.utime(precious, (0, 0))
    before = precious.stat()
    assert remove_leftovers(tmp_path) == ()
    assert is_whole(precious)
    assert precious.stat().st_mtime_ns == before.st_mtime_ns


def test_a_folder_in_which_others_could_have_put_a_lock_stays(tmp_path: Path) -> None:
    precious = photos(tmp_path, NAMED, 0o2775)
    (precious / "disktuner-lock-0123456789ab").touch()
    assert remove_leftovers(tmp_path) == ()
    assert is_whole(precious)


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    precious = photos(tmp_path)
    (tmp_path / NAMED).symlink_to(precious)
    folder = leftover(tmp_path, ".disktuner-aaaaaaaaaaaa")
    (folder / "out").symlink_to(precious)
    assert remove_leftovers(tmp_path) == (folder.name,)
    assert is_whole(precious)


def test_a_run_that_lives_keeps_its_folder(tmp_path: Path) -> None:
    with scratch_folder(tmp_path):
        assert remove_leftovers(tmp_path) == ()
    leftover(tmp_path)
    assert remove_leftovers(tmp_path) == (NAMED,)


def test_a_program_of_a_killed_run_keeps_the_folder_until_it_ends(tmp_path: Path) -> None:
    folder = PrivateFolder.make(tmp_path)
    program = subprocess.Popen(["tail", "-f", "/dev/null"], pass_fds=folder.fds)
    folder.close()
    assert remove_leftovers(tmp_path) == ()
    program.kill()
    program.wait()
    assert remove_leftovers(tmp_path) == (folder.name,)


def test_a_folder_that_is_just_being_made_stays(tmp_path: Path) -> None:
    young = tmp_path / NAMED
    young.mkdir(0o700)
    assert remove_leftovers(tmp_path) == ()
    assert young.exists()
    os.utime(young, (0, 0))
    remove_leftovers(tmp_path)
    assert not young.exists()


@pytest.mark.parametrize("swap", ["link", "folder", "nothing"])
def test_what_somebody_puts_in_its_place_is_not_touched(
    tmp_path: Path, swap: str, caplog: pytest.LogCaptureFixture
) -> None:
    precious = photos(tmp_path / "home")
    with scratch_folder(tmp_path) as scratch:
        (scratch.path / "before").touch()
        (tmp_path / scratch.name).rename(tmp_path / "aside")
        if swap == "link":
            (tmp_path / scratch.name).symlink_to(precious)
        elif swap == "folder":
            precious = precious.rename(tmp_path / scratch.name)
        (scratch.path / "after").touch()
        assert subprocess.run(["ls"], cwd=scratch.path, capture_output=True, check=True).stdout.count(b"\n") == 3
        scratch.empty()
    assert is_whole(precious)
    assert not (tmp_path / "aside").exists()
    assert not caplog.records


def test_a_folder_that_is_exchanged_before_it_is_opened_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """mkdir(2) returns no handle: the folder may be replaced before it is opened."""
    mkdir, places = os.mkdir, []

    def exchanged(name: str, mode: int, *, dir_fd: int | None = None) -> None:
        mkdir(name, mode, dir_fd=dir_fd)
        if NAME.fullmatch(str(name)):
            (tmp_path / name).rename(tmp_path / "aside")
            places.append(precious.rename(tmp_path / name))

    for precious in (photos(tmp_path), tmp_path / "empty"):
        precious.mkdir(0o700, exist_ok=True)
        os.utime(precious, (0, 0))
        with monkeypatch.context() as quick:
            quick.setattr("os.mkdir", exchanged)
            with pytest.raises(MeasurementImpossible, match="somebody"), scratch_folder(tmp_path):
                pass
        assert places[-1].stat().st_mtime == 0
        (tmp_path / "aside").rmdir()
    assert is_whole(places[0])


def test_a_folder_that_cannot_be_written_is_refused_with_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(MeasurementImpossible, match="Choose a folder"), scratch_folder(tmp_path / "nowhere"):
        pass
    assert list(state_folder().iterdir()) == []


KILLED = """
import sys
from pathlib import Path
from disktuner.experiment.scratch import scratch_folder
with scratch_folder(Path(sys.argv[1])) as scratch:
    (scratch.path / "big").write_bytes(b"x" * 100_000)
    print("there", flush=True)
    sys.stdin.read()
"""


def kill_in(parent: Path) -> None:
    """Kill a run while it uses its scratch folder."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    argv = [sys.executable, "-c", KILLED, str(parent)]
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment) as process:
        assert process.stdout
        assert process.stdout.readline() == b"there\n"
        process.kill()


def test_what_a_killed_run_left_anywhere_is_found_and_removed(tmp_path: Path) -> None:
    known = Leftovers()
    places = [tmp_path / "one", tmp_path / "two"]
    for place in places:
        place.mkdir()
        kill_in(place)
    with scratch_folder(tmp_path):
        leftovers = known.find()
        assert {leftover.path.parent for leftover in leftovers} == set(places)
        assert all(100_000 <= leftover.size_bytes < 200_000 for leftover in leftovers)
        assert known.remove() == ()
    assert known.find() == ()
    assert not any(list(place.iterdir()) for place in places)
    assert list(known.folder.iterdir()) == []


def test_a_note_that_cannot_be_read_hides_no_other(tmp_path: Path) -> None:
    kill_in(tmp_path)
    (Leftovers().folder / ".disktuner-000000000000").mkdir()
    assert len(Leftovers().find()) == 1


def test_a_leftover_on_a_disk_that_is_not_there_stays_noted(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    kill_in(disk)
    disk.rename(tmp_path / "unplugged")
    assert Leftovers().find() == ()
    assert Leftovers().remove() == ()
    (tmp_path / "unplugged").rename(disk)
    assert len(Leftovers().find()) == 1
