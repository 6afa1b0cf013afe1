# SPDX-License-Identifier: GPL-3.0-or-later
"""*Save or copy*: a result as picture, report, table or file; the work is done in threads."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction, QGuiApplication, QImage
from PySide6.QtWidgets import QFileDialog, QMenu, QPushButton, QWidget

from disktuner.gui.intents import Intents
from disktuner.gui.jobs import InThread
from disktuner.presentation import Presented, present
from disktuner.report.exporting import FORMATS, Format, anonymous, file_name
from disktuner.report.lines import as_text
from disktuner.results.model import Result
from disktuner.vocabulary.messages import named, text
from disktuner.writing import write_atomically

if TYPE_CHECKING:
    from disktuner.drawing.ink import ThemeName


class SaveButton(QPushButton):
    """A button with a menu for a result; personal data are saved only when asked for."""

    def __init__(self, presented: Presented, intents: Intents) -> None:
        super().__init__(text("save-or-copy"))
        self._presented, self._intents, menu = presented, intents, QMenu(self)
        self.copy_action = menu.addAction(text("copy-picture"))
        self.copy_action.triggered.connect(lambda: intents.copy(presented, self.personal.isChecked()))
        self.text_action = menu.addAction(text("copy-text"))
        self.text_action.triggered.connect(lambda: intents.copy_text(presented, self.personal.isChecked()))
        menu.addSeparator()
        self.form_actions = tuple(menu.addAction(text("save-as", format=named(form.name))) for form in FORMATS)
        for form, action in zip(FORMATS, self.form_actions, strict=True):
            action.triggered.connect(partial(self._save, form))
        menu.addSeparator()
        self.personal: QAction = menu.addAction(text("with-personal-data"))
        self.personal.setCheckable(True)
        self.setMenu(menu)

    def _save(self, form: Format, _checked: bool = False) -> None:
        self._intents.save(self._presented, form, self.personal.isChecked())


class Exporter(QObject):
    """Asks where to, saves, and says when it is done.

    ``window`` carries the dialog, ``in_thread`` does the work, ``show`` shows a sentence in a tone.
    """

    def __init__(self, window: QWidget, in_thread: InThread, show: Callable[[str, str], None]) -> None:
        super().__init__(window)
        self._window, self._in_thread, self._show = window, in_thread, show

    def ask(self, presented: Presented, form: Format, personal: bool = False) -> QFileDialog:
        """Ask for the file's name; saving follows when it is given."""
        name = named(form.name)
        dialog = QFileDialog(self._window, name, str(Path.home()), f"{name} (*{form.suffix})")
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix(form.suffix[1:])
        dialog.selectFile(file_name(presented.result, form.suffix))
        dialog.fileSelected.connect(lambda path: self.save(presented, form, Path(path), personal))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()
        return dialog

    def save(self, presented: Presented, form: Format, path: Path, personal: bool = False) -> None:
        """Write the file, in a thread."""

        def write(data: bytes) -> None:
            saved = partial(write_atomically, path, data, is_private=personal)
            self._in_thread(saved, lambda _: self._show(text("wrote", path=str(path)), "good"))

        self._render(presented.result, form, personal, write)

    def copy(self, presented: Presented, dark: bool, personal: bool = False) -> None:
        """Draw the card and put it on the clipboard (its pixels: no result goes with them)."""
        self._render(presented.result, replace(FORMATS[0], dark=dark), personal, self._to_clipboard)

    def copy_text(self, presented: Presented, personal: bool = False) -> None:
        """Put the result on the clipboard as a few lines."""

        def use(shown: Presented) -> None:
            QGuiApplication.clipboard().setText(as_text(shown))
            self._show(text("text-copied"), "good")

        self._judge(presented.result, personal, use)

    def _render(self, result: Result, form: Format, personal: bool, use: Callable[[bytes], object]) -> None:
        """Draw in this thread, as everything is drawn."""
        theme: ThemeName = "dark" if form.dark else "light"
        self._judge(result, personal, lambda presented: use(form.render(presented, theme)))

    def _judge(self, result: Result, personal: bool, use: Callable[[Presented], object]) -> None:
        """Judge in a thread what is shared."""
        self._in_thread(partial(present, result if personal else anonymous(result)), use)

    def _to_clipboard(self, data: bytes) -> None:
        # setMimeData with an object made in Python crashes PySide6 when the application ends.
        QGuiApplication.clipboard().setImage(QImage.fromData(data))
        self._show(text("picture-copied"), "good")
