# SPDX-License-Identifier: GPL-3.0-or-later
"""The pictures of the guide and the metadata, of one walk through the window in each language, and the measured cards.

``python -m tests.gui.pictures`` (part of ``./dev docs``) writes those that have changed into docs/, with a FOLDER all
of them into it. Disks, measurements and times are stand-ins and always the same, as are letters and screen: so a test
draws them anew and compares.
"""

from __future__ import annotations

import os
import random
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from PySide6.QtCore import QSize, QTimer
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication, QComboBox, QMenu, QTableView, QWidget

from disktuner.block.counters import Figures, parse_stat
from disktuner.block.disk import Disk, PersistentChoice
from disktuner.block.queue import suggest
from disktuner.checkup.findings import Finding
from disktuner.comparison.target import Target
from disktuner.gui.application import TRY_S
from disktuner.gui.plots.picture import Picture
from disktuner.gui.sheet import wear
from disktuner.gui.wishes import Wishes
from disktuner.report.exporting import FORMATS, render
from disktuner.results.codec import load
from disktuner.results.model import Machine, Result
from disktuner.results.store import Store
from disktuner.standing import titles
from disktuner.verdict.outcomes import Decision
from disktuner.vocabulary import kinds
from disktuner.vocabulary.goals import DESKTOP
from disktuner.vocabulary.languages import language_of
from disktuner.vocabulary.messages import speaking, text
from tests.docs_tables import DOCS, MEASURED
from tests.gui.answers import put_into
from tests.gui.differences import difference, small
from tests.gui.measuring import seen
from tests.gui.palettes import dark_palette
from tests.gui.person import said, settle, until
from tests.gui.stand_ins import METRICS, Bench, many_findings, result, some_disks
from tests.gui.walk import Walk, dressed

GUIDE = "guide/{language}/{name}.png"
SCREEN_SHOT = "screenshots/{name}.png"
NOTES = {"en": "old cable", "de": "altes Kabel", "cs": "starý kabel"}
"""The guide's languages, and a user's note in each of them."""

WIDTH, HEIGHT, LOW = 1000, 700, 540
"""The window's size; pages with little content get the lower height."""
SHOWN = ("disks", "measuring", "result", "monitor", "check-up")
"""The pictures for software catalogues, in English; the README also shows the result in dark."""
SHOT, SHOT_SCALE = QSize(1600, 900), 1.25
"""Their size in pixels, and their scale."""
NARROW = 840
"""The width of a result as others see it: half of the exported one, or a little more."""
HOME = Path("/home/anna")
TAKEN = {
    "11-check": ("check-up", HEIGHT), "23-where": ("where", LOW), "30-result": ("result", HEIGHT),
}  # fmt: skip
"""By state of the walk: the picture's name in the guide, and the height of the window."""
HELD_AT = 30
"""The run at which the measurement is shown, of 48."""
SCREEN = {
    "QT_QPA_PLATFORM": "offscreen",
    "QT_SCALE_FACTOR": "1",
    "FONTCONFIG_FILE": str(Path(__file__).with_name("fonts.conf")),
    "LC_ALL": "C.UTF-8",
    "TZ": "UTC",
}
"""Everything that letters, sizes and times depend on; nothing else of the environment counts."""
OTHERS = (
    "QT_FONT_DPI", "QT_STYLE_OVERRIDE", "QT_QPA_PLATFORMTHEME", "QT_SCREEN_SCALE_FACTORS", "XDG_CURRENT_DESKTOP",
    "DESKTOP_SESSION", "KDE_FULL_SESSION",
)  # fmt: skip


def disks(folder: Path) -> tuple[Disk, ...]:
    """Disks of a plain computer: the stand-ins' long names do not suit a picture."""
    ssd, spinning, stick, *_ = (replace(disk, suggestion=None) for disk in some_disks(folder))
    home = tuple(replace(mount, path="/home") for mount in spinning.mounts)
    media = tuple(replace(mount, path="/media/anna/Photos") for mount in stick.mounts)
    names = {"vendor": "SanDisk", "model": "Extreme Pro 256GB"}
    hard = replace(spinning, mounts=home, tunables=dict(spinning.tunables) | {"queue/read_ahead_kb": 65_532})
    stick = replace(stick, mounts=media, kind=kinds.USB_FLASH, kind_doubt=None, kind_certain=True, **names)
    return ssd, replace(hard, suggestion=suggest(hard, DESKTOP.id)), stick


def findings(disk: Disk) -> Sequence[Finding]:
    """Findings of the hard disk: one that can be set, and two to be done by hand."""
    return many_findings(disk, "/etc/udev/rules.d/60-read-ahead.rules:1")[:3] if disk.name == "sda" else ()


def plain(measured: Result) -> Result:
    """A home user's result, without the curves and doubts that the stand-in shows elsewhere."""
    assert measured.filesystem is not None
    return replace(
        measured,
        app_version="1.0",
        machine=Machine("6.12.48", "Debian GNU/Linux 13", "Intel Core i5-8250U", 8 << 30, ""),
        filesystem=replace(measured.filesystem, path=str(HOME)),
        samples=tuple(
            replace(sample, valid=True, reason=None) for sample in measured.samples if sample.metric in METRICS
        ),
        metrics=METRICS,
        warnings=(),
    )


class PictureBench(Bench):
    """The stand-ins' bench, of a computer with a home."""

    def __init__(self, disks: Sequence[Disk], kept: Path) -> None:
        super().__init__(disks, kept)
        put_into(self, Decision.SWITCH)
        world = self.world
        self.world = lambda measured: plain(world(measured))
        self.findings = findings

    def places(self, disk: Disk) -> tuple[Target, ...]:
        """Folders that need not exist, since nothing is written."""
        return tuple(
            Target(HOME if mount.path == "/home" else Path(mount.path), mount, (disk,)) for mount in disk.mounts
        )


def at_work(source: random.Random) -> dict[str, Figures]:
    """A little activity on every disk, so that the curves on the cards move."""
    quiet = parse_stat("0 0 0 0 0 0 0 0 0 0 0", 0.0)

    def figures(most: int) -> Figures:
        read, written = source.randrange(most), source.randrange(most)
        return parse_stat(f"{read // 8} 0 {read} 90 {written // 8} 0 {written} 90 1 400 900", 1.0).since(quiet)

    return {"nvme0n1": figures(400_000), "sda": figures(200_000), "sdb": figures(20_000)}


def keep_two(folder: Path, newer: Result, note: str) -> None:
    """Keep two results of the same disk: the first one slower, with a note that says why."""
    store = Store(folder)
    slower = tuple(
        replace(sample, value=sample.value * (1.6 if "launch" in sample.metric else 0.6)) for sample in newer.samples
    )
    store.save(replace(newer, id="first", created="2026-11-14T09:30:00Z", samples=slower, notes=note))
    store.save(replace(newer, id="second", created="2026-11-21T10:15:00Z"))


class GuideWalk(Walk):
    """A newcomer's way through the window; ``pictures`` are those taken, PNG files by their paths."""

    def __init__(self, language: str) -> None:
        folder = TemporaryDirectory()
        super().__init__(PictureBench(disks(Path(folder.name)), Path(folder.name)), folder)
        self.pictures: dict[str, bytes] = {}
        self._language = language

    def see(self, name: str, widget: QWidget | None = None) -> None:
        """Take a picture if the guide has it."""
        if name in TAKEN:
            self.take(*TAKEN[name])

    def take(self, name: str, height: int = HEIGHT, widget: QWidget | None = None) -> None:
        """Take a picture once everything is laid out and nothing is left to do."""
        self.window.resize(WIDTH, height)
        self.rest()
        self.pictures[GUIDE.format(language=self._language, name=name)] = file_of(widget or self.window)
        if name in SHOWN:
            self.shoot(name)
        if name == "result":
            plain = QApplication.palette()
            QApplication.setPalette(dark_palette())
            self.shoot("result-dark")
            QApplication.setPalette(plain)
            settle()

    def shoot(self, name: str) -> None:
        """Take a picture in the catalogues' size."""
        if self._language == "en":
            self.window.resize(SHOT / SHOT_SCALE)
            settle()
            self.rest()
            picture = QImage(SHOT, QImage.Format.Format_RGB32)
            picture.setDevicePixelRatio(SHOT_SCALE)
            self.window.render(picture)
            self.pictures[SCREEN_SHOT.format(name=name)] = file_of(self.window, picture)

    def walk(self) -> None:
        self.open()
        self.to_check_up()
        self.window.back()
        self.measure()
        self._answer()
        self._apply()
        self._history()
        self.end()

    def open(self) -> None:
        """Show the window, and take its first page."""
        self.running.start()
        until(lambda: self.running.ready and all(card.findings is not None for card in self.window.disks_page.cards))
        self._work()
        self.take("disks")
        self.press("page-monitor")
        self._work()
        self.shoot("monitor")
        self.press("page-disks")

    def _work(self) -> None:
        """A minute of activity, in place of the disks' own figures."""
        self.running.activity.set_running(False)
        source = random.Random(5)
        for _ in range(60):
            self.running.activity.figures.emit(at_work(source))

    def measure(self) -> None:
        """From the disk's card to the result."""
        self.find_best("sda", DESKTOP.id)
        self.to_cost()
        self.to_run(HELD_AT)
        until(self.measurement.running_page.lanes.accessibleDescription)
        self.take("measuring")
        self.to_end()

    def _answer(self) -> None:
        menu = self.result.save_button.menu()
        menu.popup(self.window.mapToGlobal(self.window.rect().center()))
        self.take("save", widget=menu)
        menu.close()
        self.pictures[GUIDE.format(language=self._language, name="posted")] = exported(self.result.presented.result)

    def _apply(self) -> None:
        hard, banner = self.bench.disks[1], self.try_now()
        banner.findChild(QTimer).stop()  # or the picture would show how long this took, as would what is set here
        banner.left.setText(text("trial-left", scheduler="bfq", disk=titles([hard]), left=round(TRY_S)))
        self.take("try")
        banner.ways[1].trigger()
        until(lambda: self.window.measurement is None)
        chosen = replace(hard, scheduler="bfq", persistent=PersistentChoice("bfq", {}))
        self.bench.helper.first |= {"sda": ("mq-deadline", {})}
        self.bench.show(self.bench.disks[0], chosen, self.bench.disks[2])
        card = self.window.disks_page.card("sda")
        until(lambda: "bfq" in said(card) and card.findings)
        self.take("chosen", widget=card)

    def _history(self) -> None:
        self.window.show_notice("")
        keep_two(self.bench.kept, self.bench.world(result(6)), NOTES[self._language])
        self.press("page-history")
        page = self.window.page("history")
        until(lambda: page.model.rowCount() == 2)
        page.table.selectAll()
        self.take("history", LOW - 140)
        page.compare_button.click()
        until(lambda: self.window.opened)
        self.take("compared")


def file_of(widget: QWidget, picture: QImage | None = None) -> bytes:
    """Return a widget's picture as a PNG file that carries its words."""
    return small(picture or widget.grab().toImage(), "\n".join(words(widget)))


def words(widget: QWidget) -> Iterator[str]:
    """Yield all its text, top down within each part; of a chart, its accessible description."""
    for part in (widget, *widget.findChildren(QWidget)):
        if part.visibleRegion().isEmpty():
            continue
        if isinstance(part, QMenu):
            yield from (action.text().replace("&", "") for action in part.actions() if action.text())
        elif isinstance(part, QComboBox):
            yield part.currentText()
        elif isinstance(part, Picture):
            yield f"{part.accessibleName()}: {part.accessibleDescription()}"
        elif isinstance(part, QTableView):
            yield from seen(part)
        else:
            yield from (sentence.replace("&", "") for sentence in seen(part))


def exported(result: Result) -> bytes:
    """Return the exported result; its words are those of the table for a forum."""
    table = next(form for form in FORMATS if form.suffix == ".md")
    return small(QImage.fromData(render(FORMATS[0], result, "light")), render(table, result).decode(), NARROW)


def on_a_plain_screen() -> None:
    """Begin the application on a screen and with fonts that are the same everywhere; nothing moves by itself."""
    for name in OTHERS:
        os.environ.pop(name, None)
    os.environ |= SCREEN
    time.tzset()
    wear(dressed("-style", "Fusion"), Wishes(calm=True))


def all_pictures() -> Iterator[tuple[str, bytes]]:
    """Return each picture's file, by its path below docs/."""
    on_a_plain_screen()
    for id_ in NOTES:
        with speaking(language_of(id_)):
            walk = GuideWalk(id_)
            walk.walk()
        yield from walk.pictures.items()
    for file in sorted(MEASURED.glob("*.json")):
        yield f"{MEASURED.name}/{file.stem}.png", exported(load(file))


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else DOCS
    for name, file in all_pictures():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or difference(path.read_bytes(), file):
            path.write_bytes(file)
            print(path)


if __name__ == "__main__":
    main()
