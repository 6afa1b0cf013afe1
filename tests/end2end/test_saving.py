# SPDX-License-Identifier: GPL-3.0-or-later
"""Nothing that was measured is lost: places are tried before, the answer comes first, and what cannot be saved where it
should is saved where it can."""

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
    """A folder that takes no file."""
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
    done = disktuner(*words.format(disk=disk.folder, closed=closed(tmp_path / "closed")).split())
    assert (done.returncode, done.stdout) == (5, "")
    assert "Cannot save to" in done.stderr and "nothing was measured yet" in done.stderr
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
        until(lambda: any(load(each).samples for each in tmp_path.glob("*.journal")))
        process.send_signal(sent)
    assert out.read_text() == old
    assert load(tmp_path / "old.json.journal").samples, "what was measured of the new one"


def test_a_disk_that_becomes_full_while_a_result_is_kept_there(
    loop_disk: Callable[..., LoopDisk], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    disk, full = loop_disk(size_mb=512), loop_disk(size_mb=16)
    assert full.folder
    out = full.folder / "out.json"
    argv = [COMMAND, "bench", disk.folder, "--workload", "dd-write", "--rounds", "4", "--seconds", "0.1", "--out", out]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        until(lambda: any(full.folder.glob("*.journal")))
        with pytest.raises(OSError, match="No space left"), (full.folder / "filler").open("wb", 0) as filler:
            while filler.write(b"x" * 4096):
                pass
        shown, said = process.communicate()
    assert process.returncode == 5 and shown, said
    assert "No space left on device" in said
    (kept,) = map(Path, KEPT.findall(said))
    assert {sample.round for sample in load(kept).samples if sample.valid} >= {0, 3} and load(kept).finished
    assert [path for path in full.folder.iterdir() if "out.json" in path.name] == []


def test_neither_a_closed_home_nor_places_that_close_meanwhile_cost_a_comparison(
    loop_disk: Callable[..., LoopDisk], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The answer is printed, and the result lies where there was still a place, which is named."""
    monkeypatch.setenv("BRIEF_S", "25")
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    disk, places = loop_disk(size_mb=1024), tmp_path / "places"
    places.mkdir()
    asked = ("--schedulers", "bfq", "--out", f"{places}/out.json", "--image", f"{places}/out.png")
    with begun(disk, *WHAT, *asked, home=closed(tmp_path / "home"), apart=True) as process:
        until(lambda: any(places.glob("*.journal")))
        closed(places)
        shown, said = process.communicate()
    assert process.returncode == 5, said
    assert "mq-deadline" in shown or "bfq" in shown
    assert f"Results cannot be kept in {tmp_path}/home/disktuner: " in said, "before it starts"
    assert f"could not be saved as {places}/out.json" in said and f"could not be saved as {places}/out.png" in said
    (kept,) = {Path(each) for each in KEPT.findall(said) if "/disktuner-" in each}
    assert load(kept).finished and load(kept).plan.seed == 11
    assert kept.parent.stat().st_mode & 0o077 == 0, "nobody else's business"
    places.chmod(0o755)
