# SPDX-License-Identifier: GPL-3.0-or-later
"""No measurement is lost: places are tried beforehand, the answer comes first, and what cannot be saved in its place is
saved in another.
"""

from __future__ import annotations

import re
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from disktuner.results.codec import encode, load
from tests.conftest import LoopDisk
from tests.end2end.comparing import WHAT, begun, written_bytes
from tests.end2end.conftest import COMMAND, Run
from tests.unit.verdict.making import made
from tests.waiting import until

KEPT = re.compile(r"kept as (\S+\.json)")


def closed(folder: Path) -> Path:
    """A folder that accepts no file."""
    folder.mkdir(exist_ok=True)
    folder.chmod(0o555)
    return folder


@pytest.mark.parametrize(
    "words",
    [
        "compare {disk} --out {closed}/new.json",
        "compare {disk} --image {closed}/new.png --json",
        "compare {disk} --out {disk}",
        "tune {disk} --out {closed}/new.json",
        "tune {disk} --image {closed}/new.svg",
        "bench {disk} --workload dd-read --out {closed}/new.json",
    ],
)
def test_a_place_that_takes_nothing_is_told_before_anything_is_written(
    words: str, loop_disk: Callable[..., LoopDisk], disktuner: Run, tmp_path: Path
) -> None:
    disk = loop_disk(size_mb=512)
    before = written_bytes(disk)
    completed = disktuner(*words.format(disk=disk.folder, closed=closed(tmp_path / "closed")).split())
    assert (completed.returncode, completed.stdout) == (5, "")
    assert "Cannot save to" in completed.stderr and "nothing was measured yet" in completed.stderr
    assert written_bytes(disk) == before


@pytest.mark.parametrize("sent", [signal.SIGKILL, signal.SIGTERM])
def test_an_old_result_goes_for_a_whole_new_one_only(
    sent: signal.Signals, loop_disk: Callable[..., LoopDisk], tmp_path: Path
) -> None:
    disk, out = loop_disk(size_mb=512), tmp_path / "old.json"
    old = encode(made({}, done=3))
    out.write_text(old)
    argv = [COMMAND, "bench", disk.folder, "--workload", "dd-write", "--rounds", "50", "--seconds", "0.1", "--out", out]
    with subprocess.Popen(argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        until(lambda: any(load(journal).samples for journal in tmp_path.glob("*.journal")))
        process.send_signal(sent)
    assert out.read_text() == old
    assert load(tmp_path / "old.json.journal").samples, "what was measured of the new one"


def test_a_disk_that_becomes_full_while_a_result_is_kept_there(
    loop_disk: Callable[..., LoopDisk], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    disk, full = loop_disk(size_mb=512), loop_disk(size_mb=16)
    out, is_full = full.folder / "out.json", tmp_path / "is-full"
    # Once it is measured, it waits until the disk is full.
    waits = f"while test -e {out}.journal && ! test -e {is_full}; do :; done"
    write = "dd if=/dev/zero of={scratch}/x bs=256k count=8 conv=fsync status=none"
    argv = [COMMAND, "bench", disk.folder, "--command", f"{waits}; {write}", "--rounds", "4", "--seconds", "0.1"]
    argv += ["--out", out]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        until(lambda: any(full.folder.glob("*.journal")))
        with pytest.raises(OSError, match="No space left"), (full.folder / "filler").open("wb", 0) as filler:
            while filler.write(b"x" * 4096):
                pass
        is_full.touch()
        answer, output = process.communicate()
    assert process.returncode == 5 and answer, output
    assert "No space left on device" in output
    (saved,) = map(Path, KEPT.findall(output))
    assert {sample.round for sample in load(saved).samples if sample.valid} >= {0, 3} and load(saved).finished
    assert [path for path in full.folder.iterdir() if "out.json" in path.name] == []


def test_neither_a_closed_home_nor_places_that_close_meanwhile_cost_a_comparison(
    loop_disk: Callable[..., LoopDisk], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The answer is printed, and the result is saved in the place left, which is named."""
    monkeypatch.setenv("BRIEF_S", "25")
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    disk, places = loop_disk(size_mb=1024), tmp_path / "places"
    places.mkdir()
    options = ("--schedulers", "bfq", "--out", f"{places}/out.json", "--image", f"{places}/out.png")
    with begun(disk, *WHAT, *options, home=closed(tmp_path / "home"), apart=True) as process:
        until(lambda: any(places.glob("*.journal")))
        closed(places)
        answer, output = process.communicate()
    assert process.returncode == 5, output
    assert "mq-deadline" in answer or "bfq" in answer
    assert f"Results cannot be kept in {tmp_path}/home/disktuner: " in output, "before it starts"
    assert f"could not be saved as {places}/out.json" in output and f"could not be saved as {places}/out.png" in output
    (saved,) = {Path(path) for path in KEPT.findall(output) if "/disktuner-" in path}
    assert load(saved).finished and load(saved).plan.seed == 11
    assert saved.parent.stat().st_mode & 0o077 == 0, "nobody else's business"
    places.chmod(0o755)
