# SPDX-License-Identifier: GPL-3.0-or-later
"""From the list to a comparison, a change, back and an export, by accessible actions and keys alone.

``walk.py DISK FOLDER LOGS FILE`` uses the window on a disk, saves its result in FILE, and prints as JSON what was seen
and heard. It is started on a session bus of its own (``dbus-run-session``).
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT), str(ROOT / "app")]

from disktuner.report.exporting import FORMATS  # noqa: E402
from disktuner.vocabulary.goals import GOALS  # noqa: E402
from disktuner.vocabulary.messages import named, text  # noqa: E402
from tests.conftest import LoopDisk  # noqa: E402
from tests.gui.assistive.desk import desk, window  # noqa: E402
from tests.gui.assistive.reader import STATES, Part, Reader, role_of  # noqa: E402


class Walk:
    """Collects in its attributes what is printed at the end."""

    def __init__(self, reader: Reader, disk: LoopDisk, spoken: Path, go: Path) -> None:
        self.reader, self.disk, self._spoken, self._go = reader, disk, spoken, go
        self.nameless: dict[str, list[str]] = {}
        self.schedulers = [disk.scheduler]

    def look(self, state: str) -> None:
        """Note controls without a name in a state of the window."""
        if part := self.reader.now(self.reader.nameless):
            self.nameless[state] = part

    def card(self) -> Part:
        """The group of the disk."""
        return self.reader.card(self.disk.name)

    def became(self, scheduler: str) -> None:
        """Wait until the kernel reports this scheduler."""
        self.reader.until(lambda: self.disk.scheduler == scheduler, f"{self.disk.name} at {scheduler}")
        self.schedulers.append(scheduler)

    def lands_on(self, begin: str) -> None:
        """Wait until the heading of a new page has the focus, so that it is read out."""

        def is_there() -> bool:
            part = self.reader.focused()
            return part is not None and role_of(part) == "heading" and part.get_name().startswith(begin)

        self.reader.until(is_there, f"the focus on heading {begin}")

    def said(self, begin: str) -> None:
        """Wait until a sentence was announced and Orca spoke it, as a notification or, on a busy machine, as a heading.

        A page that is opened meanwhile would be too much news for Orca.
        """
        reader = self.reader
        reader.until(lambda: any(sentence.startswith(begin) for sentence in reader.announced), f"announced: {begin}")
        reader.until(lambda: any(begin in line for line in self.speech), f"spoken: {begin}")

    @property
    def speech(self) -> list[str]:
        """Return what Orca reports to have said."""
        lines = self._spoken.read_text(errors="replace").splitlines()
        return [line for line in lines if "SPEECH OUTPUT" in line]

    def compare(self) -> None:
        reader, goal = self.reader, named(GOALS["copying"].complaint)
        reader.use("radio button", goal)
        self.look("purpose")
        reader.use("radio button", "", self.card())
        reader.until(lambda: _is_sensitive(reader.find("push button", text("start-measuring"))), "may start")
        self.look("where")
        reader.use("push button", text("start-measuring"))
        reader.until(lambda: reader.find("push button", text("pause")), "measuring")
        self.lands_on("")
        self.look("measuring")
        self.said(text("spoken-begun", left=0).partition(",")[0])
        self._go.touch()
        reader.rush()
        self.said(text("answer-switch", winner="bfq"))
        self.lands_on(text("answer-switch", winner="bfq"))

    def change(self) -> None:
        reader = self.reader
        sections = [text(id_) for id_ in ("all-figures", "samples-and-curves", "other-purposes")]
        for section in sections:
            reader.use("check box", section)
        boxes = reader.now(lambda: [part.get_name() for part in reader.parts() if role_of(part) == "check box"])
        for fold in boxes:
            if fold not in sections:
                reader.use("check box", fold)
        self.look("result")
        reader.use("push button", text("try-setting", setting="bfq"))
        self.became("bfq")
        reader.until(lambda: reader.find("push button", text("keep")), "the banner")
        self.reader.until(lambda: (part := reader.focused()) and part.get_name() == text("go-back"), "its focus")
        self.look("try")
        reader.tab_to("push button", text("keep"))
        reader.press("space")
        reader.choose(text("keep-until-restart"))
        reader.rush()
        self.card()
        self.look("changed")

    def take_back(self, before: str) -> None:
        self.reader.use("push button", text("go-back"), self.card())
        self.became(before)

    def export(self, to: Path) -> None:
        reader = self.reader
        reader.use("page tab", text("page-history"))
        reader.until(lambda: reader.find("table", text("page-history")), "the history")
        self.look("history")
        reader.until(lambda: reader.find("table cell", ""), "a result")
        reader.tab_to("table", text("page-history"))
        reader.press("Down", "Return")
        reader.rush()
        reader.until(lambda: reader.find("push button", text("back")), "the result")
        self.look("opened")
        before = len(reader.came_to)
        reader.tab_to("push button", text("save-or-copy"))
        reader.press("space")
        form = text("save-as", format=named(next(format_.name for format_ in FORMATS if format_.suffix == to.suffix)))
        reader.choose(form)
        reader.until(
            lambda: any(sentence.startswith("text ") for sentence in reader.came_to[before:]), "the file's name"
        )
        reader.write("text", "File name", str(to))
        reader.press("Return")
        reader.until(to.exists, f"{to}")
        saved = text("wrote", path=str(to))  # Orca may skip it: the dialog that closes is much news at once
        reader.until(lambda: saved in reader.announced, saved)


def _is_sensitive(part: Part | None) -> bool:
    return part is not None and part.get_state_set().contains(STATES.SENSITIVE)


def main() -> None:
    name, folder, logs = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    disk = LoopDisk(name, f"/dev/{name}", folder)
    with desk(logs) as spoken, window(logs):
        reader = Reader("disktuner")
        reader.until(lambda: reader.application, "the program")
        walk = Walk(reader, disk, spoken, logs / "go")
        before = disk.scheduler
        walk.card()
        walk.look("disks")
        walk.compare()
        walk.change()
        walk.take_back(before)
        compared = len(reader.announced)
        walk.export(Path(sys.argv[4]))  # judges the kept samples anew, and says what they say
        walk.look("saved")
    controls = {"nameless": walk.nameless, "schedulers": walk.schedulers}
    print(json.dumps(controls | {"announced": reader.announced, "compared": compared, "spoken": walk.speech}))


if __name__ == "__main__":
    main()
