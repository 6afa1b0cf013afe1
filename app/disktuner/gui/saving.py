# SPDX-License-Identifier: GPL-3.0-or-later
"""Saves a result in the form a person chose, or puts its picture on the clipboard; the work is done in threads."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtWidgets import QFileDialog, QWidget

from disktuner.comparison.request import JudgedResult
from disktuner.gui import wording
from disktuner.gui.libraries import load_drawing
from disktuner.report import export
from disktuner.report.exporting import FORMATS, render

_ODD = re.compile(r"[^\w.-]+", re.ASCII)
"""What the suggested name of a file is not made of, whatever a result calls its disk."""

InThread = Callable[[Callable[[], Any], Callable[[Any], object]], None]


@dataclass(frozen=True, slots=True)
class Form:
    """One way to save a result: its name in the menu, the file's suffix, and whether the picture is dark."""

    name: str
    suffix: str
    dark: bool = False


FORMS = (
    Form(wording.FORM_LIGHT, ".png"),
    Form(wording.FORM_DARK, ".png", dark=True),
    Form(wording.FORM_SVG, ".svg"),
    Form(wording.FORM_HTML, ".html"),
    Form(wording.FORM_MARKDOWN, ".md"),
    Form(wording.FORM_CSV, ".csv"),
    Form(wording.FORM_JSON, ".json"),
)


class Saving(QObject):
    """Asks where to, saves, and tells that it is done.

    ``window`` carries the dialog, ``in_thread`` does the work, ``tell`` says a sentence in a tone.
    """

    def __init__(self, window: QWidget, in_thread: InThread, tell: Callable[[str, str], None]) -> None:
        super().__init__(window)
        self._window, self._in_thread, self._tell = window, in_thread, tell

    def ask(self, outcome: JudgedResult, form: Form, personal: bool = False) -> QFileDialog:
        """Ask for the file's name; saving follows when it is given."""
        dialog = QFileDialog(self._window, form.name, str(Path.home()), f"{form.name} (*{form.suffix})")
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix(form.suffix[1:])
        name = str(outcome.result.disk.get("name") or outcome.result.id)
        dialog.selectFile(f"disktuner-{_ODD.sub('-', name)[:40]}{form.suffix}")
        dialog.fileSelected.connect(lambda path: self.save(outcome, form, Path(path), personal))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()
        return dialog

    def save(self, outcome: JudgedResult, form: Form, path: Path, personal: bool = False) -> None:
        """Write the file, in a thread."""
        load_drawing()
        work = partial(_export, outcome, path, form.dark, personal)
        self._in_thread(work, lambda _: self._tell(wording.SAVED.format(path=path), "good"))

    def copy(self, outcome: JudgedResult, dark: bool, personal: bool = False) -> None:
        """Draw the picture in a thread, then put it on the clipboard (its pixels: no result goes with them)."""
        load_drawing()
        self._in_thread(partial(_picture, outcome, dark, personal), self._to_clipboard)

    def _to_clipboard(self, data: object) -> None:
        assert isinstance(data, bytes)
        # setMimeData with an object made in Python crashes PySide6 when the application ends.
        QGuiApplication.clipboard().setImage(QImage.fromData(data))
        self._tell(wording.COPIED, "good")


def _export(outcome: JudgedResult, path: Path, dark: bool, personal: bool) -> Path:
    return export(outcome.result, path, "dark" if dark else "light", personal)


def _picture(outcome: JudgedResult, dark: bool, personal: bool) -> bytes:
    return render(FORMATS[0], outcome.result, "dark" if dark else "light", personal)
