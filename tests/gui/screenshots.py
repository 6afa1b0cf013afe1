# SPDX-License-Identifier: GPL-3.0-or-later
"""Walks through every page and state of the window, saves pictures, and checks that nothing is clipped and answers are
visible without scrolling.

``screenshots.py FOLDER`` saves light and dark pictures at the usual size and of a window that fills small and large
screens of all scales, in English, and some of these in every language; with ``LANGUAGE LOOK SCREEN SCALE`` (``cs dark
1366x768 2``) those of one screen. It prints the faults. FOLDER ``-`` only checks. ``screenshots.py first`` walks with
nothing loaded before, and prints what threads imported. The language ``pseudo`` is longer than any other.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "app")]

from PySide6.QtWidgets import QAbstractButton, QApplication, QWidget  # noqa: E402

from disktuner.block.counters import Figures, parse_stat  # noqa: E402
from disktuner.block.disk import Disk, full_name  # noqa: E402
from disktuner.experiment.events import Part  # noqa: E402
from disktuner.gui.export import Exporter  # noqa: E402
from disktuner.gui.main import dress  # noqa: E402
from disktuner.gui.measurement.sitting_page import SittingPage  # noqa: E402
from disktuner.gui.sheet import wear  # noqa: E402
from disktuner.gui.state import Over, State  # noqa: E402
from disktuner.gui.widgets.change_dialog import ChangeDialog  # noqa: E402
from disktuner.gui.widgets.check_page import CheckPage  # noqa: E402
from disktuner.gui.wishes import Wishes  # noqa: E402
from disktuner.presentation import present  # noqa: E402
from disktuner.report.exporting import FORMATS  # noqa: E402
from disktuner.results.store import Store  # noqa: E402
from disktuner.standing import Memory  # noqa: E402
from disktuner.verdict.outcomes import Decision  # noqa: E402
from disktuner.vocabulary import kinds  # noqa: E402
from disktuner.vocabulary.errors import HelperNotThere  # noqa: E402
from disktuner.vocabulary.languages import LANGUAGES, language_of  # noqa: E402
from disktuner.vocabulary.messages import language, message, speaking, text  # noqa: E402
from disktuner_watch.causes import FreezeReason  # noqa: E402
from disktuner_watch.window.incident_dialog import IncidentDialog  # noqa: E402
from tests.catalogues import pseudo  # noqa: E402
from tests.gui.answers import put_into  # noqa: E402
from tests.gui.contrast import hard_to_see, unseen_focus  # noqa: E402
from tests.gui.emptiness import largest_empty  # noqa: E402
from tests.gui.measuring import below_the_fold, complaints, lay_out, not_said, place_unsaid  # noqa: E402
from tests.gui.palettes import dark_palette  # noqa: E402
from tests.gui.person import idle, pressable, seen, settle, until  # noqa: E402
from tests.gui.stand_ins import Bench, MemoryRecorder, many_findings, read_ahead_of, result, some_disks  # noqa: E402
from tests.gui.walk import Walk, dressed  # noqa: E402
from tests.gui.watchdog import ThreadImports  # noqa: E402
from tests.unit.watch.planted import planted  # noqa: E402

THEIRS = (
    "nothing like it",
    "before the new cable",
    "write through",
    "the bridge hides the disk",
    "Compressed memory has no queue to tune.",
    "Reading /sys was refused. Start Disktuner as your usual user.",
)
"""Texts that are never translated: those of this walk, and the kernel's."""

EMPTY = (
    "00-loading",
    "15-check-nothing",
    "18-check-gone",
    "20-looking",
    "40-history-empty",
    "44-history-not-found",
    "52-unreadable",
    "53-empty",
)
"""States in which there is nothing to show, or not yet."""
MOST_EMPTY = 1 / 3
"""The largest share of any other page that may be empty in one piece, on a screen of 1366×768."""

LOOKS, SIZES, SCALES = ("light", "dark", "contrast"), ("1366x768", "3840x2160"), ("1", "1.5", "2")
READ_AHEAD = "queue/read_ahead_kb"
NOT_THERE = HelperNotThere("helper-not-installed")
ANSWERED = Memory(
    "first", "bfq: 1.4×", "sda", Decision.UNDECIDED, "bfq", "none", (("bfq", 0.7), ("kyber", 0.9), ("none", 1.0))
)
GAINS = {"bfq:timeout_sync=40": 1.8}


def busy() -> dict[str, Figures]:
    """Much activity on all disks, in long figures."""
    before = parse_stat("0 0 0 0 0 0 0 0 0 0 0", 0.0)
    after = parse_stat("54321 0 2987654 98765 43210 0 1987654 123456 128 1000 9000", 1.0)
    return dict.fromkeys(("nvme0n1", "sda", "sdb", "zram0"), after.since(before))


def keep_some(folder: Path) -> None:
    """Keep two results of a disk with a long name, one with a note, and a file that is no result."""
    store = Store(folder)
    disk = {"name": "sdb", "vendor": "SanDisk", "model": "Extreme Pro Donaudampfschifffahrtsgesellschaft"}
    first = replace(result(6), id="first", created="2026-01-01T10:00:00Z", disk=disk, notes="before the new cable")
    slower = tuple(
        replace(sample, value=sample.value * (2 if "launch" in sample.metric else 1)) for sample in first.samples
    )
    store.save(first)
    store.save(replace(first, id="second", created="2026-01-02T10:00:00Z", samples=slower, notes=""))
    (folder / "cut.json").write_text("{", encoding="utf-8")


class Tour(Walk):
    """A walk through all pages and states. ``found`` holds the faults, by picture; ``pages`` are the ids of
    the pages seen.
    """

    def __init__(self, folder: Path | None = None, prefix: str = "", *, fill: bool = False, seen: bool = False) -> None:
        self._folder, self._prefix, self._fill, self._seen = folder, prefix, fill, seen
        self.faults, self.pages = dict[str, list[str]](), set[str]()
        self._readable = Event()
        results = TemporaryDirectory()
        bench = Bench(some_disks(folder or Path.cwd()), Path(results.name), plays=3, points=2)
        super().__init__(bench, results, self._read)
        self.bench.cautions = (message("battery-now"),)

    def _read(self) -> Sequence[Disk]:
        """Held until the picture of the loading window is taken."""
        self._readable.wait()
        return self.bench.disks

    def see(self, name: str, widget: QWidget | None = None) -> None:
        """Look at a state: the window as it is, or a whole page."""
        part = widget or self.window
        if self._readable.is_set():
            self.rest()
        settle()
        if self._folder is not None:
            lay_out()
            assert part.grab().save(str(self._folder / f"{self._prefix}-{name}.png"))
        wrong = complaints(part)
        if language() is pseudo.language():
            wrong += not_said(part, THEIRS)
        if part is self.window:
            wrong += [*place_unsaid(self.window), *self._too_empty(name)]
            state = self.running.state
            self.pages.add(state.top.id if state.top is not None else state.page)
        if self._seen:
            part.window().activateWindow()
            until(part.window().isActiveWindow)
            wrong += [*hard_to_see(part), *unseen_focus(part)]
        if wrong:
            self.faults[name] = wrong

    def _too_empty(self, name: str) -> list[str]:
        """Tell whether too much of a page is empty, on an ordinary screen."""
        screen = self.window.screen()
        if name in EMPTY or not self._fill or f"{screen.size().width()}x{screen.size().height()}" != SIZES[0]:
            return []
        share = largest_empty(self.window)
        return [f"{share:.0%} of it are empty"] if share > MOST_EMPTY else []

    def walk(self, then: Callable[[], object] = lambda: None) -> None:
        self.running.start()
        if self._fill:
            self.window.showMaximized()
        self.see("00-loading")
        self._readable.set()
        until(lambda: self.running.ready and len(self.window.disks_page.cards) == 3)
        self._disks()
        self._change()
        self._check_up()
        self._portrait()
        self._measurement()
        self._answers()
        self._tuning()
        self._history()
        self._states()
        then()
        self.end()

    def _disks(self) -> None:
        self.running.activity.set_running(False)  # its own figures would take the place of these
        self.running.activity.figures.emit(busy())
        self.see("01-disks")
        fold = next(
            button
            for button in self.window.disks_page.findChildren(QAbstractButton)
            if text("show-others", count=1) == button.accessibleName()
        )
        fold.click()
        fold.setFocus()
        self.see("02-disks-all")
        fold.click()
        self.press("page-monitor")
        self.running.activity.figures.emit(busy())
        self.see("03-monitor")
        self._freezes()
        self.press("page-disks")

    def _freezes(self) -> None:
        """The recorder's freezes, and one of them."""
        incident = planted(FreezeReason.WRITE_BACK)
        assert isinstance(self.bench.recorder, MemoryRecorder)
        self.bench.recorder.kept = [incident, planted(FreezeReason.SWAPPING)]
        self.running.recording.refresh()
        until(self.window.page("monitor").recorder.table.isVisible)
        self.see("06-freezes")
        self.window.page("monitor").recorder.chosen.emit(incident.id)
        dialog = self.dialog(IncidentDialog)
        self.see("07-freeze", dialog)
        dialog.reject()

    def _change(self) -> None:
        self.running.change("sda")
        dialog = self.window.findChild(ChangeDialog)
        self.see("04-change", dialog)
        dialog.rows[0].spin.setValue(512)
        dialog.persist.setChecked(True)
        self.see("05-change-edited", dialog)
        dialog.reject()

    def _portrait(self) -> None:
        """The cost of a portrait, the growing curve, and the findings."""
        kind, disks = kinds.SD_CARD, self.bench.disks
        self.bench.change("sda", kind=kind)
        until(lambda: self.card("sda").disk.kind is kind)
        self.bench.holds_at = 44
        self.to_portrait_plan()
        self.see("60-portrait-plan")
        self.press("start-measuring")
        until(lambda: [page for page in seen(SittingPage) if page.part is Part.WRITE])
        self.see("61-portrait-running")
        self.bench.sittings[-1].resume()
        page = self.at_portrait()
        self.see("62-portrait")
        self.see("62-portrait-whole", page)
        self.window.back()
        self.bench.show(*disks)

    def _check_up(self) -> None:
        """From the line on a card to the page; what is measured and set there; and the page's other states."""
        plain, card = self.bench.disks, self.window.disks_page.card("sda")
        self._set_read_ahead(65_532)
        until(lambda: len(card.findings or ()) == 4)
        self.to_check_up()
        (page,) = self.window.findChildren(CheckPage)
        page.cards[1].fold.click()
        self.see("11-check-whole", page)
        page.cards[1].measure_button.click()
        self.at_cost()
        self.measure()
        self.see("13-check-measured")
        self.window.back()
        page.cards[1].use_button.click()
        self.bench.helper.first |= {"sda": ("mq-deadline", {READ_AHEAD: 65_532})}
        self._set_read_ahead(128)
        until(lambda: len(page.cards) == 3 and not page.foot.isHidden())
        self.see("14-check-set")
        self.bench.findings = lambda _: ()
        page.again_button.click()
        until(lambda: not page.cards)
        self.see("15-check-nothing")
        self._set_read_ahead(65_532)
        until(lambda: len(page.cards) == 4)
        self._without_helper(lambda: not page.cards[1].measure_button.isEnabled(), "16-check-no-helper", page)
        page.show_state(State())
        self.see("18-check-gone")
        self.window.back()
        self.bench.findings, self.bench.helper.first = read_ahead_of, {"sdb": ("mq-deadline", {})}
        self.bench.show(*plain)
        until(lambda: card.findings == ())

    def _set_read_ahead(self, value: int) -> None:
        self.bench.findings = many_findings
        self.bench.change("sda", {READ_AHEAD: value})

    def _without_helper(self, condition: Callable[[], object], name: str, page: QWidget | None = None) -> None:
        self.bench.helper.fails = NOT_THERE
        self.running.refresh()
        until(condition)
        self.see(name, page)
        self.bench.helper.fails = None
        self.running.refresh()
        self.window.show_notice("")
        until(lambda: not condition())

    def _measurement(self) -> None:
        self.to_purpose()
        self.window.back()
        self.running.begin("sda", "own")
        until(lambda: self.plan.own_panel.program.count() > 1)
        self.see("21-own-command")
        self.window.back()
        self.to_purpose()
        self.to_cost()
        self.plan.foot.options_fold.setChecked(True)
        self.see("22-options")
        self.plan.state_option.box.click()  # chosen by itself it would give way where it is refused
        self.at_cost()
        where, announced = self.plan, self.bench.comparisons[-1].announce()
        little = message("too-little-room", folder="/home", needed=3 * 10**9, usable=10**9)
        where.show_announcement(replace(announced, refused=little))
        self.see("24-where-refused")
        where.show_announcement(replace(announced, target=replace(announced.target, disks=(self.bench.disks[2],))))
        self.see("25-where-elsewhere")
        self._running()
        banner = self.try_now()
        self.see("31-trial")
        self.press("show-difference", banner)
        until(lambda: pressable(text("show-difference"), banner))
        self.see("31-difference")
        banner.back_button.click()
        until(self.result.use_button.isEnabled)
        self.window.show_notice("")
        for fold in self.details.folds:
            fold.setChecked(True)
        self.see("32-result-all", self.result)
        self.window.back()

    def _running(self) -> None:
        self.to_run(10)
        self.see("26-running")
        self.measurement.running_page.pause_button.click()
        self.see("27-paused")
        self.window.back()
        assert self.window.question is not None
        self.see("28-question", self.window.question)
        self.window.question.reject()
        self.to_end()

    def _answers(self) -> None:
        for decision in Decision:
            put_into(self.bench, decision)
            self.to_result()
            assert self.result.presented.verdict.decision is decision
            self.see(f"33-{decision}")
            if low := below_the_fold(self.result):
                self.faults[f"33-{decision}-fold"] = low
            self.see(f"33-{decision}-whole", self.result)
            if decision is Decision.UNDECIDED:
                self._measure_on()
            self.window.back()

    def _measure_on(self) -> None:
        """From a result to the announcement of more rounds; and a disk that has disappeared."""
        page, disks = self.result, self.bench.disks
        self.bench.show(*disks[:1])
        until(lambda: not page.more_button.isEnabled())
        self.see("34-gone")
        self.bench.show(*disks)
        until(page.more_button.isEnabled)
        memories = self.running.state.memories
        self.running.become(memories={full_name(partial(getattr, disk)): ANSWERED for disk in disks})
        page.more_button.click()
        self.at_cost()
        self.see("34-measure-on")
        self.running.become(memories=memories)
        self.window.back()

    def _tuning(self) -> None:
        """From a winner to the settings beside it: one gains, and none gains enough."""
        put_into(self.bench, Decision.SWITCH)
        for gains, name in ((GAINS, "gained"), ({}, "gains-nothing")):
            self.bench.gains = gains
            self.to_result()
            self.details.tune_button.click()
            self.at_cost()
            self.see(f"35-tuning-{name}-announced")
            self.to_run(2 * len(self.bench.comparisons[-1].settings) + 1)
            until(self.measurement.running_page.lanes.accessibleDescription)
            self.see(f"36-tuning-{name}-running")
            self.see(f"36-tuning-{name}-running-whole", self.measurement.running_page)
            self.bench.go_on()
            self.at_result()
            self.see(f"37-tuning-{name}")
            self.details.folds[0].setChecked(True)
            self.see(f"37-tuning-{name}-whole", self.result)
            self.window.back()

    def _history(self) -> None:
        self.press("page-history")
        idle()
        self.see("40-history-empty")
        keep_some(self.bench.kept)
        self.press("page-history")
        page = self.window.page("history")
        until(lambda: page.model.rowCount() == 3)
        page.table.selectRow(0)
        self.see("41-history")
        page.open_button.click()
        until(lambda: self.window.opened)
        self.see("42-history-opened")
        self.window.back()
        page.table.setSelectionMode(page.table.SelectionMode.MultiSelection)
        page.table.selectRow(1)
        page.compare_button.click()
        until(lambda: self.window.opened)
        self.see("43-history-compared")
        self.window.back()
        page.search.setText("nothing like it")
        self.see("44-history-not-found")
        self.press("page-disks")

    def _states(self) -> None:
        self._without_helper(lambda: text("helper-not-installed") in self.window.standing.text, "50-no-helper")
        lonely = replace(self.bench.disks[2], mounts=(), persistent=None, kind=kinds.HDD)
        self.bench.show(lonely)
        until(lambda: [card.disk for card in self.window.disks_page.cards] == [lonely])
        self.see("51-not-mounted")
        self._readable.clear()  # or what is read next would take the place of this
        self.window.disks_page.show_failure("Reading /sys was refused. Start Disktuner as your usual user.")
        self.see("52-unreadable")
        self._readable.set()
        self.bench.show()
        until(lambda: not self.window.disks_page.cards)
        self.see("53-empty")

    def save_all(self) -> None:
        """Save a result in each form, add the picture to the history, and put one on the clipboard."""
        exporter = Exporter(self.window, self.running.in_thread, self.running.notified.emit)
        presented, notice = present(result(6)), self.window.notice
        with TemporaryDirectory() as folder:
            for number, form in enumerate(FORMATS):
                file = Path(folder) / f"{number}{form.suffix}"
                exporter.save(presented, form, file)
                until(file.exists)
            self.running.measuring.history.add(Path(folder) / "0.png")
            until(lambda: self.window.opened)
        self.window.show_notice("")
        exporter.copy(presented, False)
        until(lambda: notice.text)


def on_screen(folder: Path | None, id_: str, look: str, size: str, scale: str, **env: str) -> dict[str, list[str]]:
    """In a process of its own, since a screen and its scale hold for a whole process."""
    width, height = map(int, size.split("x"))
    screen = {"name": "one", "x": 0, "y": 0, "width": width, "height": height, "logicalDpi": 96, "dpr": 1}
    with TemporaryDirectory() as place:
        described = Path(place) / "screen.json"
        described.write_text(json.dumps({"screens": [screen]}))
        env |= {"QT_QPA_PLATFORM": f"offscreen:configfile={described}", "QT_SCALE_FACTOR": scale}
        argv = [sys.executable, "-I", "-X", "faulthandler", __file__, str(folder or "-"), id_, look, size, scale]
        run = subprocess.run(argv, env=os.environ | env, cwd=place, capture_output=True, text=True, check=False)
    if run.returncode:
        return {f"ended with {run.returncode}": [run.stderr]}
    return dict(json.loads(run.stdout.splitlines()[-1]))


def tour(folder: Path | None, look: str, prefix: str, *, fill: bool, seen: bool = False) -> dict[str, list[str]]:
    """Walk in this process, with all libraries loaded; return the faults."""
    application = QApplication.instance() or dressed()
    assert isinstance(application, QApplication)
    wear(application, Wishes(high_contrast=look == "contrast", calm=look == "contrast"))
    if look != "light":
        application.setPalette(dark_palette())
        settle()
    walk = Tour(folder, prefix, fill=fill, seen=seen)
    walk.walk()
    assert walk.pages == {"disks", "monitor", "history", *Over}, "each page was seen"
    return walk.faults


def first() -> list[str]:
    """Walk with each page being the first of its kind; return the modules that threads imported."""
    imports = ThreadImports()
    sys.meta_path.insert(0, imports)
    application = QApplication(["disktuner"])
    dress(application)
    walk = Tour()
    walk.walk(then=walk.save_all)
    idle()  # no thread may still draw when the program ends
    return imports.names


def one_screen(folder: Path | None, id_: str, look: str, size: str, scale: str) -> dict[str, list[str]]:
    """Walk in a language that fills a screen; on a small one in English, also look for what is hard to see."""
    # not with other letters than those of the picture, on which it is measured
    seen = (id_, size) == ("en", SIZES[0]) and scale != SCALES[-1] and "QT_FONT_DPI" not in os.environ
    with speaking(pseudo.language() if id_ == "pseudo" else language_of(id_)):
        return tour(folder, look, f"{id_}-{look}-{size}-{scale}", fill=True, seen=seen)


def main(what: str, *screen: str) -> None:
    folder = None if what == "-" else Path(what).resolve()
    if what == "first":
        print(json.dumps(first()))
    elif screen:
        print(json.dumps(one_screen(folder, *screen)))
    else:
        for look in LOOKS:
            print(json.dumps(tour(folder, look, look, fill=False), indent=1, ensure_ascii=False))
        screens = [*product(("en",), LOOKS, SIZES, SCALES), *product((*LANGUAGES, "pseudo"), LOOKS, SIZES[:1], SCALES)]
        with ThreadPoolExecutor(2) as pool:
            for combination, complaints in zip(
                screens, pool.map(lambda screen: on_screen(folder, *screen), screens), strict=True
            ):
                print(" ".join(combination), json.dumps(complaints, indent=1, ensure_ascii=False))


if __name__ == "__main__":
    main(*sys.argv[1:])
