# SPDX-License-Identifier: GPL-3.0-or-later
"""What is impossible is refused with a sentence and its exit code, before anything changes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from disktuner.results.codec import encode, load
from tests.conftest import LoopDisk, Sudo
from tests.end2end.comparing import Formatted, lasting_disk, values
from tests.end2end.conftest import Run

RECORDED = Path(__file__).parents[1] / "data/results/format-2.json"
REFUSED = [
    ("no-such-command", 2, "No such command"),
    ("compare", 2, "Name a folder"),
    ("compare /no/such/folder", 4, "/no/such/folder"),
    ("compare /proc", 4, "/proc"),
    ("compare /dev/shm", 4, "in memory"),
    ("compare {folder} --command x --goal desktop", 2, "--goal"),
    ("compare {folder} --command x --timeout 0", 2, "--timeout"),
    ("bench {folder} --workload copy --command x", 2, "--workload"),
    ("compare {folder} --goal nonsense", 2, "invalid choice"),
    ("compare {folder} --goal copying --workloads nonsense", 4, "There is no workload"),
    ("compare {folder} --goal copying --schedulers nonsense", 4, "Choose from"),
    ("compare {folder} --schedulers cfq", 4, "cfq was removed in Linux 5.0; bfq is closest to it. Choose from: "),
    ("compare {folder} --schedulers kyber", 2, "kyber is the current scheduler"),
    ("compare {folder} --settings bfq --schedulers bfq", 2, "not allowed with"),
    ("compare {folder} --continue {result} --seed 3", 2, "its original goal"),
    ("compare {folder} --settings bfq:slice_idle", 2, "is not a setting"),
    ("compare {folder} --settings no-such", 4, "has no scheduler"),
    ("compare {folder} --settings none:queue/nomerges=3", 2, "from 0 to 2"),
    ("bench {folder} --workload nonsense", 4, "launch-office"),
    ("bench no-such-disk --workload dd-read", 4, "no-such-disk"),
    ("bench {folder} --workload dd-read", 5, "Not enough space"),
    ("tune", 2, "Name a folder or a disk, or a result with --after"),
    ("tune --after no-such-result", 2, "no-such-result"),
    ("tune --after {result}", 4, "no-such-disk"),
    ("set no-such-disk bfq", 4, "no-such-disk"),
    ("set {disk} no-such-scheduler", 4, "Choose from"),
    ("set {disk} bfq --tunable queue/nomerges=9", 2, "queue/nomerges must be a whole number from 0 to 2"),
    ("set {disk} cfq", 4, "cfq was removed in Linux 5.0; bfq is closest to it."),
    ("set {disk} noop", 4, "Since Linux 5.0, noop is called none."),
    ("set {disk} deadline", 4, "Since Linux 5.0, deadline is called mq-deadline."),
    ("set {disk} anticipatory", 4, "has no successor."),
    ("monitor no-such-disk", 4, "no-such-disk"),
    ("list --sysroot /nowhere", 2, "/nowhere"),
    ("verdict /no/such/file", 2, "/no/such/file"),
]


@pytest.fixture(scope="module")
def disk(sudo: Sudo, formatted: Formatted, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LoopDisk]:
    with lasting_disk(sudo, formatted, tmp_path_factory.mktemp("small"), 48) as lasting:
        yield lasting


@pytest.mark.parametrize(("words", "code", "complaint"), REFUSED, ids=[words for words, _, _ in REFUSED])
def test_with_a_sentence(words: str, code: int, complaint: str, disk: LoopDisk, disktuner: Run, tmp_path: Path) -> None:
    before, result = values(disk), tmp_path / "elsewhere.json"
    recorded = load(RECORDED)
    result.write_text(encode(replace(recorded, disk={**recorded.disk, "name": "no-such-disk"})))
    places = {"folder": disk.folder, "disk": disk.name, "result": result}
    completed = disktuner(*(word.format(**places) for word in words.split()))
    assert (completed.returncode, completed.stdout) == (code, ""), completed.stderr
    assert complaint in completed.stderr
    assert values(disk) == before
    assert [path.name for path in disk.folder.iterdir()] == ["lost+found"]


def test_root_does_not_measure(disktuner: Run, tmp_path: Path) -> None:
    completed = disktuner("bench", tmp_path, "--workload", "pgbench", user="root")
    assert completed.returncode == 5 and "normal user" in completed.stderr
