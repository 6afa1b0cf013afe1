# SPDX-License-Identifier: GPL-3.0-or-later
"""The pictures of the window for its metadata, which software centres show: ``python -m tests.gui.pictures``.

They are of the stand-ins' disks, at the size that Flathub asks for. Text is drawn a little differently elsewhere, so no
test compares them; look at them, and write them anew where the window changed.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from PySide6.QtCore import QDeadlineTimer, QEventLoop, QTimer
from PySide6.QtWidgets import QApplication

from disktuner.block.counters import Figures, parse_stat
from disktuner.block.disk import Disk
from disktuner.gui.application import Application, dress
from disktuner.results.model import Result
from disktuner.verdict.model import Decision
from disktuner.vocabulary import kinds
from tests.gui.answers import put_into
from tests.gui.stand_ins import Bench, many_findings, some_disks

DOCS = Path(__file__).parents[2] / "docs"
WIDTH, HEIGHT = 1000, 700
SETTLE_MS = 400


def wait(ms: int) -> None:
    loop = QEventLoop()
    QTimer.singleShot(ms, loop.quit)
    loop.exec()


def until(holds: Callable[[], object]) -> None:
    deadline = QDeadlineTimer(60_000)
    while not holds():
        assert not deadline.hasExpired()
        wait(10)


def disks(folder: Path) -> tuple[Disk, ...]:
    """Those of a plain computer: what the stand-ins have for long names is none for a picture."""
    ssd, spinning, stick, *_ = some_disks(folder)
    home = tuple(replace(each, path="/home") for each in spinning.mounts)
    media = tuple(replace(each, path="/media/anna/Photos") for each in stick.mounts)
    names = {"vendor": "SanDisk", "model": "Extreme Pro 256GB"}
    hard = replace(spinning, mounts=home, tunables=dict(spinning.tunables) | {"queue/read_ahead_kb": 65_532})
    return ssd, hard, replace(stick, mounts=media, kind=kinds.USB_FLASH, kind_doubt=None, kind_certain=True, **names)


def at_work(source: random.Random) -> dict[str, Figures]:
    """A little of everything, so that the curves on the cards move."""
    quiet = parse_stat("0 0 0 0 0 0 0 0 0 0 0", 0.0)

    def figures(most: int) -> Figures:
        read, written = source.randrange(most), source.randrange(most)
        return parse_stat(f"{read // 8} 0 {read} 90 {written // 8} 0 {written} 90 1 400 900", 1.0).since(quiet)

    return {"nvme0n1": figures(400_000), "sda": figures(200_000), "sdb": figures(20_000)}


def save(running: Application, name: str) -> None:
    """When all of it is laid out."""
    wait(SETTLE_MS)
    running.window.grab().save(str(DOCS / name))
    print(DOCS / name)


def of_home(result: Result) -> Result:
    """What was measured lies in the folder of the picture's disk, and nothing there was in doubt."""
    filesystem = replace(result.filesystem, path="/home") if result.filesystem is not None else None
    return replace(result, filesystem=filesystem, warnings=())


def main() -> None:
    """Write them all."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    application = QApplication(["disktuner", "-style", "Fusion"])
    dress(application)
    with TemporaryDirectory() as folder:
        bench = Bench(disks(Path(folder)), pace_s=0.002, kept=Path(folder))
        bench.findings = lambda disk: many_findings(disk) if disk.name == "sda" else ()
        running = Application(bench.sources())
        running.window.resize(WIDTH, HEIGHT)
        running.start()
        until(lambda: running.ready and not running._jobs)
        source = random.Random(5)
        for _ in range(60):
            running.activity.figures.emit(at_work(source))
        save(running, "disks.png")
        running.window.disks_page.check.emit("sda")
        until(lambda: running.window.opened)
        save(running, "check-up.png")
        running.window.back()
        put_into(bench, Decision.SWITCH)
        bench.world = partial(lambda made, found: of_home(made(found)), bench.world)
        measure(running, Path(folder))
        save(running, "result.png")
        running.window.close()


def measure(running: Application, folder: Path) -> None:
    """A comparison up to its result."""
    running.find_best("sda")
    wizard = running.window.wizard
    assert wizard is not None
    wizard.next()
    wizard.where_page.use_folder(str(folder))
    until(wizard.next_button.isEnabled)
    wizard.next()
    until(lambda: wizard.step == 3)


if __name__ == "__main__":
    main()
