# SPDX-License-Identifier: GPL-3.0-or-later
"""Stored results stay whole: killed at every system call that writes, on a full disk, with two instances at work."""

from __future__ import annotations

import itertools
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

import disktuner
from disktuner.results.codec import load
from disktuner.results.history import Entry, History
from disktuner.results.store import Store
from disktuner.vocabulary.messages import literal
from disktuner.writing import NotSaved
from tests.conftest import LoopDisk

WRITE_UP_A = Path(__file__).parents[1] / "data" / "results" / "write-up-a.json"
CALLS = ("write", "fsync", "fdatasync", "rename", "renameat", "unlink", "unlinkat", "flock")
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(disktuner.__path__[0]).parent), "PYTHONDONTWRITEBYTECODE": "1"}
BEGIN = f"""
import sys; from dataclasses import replace; from pathlib import Path
from disktuner.results.codec import load; from disktuner.results.history import History
from disktuner.results.model import Addition; from disktuner.results.store import Store
from disktuner.vocabulary.messages import literal
store, result = Store(Path(sys.argv[1])), load(Path({str(WRITE_UP_A)!r}))
"""
CHANGES = """
with store.journal(replace(result, id="measured", samples=())) as journal:
    for sample in result.samples[:3]:
        journal.append(Addition((sample,)))
    journal.finish(replace(result, id="measured", samples=result.samples[:3]))
store.save(replace(result, id="new"))
store.annotate("old", "after" * 1000)
History(store, lambda _: (literal("headline"), "switch", "", ()), 1).entries()
store.delete("gone")
"""
MANY = """
for number in range(15):
    store.save(replace(result, id=f"{sys.argv[2]}{number}"))
    History(store, lambda _: (literal("headline"), "switch", "", ()), 1).entries()
    store.annotate("shared", store.load("shared").notes)
    store.annotate(f"{sys.argv[2]}{number}", "mine")
"""


def entries(store: Store) -> tuple[Entry, ...]:
    return History(store, lambda _: (literal("headline"), "switch", "", ()), 1).entries()


def killed_at(call: str, count: int, folder: Path) -> bool:
    """Change the results of a folder in a process that is killed when it enters a system call for the nth time."""
    strace = ["strace", "-f", "-qq", "-o", "/dev/null", "-e", f"trace={call}"]
    inject = ["-e", f"inject={call}:signal=KILL:when={count}"]
    command = [*strace, *inject, sys.executable, "-c", BEGIN + CHANGES, str(folder)]
    completed = subprocess.run(command, env=ENVIRONMENT, capture_output=True, check=False)
    assert completed.returncode in (0, -signal.SIGKILL), completed.stderr
    return completed.returncode != 0


@pytest.mark.parametrize("every", [3, pytest.param(1, marks=pytest.mark.long)])
def test_killed_at_system_calls_that_write(tmp_path: Path, every: int) -> None:
    original, killed = load(WRITE_UP_A), 0
    for call in CALLS:
        for count in itertools.count(1, every):
            store = Store(tmp_path / f"{call}{count}")
            for name in ("old", "gone", "other"):
                store.save(replace(original, id=name, notes="before"))
            dead = killed_at(call, count, store.folder)
            by_id = {entry.id: entry for entry in entries(store)}
            assert {"old", "other"} <= by_id.keys() <= {"old", "other", "gone", "new", "measured"}
            if "measured" in by_id:
                result = store.load("measured")
                assert result.samples == original.samples[: len(result.samples)]
                assert result.finished or (dead and result.samples != original.samples)
            assert not [entry.problem for entry in by_id.values() if entry.problem]
            assert store.load("old").notes in ("before", "after" * 1000)
            assert {store.load(name).samples for name in by_id.keys() - {"measured"}} == {original.samples}
            if not dead:
                assert by_id.keys() == {"old", "other", "new", "measured"} and result.finished
                break
            killed += 1
    assert killed >= 24 // every, f"only {killed} places to kill it at"


def test_a_full_disk_loses_nothing(loop_disk: Callable[..., LoopDisk]) -> None:
    disk = loop_disk(16)
    store, original = Store(disk.folder / "disktuner"), load(WRITE_UP_A)
    for number in range(3):
        store.save(replace(original, id=f"r{number}", notes="before"))
    with pytest.raises(OSError, match="No space left"), (disk.folder / "filler").open("wb", buffering=0) as filler:
        while filler.write(b"x" * 4096):
            pass
    with pytest.raises(NotSaved, match="No space left on device"):
        store.save(replace(original, id="new"))
    with pytest.raises(NotSaved, match="No space left"):
        store.annotate("r1", "after" * 10_000)
    results = entries(store)
    assert [entry.id for entry in results] == ["r2", "r1", "r0"]
    assert [entry.notes for entry in results] == ["before"] * 3
    assert {path.suffix for path in store.folder.iterdir()} <= {".json", ""}
    (disk.folder / "filler").unlink()
    assert load(store.save(replace(original, id="new"))).samples == original.samples


def test_two_instances_write_at_the_same_time(tmp_path: Path) -> None:
    store = Store(tmp_path / "kept")
    store.save(replace(load(WRITE_UP_A), id="shared", notes="both"))
    command = [sys.executable, "-c", BEGIN + MANY, str(store.folder)]
    processes = [subprocess.Popen([*command, name], env=ENVIRONMENT, stderr=subprocess.PIPE) for name in ("a", "b")]
    assert [process.communicate()[1] for process in processes] == [b"", b""]
    results = {entry.id: entry for entry in entries(store)}
    assert len(results) == 31 and not [entry for entry in results.values() if entry.problem]
    assert {entry.notes for name, entry in results.items() if name != "shared"} == {"mine"}
    assert results["shared"].notes == "both"
    assert {path.suffix for path in store.folder.iterdir()} <= {".json", ""}
