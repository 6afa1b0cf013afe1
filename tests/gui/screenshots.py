# SPDX-License-Identifier: GPL-3.0-or-later
"""Walks through every page and state of the window, keeps pictures, and measures that nothing is clipped.

``screenshots.py FOLDER`` writes light and dark pictures at the usual size and of a window that fills small and large
screens of all scales, in English, and some of these in every language; with ``LANGUAGE LOOK SCREEN SCALE`` (``cs dark
1366x768 2``) those of one screen. It prints what it finds wrong. FOLDER ``-`` only measures. ``screenshots.py first``
walks with nothing loaded before, and prints what threads imported. The language ``pseudo`` is longer than any other.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from functools import partial
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event
from typing import ClassVar

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "app")]

from PySide6.QtCore import QAbstractEventDispatcher, QDeadlineTimer, QEventLoop, QTimer  # noqa: E402
from PySide6.QtWidgets import QApplication, QScrollArea, QToolButton, QWidget  # noqa: E402

from disktuner.block.counters import Figures, parse_stat  # noqa: E402
from disktuner.block.disk import Disk, PersistentChoice  # noqa: E402
from disktuner.gui.application import Application, dress  # noqa: E402
from disktuner.gui.libraries import load_drawing, load_judging  # noqa: E402
from disktuner.gui.palettes import contrast_palette, dark_palette, wear  # noqa: E402
from disktuner.gui.widgets.change_dialog import ChangeDialog  # noqa: E402
from disktuner.gui.widgets.check_page import CheckPage  # noqa: E402
from disktuner.gui.widgets.keep_dialog import KeepDialog  # noqa: E402
from disktuner.gui.wishes import Wishes  # noqa: E402
from disktuner.gui.wizard.result_page import ResultPage  # noqa: E402
from disktuner.gui.wizard.wizard import Wizard  # noqa: E402
from disktuner.presentation import present  # noqa: E402
from disktuner.report.exporting import FORMATS  # noqa: E402
from disktuner.results.store import Store  # noqa: E402
from disktuner.verdict.model import Decision  # noqa: E402
from disktuner.vocabulary import kinds  # noqa: E402
from disktuner.vocabulary.errors import HelperNotThere  # noqa: E402
from disktuner.vocabulary.languages import LANGUAGES, language_of  # noqa: E402
from disktuner.vocabulary.messages import Language, language, message, speaking  # noqa: E402
from tests.catalogues import pseudo  # noqa: E402
from tests.gui.answers import put_into  # noqa: E402
from tests.gui.contrast import hard_to_see, unseen_focus  # noqa: E402
from tests.gui.measuring import complaints, lay_out, not_said  # noqa: E402
from tests.gui.stand_ins import Bench, many_findings, read_ahead_of, result, some_disks  # noqa: E402
from tests.gui.watchdog import ThreadImports, Watchdog  # noqa: E402

SETTLE_MS = 40
ANSWERS = {
    Decision.SWITCH: "33-switch",
    Decision.TRADE_OFF: "33-trade-off",
    Decision.KEEP: "33-keep",
    Decision.UNDECIDED: "33-undecided",
}
THEIRS = (
    "before the new cable",
    "the bridge hides the disk",
    "Compressed memory has no queue to tune.",
    "Reading /sys was refused. Start Disktuner as your usual user.",
)
"""What this walk makes up is not translated."""

LOOKS, SIZES, SCALES = ("light", "dark", "contrast"), ("1366x768", "3840x2160"), ("1", "1.5", "2")


def busy() -> Figures:
    """Much at once, in long figures."""
    before = parse_stat("0 0 0 0 0 0 0 0 0 0 0", 0.0)
    return parse_stat("54321 0 2987654 98765 43210 0 1987654 123456 128 1000 9000", 1.0).since(before)


def wait(ms: int) -> None:
    loop = QEventLoop()
    QTimer.singleShot(ms, loop.quit)
    loop.exec()
    if Tour.watchdog is not None:
        Tour.watchdog.loop_left()


def until(holds: Callable[[], object], seconds: float = 60) -> None:
    deadline = QDeadlineTimer(int(seconds * 1000))
    while not holds():
        assert not deadline.hasExpired()
        wait(20)


def keep_some(folder: Path) -> None:
    """Two results of a disk with a long name, one with a note, and a file that is none."""
    store = Store(folder)
    disk = {"name": "sdb", "vendor": "SanDisk", "model": "Extreme Pro Donaudampfschifffahrtsgesellschaft"}
    first = replace(result(6), id="first", created="2026-01-01T10:00:00Z", disk=disk, notes="before the new cable")
    slower = tuple(replace(each, value=each.value * (2 if "launch" in each.metric else 1)) for each in first.samples)
    store.save(first)
    store.save(replace(first, id="second", created="2026-01-02T10:00:00Z", samples=slower, notes=""))
    (folder / "cut.json").write_text("{", encoding="utf-8")


class Tour:
    """One walk. ``found`` holds what was wrong, by picture."""

    watchdog: ClassVar[Watchdog | None] = None

    def __init__(self, folder: Path | None, prefix: str, *, fill: bool, seen: bool = False) -> None:
        self._folder, self._prefix, self._fill, self._seen = folder, prefix, fill, seen
        self.states = 0
        self.found: dict[str, list[str]] = {}
        self._kept = TemporaryDirectory()
        self.bench = Bench(some_disks(folder or Path.cwd()), pace_s=0.002, kept=Path(self._kept.name))
        self.bench.rounds = 5
        self.bench.helper.first = {"sdb": ("mq-deadline", {})}
        self.bench.cautions = (message("battery-now"),)
        self._readable = Event()
        self.app = Application(replace(self.bench.sources(), read_disks=self._read))

    def _read(self) -> Sequence[Disk]:
        """Only when the picture of what is shown until then is taken."""
        assert self._readable.wait(60)
        return self.bench.disks

    @property
    def wizard(self) -> Wizard:
        found = self.app.window.wizard
        assert found is not None
        return found

    def shot(self, name: str, widget: QWidget | None = None) -> None:
        wait(SETTLE_MS)
        shown = widget or self.app.window
        until(lambda: all(area.updatesEnabled() for area in shown.findChildren(QScrollArea)))  # else it stays empty
        self.states += 1
        with self._looking_away():
            if self._folder is not None:
                lay_out()
                shown.grab().save(str(self._folder / f"{self._prefix}-{name}.png"))
            wrong = complaints(shown) + self._untranslated(shown)
            faint = self._faint(shown) if self._seen else []
        if wrong:  # what goes on may have changed the page in this moment: only what stays is wrong
            wait(SETTLE_MS)
            with self._looking_away():
                wrong = complaints(shown)
        if wrong or faint:
            self.found[name] = [*wrong, *faint]

    def _faint(self, shown: QWidget) -> list[str]:
        """What is hard to see in the window that is used."""
        top = shown.window()
        top.activateWindow()
        until(top.isActiveWindow)
        return [*hard_to_see(shown), *unseen_focus(shown)]

    def _untranslated(self, shown: QWidget) -> list[str]:
        return not_said(shown, THEIRS) if language() is pseudo.language() else []

    def _looking_away(self) -> AbstractContextManager[None]:
        return self.watchdog.looking_away() if self.watchdog else nullcontext()

    def walk(self, then: Callable[[], object] = lambda: None) -> None:
        self.app.start()
        if self._fill:
            self.app.window.showMaximized()
        self.shot("00-loading")
        self._readable.set()
        until(lambda: len(self.app.window.disks_page.cards) == 3 and not self.app._jobs)
        self._disks()
        self._change()
        self._check_up()
        self._to_running()
        self._running()
        self._results()
        self._history()
        self._states()
        then()
        self.app.window.close()
        wait(50)
        self._kept.cleanup()

    def _tab(self, number: int) -> None:
        self.app.window.findChildren(QToolButton)[number].click()

    def _disks(self) -> None:
        window = self.app.window
        self.app.activity.set_running(False)  # on a slow machine its own figures would take the place of these
        self.app.activity.figures.emit(dict.fromkeys(("nvme0n1", "sda", "sdb", "zram0"), busy()))
        self.shot("01-disks")
        window.disks_page._fold.click()
        window.disks_page._fold.setFocus()
        wait(SETTLE_MS)
        bar = window.disks_page._scroll.verticalScrollBar()
        bar.setValue(bar.maximum())
        self.shot("02-disks-all")
        window.disks_page._fold.click()
        self._tab(1)
        self.app.activity.figures.emit(dict.fromkeys(("nvme0n1", "sda", "sdb", "zram0"), busy()))
        self.shot("03-monitor")
        self._tab(0)

    def _change(self) -> None:
        self.app.change("sda")
        dialog = self.app.window.findChild(ChangeDialog)
        self.shot("04-change", dialog)
        dialog.rows[0].spin.setValue(512)
        dialog.persist.setChecked(True)
        self.shot("05-change-edited", dialog)
        dialog.scheduler.setCurrentIndex(dialog.scheduler.findData("kyber"))
        self.shot("06-change-other", dialog)
        dialog.reject()
        wait(SETTLE_MS)

    def _check_up(self) -> None:
        """From the line on a card to the page; what is measured and set there; and the page in its other states."""
        window, plain = self.app.window, self.bench.disks
        card = window.disks_page.card("sda")
        self.bench.findings = many_findings
        self._set_read_ahead(plain, 65_532)
        until(lambda: len(card.findings or ()) == 4)
        self.shot("50-card-with-findings")
        card.check_line.link.click()
        page = window.opened and window.opened.content
        assert isinstance(page, CheckPage)
        self.shot("51-check")
        page.cards[1].fold.click()
        self.shot("51-check-whole", page)
        page.cards[1].measure_button.click()
        until(self.wizard.next_button.isEnabled)
        self.shot("52-check-where")
        self.wizard.next()
        until(lambda: self.wizard.running_page._bar.value() > 5)
        self.shot("53-check-measuring")
        until(lambda: self.wizard.step == 3)
        self.shot("54-check-measured")
        window.back()
        page.cards[1].use_button.click()
        self.bench.helper.first |= {"sda": ("mq-deadline", {"queue/read_ahead_kb": 65_532})}
        self._set_read_ahead(plain, 128)
        until(lambda: len(page.cards) == 3 and not page.foot.isHidden())
        self.shot("55-check-set")
        self.bench.findings = lambda _: ()
        page.again_button.click()
        until(lambda: not page.cards)
        self.shot("56-check-nothing")
        self.bench.findings = many_findings
        self._set_read_ahead(plain, 65_532)
        until(lambda: len(page.cards) == 4)
        self.bench.helper.fails = HelperNotThere("helper-not-installed")
        self.app.actions.refresh()
        until(lambda: not page.cards[1].measure_button.isEnabled())
        self.shot("57-check-no-helper")
        self.shot("57-check-no-helper-whole", page)
        self.bench.helper.fails = None
        self.app.actions.refresh()
        until(page.cards[1].measure_button.isEnabled)
        window.show_notice("")
        page.show_findings(None)
        self.shot("58-check-looking")
        page.show_gone()
        self.shot("59-check-gone")
        window.back()
        self.bench.findings, self.bench.disks = read_ahead_of, plain
        self.bench.helper.first = {"sdb": ("mq-deadline", {})}
        self.bench.changed()
        until(lambda: card.findings == ())

    def _set_read_ahead(self, disks: Sequence[Disk], value: int) -> None:
        self.bench.disks = tuple(
            replace(each, tunables={**each.tunables, "queue/read_ahead_kb": value}) if each.name == "sda" else each
            for each in disks
        )
        self.bench.changed()

    def _to_running(self) -> None:
        self.app.find_best("sda")
        self.shot("10-goal")
        page = self.wizard.goal_page
        page.choose("own")
        wait(300)
        self.shot("15-own-command")
        page.own_panel.program.setCurrentIndex(min(1, page.own_panel.program.count() - 1))
        self.shot("16-own-program")
        page.choose("desktop")
        self.wizard.next()
        self.shot("11-where-looking")
        until(self.wizard.next_button.isEnabled)
        self.shot("12-where")
        self.wizard.where_page.show_announcement(
            replace(
                self.bench.announced(),
                refused=message("too-little-room", folder="/home", needed=3 * 10**9, usable=10**9),
            )
        )
        self.shot("13-where-refused")
        other = replace(self.bench.announced(), disk=self.bench.disks[2], disks=("sdb",))
        self.wizard.where_page.show_announcement(other)
        self.shot("14-where-elsewhere")
        self.wizard.next()

    def _running(self) -> None:
        window, page = self.app.window, self.wizard.running_page
        self.shot("20-preparing")
        until(lambda: page._bar.value() > 20)
        page.pause_button.click()
        self.shot("21-paused")
        window.back()
        assert window.question is not None
        self.shot("22-question", window.question)
        window.question.reject()
        page.pause_button.click()
        self.shot("23-running")
        until(lambda: self.wizard.step == 3)

    def _results(self) -> None:
        page = self.wizard.result_page
        assert page is not None
        self.shot("30-result")
        page.use_button.click()
        until(lambda: self.app.window.findChild(KeepDialog))
        dialog = self.app.window.findChild(KeepDialog)
        self.shot("31-keep", dialog)
        dialog.reject()
        wait(100)
        for fold in page.folds:
            fold.setChecked(True)
        self.shot("32-result-all", page)
        for decision, name in ANSWERS.items():
            put_into(self.bench, decision)
            self.app.window.back()
            self.app.find_best("sda")
            self.wizard.next()
            until(self.wizard.next_button.isEnabled)
            self.wizard.next()
            until(lambda: self.wizard.step == 3)
            self.shot(name)
            assert self.wizard.result_page is not None
            assert self.wizard.result_page.presented.verdict.decision is decision
            self.shot(f"{name}-whole", self.wizard.result_page)
        self._measure_on()
        self._tuning()

    def _tuning(self) -> None:
        """From a winner to the settings beside it: one gains, and none gains enough."""
        for gains, name in (({"bfq:timeout_sync=40": 1.8}, "gained"), ({}, "gains-nothing")):
            put_into(self.bench, Decision.SWITCH)
            self.bench.gains = gains
            self.app.find_best("sda")
            self.wizard.next()
            until(self.wizard.next_button.isEnabled)
            self.wizard.next()
            until(lambda: self.wizard.step == 3)
            self._tune(name)
            page = self.wizard.result_page
            assert page is not None
            self.shot(f"53-tuning-{name}")
            page.folds[0].setChecked(True)
            self.shot(f"53-tuning-{name}-whole", page)
            if gains:
                self._try_setting(page)
            self.app.window.back()
        self._kept_setting()

    def _kept_setting(self) -> None:
        """The card of a disk that keeps a setting with a long name."""
        there, values = self.bench.disks, {"iosched/read_expire": 100, "iosched/writes_starved": 8}
        kept = replace(there[1], persistent=PersistentChoice("mq-deadline", values), tunables=values)
        self.bench.disks = (there[0], kept, *there[2:])
        self.bench.changed()
        until(lambda: any("writes_starved" in card._chip.text() for card in self.app.window.disks_page.cards))
        self.shot("55-tuning-kept")
        self.bench.disks = there
        self.bench.changed()
        until(lambda: not any("writes_starved" in card._chip.text() for card in self.app.window.disks_page.cards))

    def _tune(self, name: str) -> None:
        """From the offer on a result's page to the tuning's own."""
        page = self.wizard.result_page
        assert page is not None
        self.shot(f"50-tuning-offered-{name}")
        page.offer.button.click()
        until(lambda: self.wizard.step == 1 and self.wizard.next_button.isEnabled())
        self.shot(f"51-tuning-announced-{name}")
        self.wizard.next()
        running = self.wizard.running_page
        until(lambda: running.graphs is not None)
        self.shot(f"52-tuning-running-{name}")
        self.shot(f"52-tuning-running-{name}-whole", running)
        until(lambda: self.wizard.step == 3)

    def _try_setting(self, page: ResultPage) -> None:
        page.use_button.click()
        until(lambda: self.app.window.findChild(KeepDialog))
        dialog = self.app.window.findChild(KeepDialog)
        self.shot("54-tuning-keep", dialog)
        dialog.reject()
        wait(100)

    def _measure_on(self) -> None:
        """From a result to the announcement of more rounds; and a disk that is not there any more."""
        page, there = self.wizard.result_page, self.bench.disks
        assert page is not None
        self.bench.disks = there[:1]
        self.bench.changed()
        until(lambda: not page.on_button.isEnabled())
        self.shot("34-gone")
        self.bench.disks = there
        self.bench.changed()
        until(page.on_button.isEnabled)
        page.on_button.click()
        until(lambda: self.wizard.step == 1 and self.wizard.next_button.isEnabled())
        self.shot("34-measure-on")
        self.app.window.back()

    def _history(self) -> None:
        window = self.app.window
        self._tab(2)
        until(lambda: not self.app._jobs)
        self.shot("35-history-empty")
        keep_some(self.bench.kept)
        self._tab(2)
        page = window.history_page
        until(lambda: page.model.rowCount() == 3 and not self.app._jobs)
        page.table.selectRow(0)
        self.shot("36-history")
        page.open_button.click()
        until(lambda: window.opened is not None and not self.app._jobs)
        self.shot("37-history-opened")
        window.back()
        page.table.setSelectionMode(page.table.SelectionMode.MultiSelection)
        page.table.selectRow(1)
        page.compare_button.click()
        until(lambda: window.opened is not None and not self.app._jobs)
        self.shot("38-history-compared")
        window.back()
        page.search.setText("nothing like it")
        self.shot("39-history-not-found")
        self._tab(0)

    def _states(self) -> None:
        window = self.app.window
        self.bench.helper.fails = HelperNotThere("helper-not-installed")
        self.app.actions.refresh()
        self.shot("40-no-helper")
        self.bench.helper.fails = None
        lonely = replace(self.bench.disks[2], mounts=(), persistent=None, kind=kinds.HDD)
        self.bench.disks = (lonely,)
        self.bench.changed()
        until(lambda: {card.disk.name for card in window.disks_page.cards} == {"sdb"})
        self.app.find_best("sdb")
        self.wizard.next()
        self.shot("41-where-not-mounted")
        self.wizard.closed.emit()
        window.disks_page.show_failure("Reading /sys was refused. Start Disktuner as your usual user.")
        self.shot("42-unreadable")
        self.bench.disks = ()
        self.bench.changed()
        wait(400)
        window.show_notice("")
        self.shot("43-empty")


def on_screen(folder: Path | None, id_: str, look: str, size: str, scale: str, **env: str) -> dict[str, list[str]]:
    """In a process of its own, because a screen and its scale hold for a whole process."""
    width, height = map(int, size.split("x"))
    screen = {"name": "one", "x": 0, "y": 0, "width": width, "height": height, "logicalDpi": 96, "dpr": 1}
    with TemporaryDirectory() as place:
        described = Path(place) / "screen.json"
        described.write_text(json.dumps({"screens": [screen]}))
        env |= {"QT_QPA_PLATFORM": f"offscreen:configfile={described}", "QT_SCALE_FACTOR": scale}
        argv = [sys.executable, "-I", "-X", "faulthandler", __file__, str(folder or "-"), id_, look, size, scale]
        done = subprocess.run(argv, env=os.environ | env, cwd=place, capture_output=True, text=True, check=False)
    if done.returncode:
        return {f"ended with {done.returncode}": [done.stderr]}
    return dict(json.loads(done.stdout.splitlines()[-1]))


def spoken(id_: str) -> Language:
    """A language of ours by its id, or the made-up one."""
    return pseudo.language() if id_ == "pseudo" else language_of(id_)


def tour(folder: Path | None, look: str, prefix: str, *, fill: bool, seen: bool = False) -> dict[str, list[str]]:
    application = QApplication.instance() or QApplication(["disktuner"])
    assert isinstance(application, QApplication)
    dress(application)
    if look == "contrast":
        wear(application, Wishes(high_contrast=True, calm=True))
    if look != "light":
        application.setPalette(contrast_palette(dark=True) if look == "contrast" else dark_palette())
        wait(50)
    load_judging()
    load_drawing()
    import pyqtgraph  # noqa: F401

    walk = Tour(folder, prefix, fill=fill, seen=seen)
    Tour.watchdog = Watchdog(QAbstractEventDispatcher.instance())
    walk.walk()
    too_long, Tour.watchdog = Tour.watchdog.stop(), None
    if too_long:
        walk.found["all"] = [too_long]
    assert walk.states > 20
    return walk.found


def first() -> list[str]:
    """The walk of somebody for whom each page is the first of its kind; returns the modules that threads imported."""
    imports = ThreadImports()
    sys.meta_path.insert(0, imports)
    application = QApplication(["disktuner"])
    dress(application)
    walk = Tour(None, "", fill=False)
    walk.walk(then=partial(save_all, walk.app))
    assert walk.states > 20
    return imports.found


def save_all(app: Application) -> None:
    """Save a result in each form, take the picture into the history, and put one on the clipboard."""
    presented, exporter = present(result(6)), app.measuring.exporter
    with TemporaryDirectory() as folder:
        for number, form in enumerate(FORMATS):
            file = Path(folder) / f"{number}{form.suffix}"
            exporter.save(presented, form, file)
            until(lambda: not app._jobs)
            assert file.stat().st_size > 100
        app.measuring.history.add(Path(folder) / "0.png")
        until(lambda: app.window.opened is not None and not app._jobs)
    exporter.copy(presented, False)
    until(lambda: not app._jobs)


def main() -> None:
    if sys.argv[1] == "first":
        print(json.dumps(first()))
        return
    folder = None if sys.argv[1] == "-" else Path(sys.argv[1]).resolve()
    if len(sys.argv) > 2:
        id_, look, size, scale = sys.argv[2:]
        # not with other letters than those of the picture, on which it is measured
        seen = size == SIZES[0] and scale != SCALES[-1] and "QT_FONT_DPI" not in os.environ and id_ == "en"
        with speaking(spoken(id_)):
            print(json.dumps(tour(folder, look, f"{id_}-{look}-{size}-{scale}", fill=True, seen=seen)))
        return
    for look in LOOKS:
        print(json.dumps(tour(folder, look, look, fill=False), indent=1, ensure_ascii=False))
    screens = [*product(("en",), LOOKS, SIZES, SCALES), *product((*LANGUAGES, "pseudo"), LOOKS, SIZES[:1], SCALES)]
    with ThreadPoolExecutor(2) as pool:
        walks = [(screen, pool.submit(on_screen, folder, *screen)) for screen in dict.fromkeys(screens)]
    for screen, walk in walks:
        print(" ".join(screen), json.dumps(walk.result(), indent=1, ensure_ascii=False))


if __name__ == "__main__":
    started = time.monotonic()
    main()
    print(f"done in {time.monotonic() - started:.0f} s", file=sys.stderr)
