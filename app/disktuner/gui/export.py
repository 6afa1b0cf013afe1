# SPDX-License-Identifier: GPL-3.0-or-later
"""*Share*: a result as picture, report, table or file, and a portrait as picture; the work is done in threads."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction, QGuiApplication, QImage
from PySide6.QtWidgets import QFileDialog, QMenu, QPushButton, QWidget

from disktuner.drawing.portrait import portrait_png, portrait_svg
from disktuner.gui.jobs import InThread
from disktuner.gui.shell import Shell
from disktuner.gui.style import look
from disktuner.opening import is_there
from disktuner.presentation import Presented, present
from disktuner.presentation.portrait import ShownPortrait
from disktuner.report.exporting import FORMATS, Format, anonymous, file_name, slug
from disktuner.report.lines import as_text
from disktuner.results.model import Result
from disktuner.vocabulary.messages import named, text
from disktuner.writing import write_chosen

if TYPE_CHECKING:
    from disktuner.drawing.ink import ThemeName


class SaveButton(QPushButton):
    """A button with a menu for a result; personal data are saved only on request."""

    def __init__(self, presented: Presented, shell: Shell) -> None:
        super().__init__(text("save-or-copy"))
        self._presented, menu = presented, QMenu(self)
        self.exporter = exporter = Exporter(self, shell.in_thread, shell.notified.emit)
        self.copy_action = menu.addAction(text("copy-picture"))
        self.copy_action.triggered.connect(lambda: exporter.copy(presented, look().dark, self.personal.isChecked()))
        self.text_action = menu.addAction(text("copy-text"))
        self.text_action.triggered.connect(lambda: exporter.copy_text(presented, self.personal.isChecked()))
        menu.addSeparator()
        self.form_actions = tuple(menu.addAction(text("save-as", format=named(form.name))) for form in FORMATS)
        for form, action in zip(FORMATS, self.form_actions, strict=True):
            action.triggered.connect(partial(self._save, form))
        menu.addSeparator()
        self.personal: QAction = menu.addAction(text("with-personal-data"))
        self.personal.setCheckable(True)
        self.setMenu(menu)

    def _save(self, form: Format, _checked: bool = False) -> None:
        self.exporter.ask(self._presented, form, self.personal.isChecked())


class Saver(QObject):
    """Asks for a file name, saves, and reports the end.

    The dialog belongs to the window of ``button``. ``in_thread`` does the work, ``show`` shows a sentence in a tone;
    both may be called after the button is gone.
    """

    def __init__(self, button: QWidget, in_thread: InThread, show: Callable[[str, str], object]) -> None:
        super().__init__(button)
        self._button, self._in_thread, self._show = button, in_thread, show

    def ask_place(self, form: Format, proposed: str, chosen: Callable[[Path], object]) -> QFileDialog:
        """Ask for a file name, with a ``proposed`` one; ``chosen`` gets it with the form's suffix.

        The dialog adds none to a name with a dot, so it asks again if that would replace a file.
        """
        return self._ask_place(self._button.window(), named(form.name), form.suffix, proposed, chosen)

    def _ask_place(
        self, window: QWidget, name: str, suffix: str, proposed: str, chosen: Callable[[Path], object]
    ) -> QFileDialog:
        def complete(path: Path) -> None:
            whole = path if path.suffix.lower() == suffix else path.with_name(path.name + suffix)
            if whole != path and is_there(whole):
                self._ask_place(window, name, suffix, str(whole), chosen)
            else:
                chosen(whole)

        dialog = QFileDialog(window, name, str(Path.home()), f"{name} (*{suffix})")
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix(suffix[1:])
        dialog.selectFile(proposed)
        dialog.fileSelected.connect(lambda path: complete(Path(path)))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()
        return dialog

    def write(self, path: Path, data: bytes, *, is_private: bool = False) -> None:
        """Write the file, in a thread."""
        saved = partial(write_chosen, path, data, is_private=is_private)
        self._in_thread(saved, lambda _: self._show(text("wrote", path=str(path)), "good"))

    def to_clipboard(self, picture: bytes, sentence: str) -> None:
        """Put a picture's pixels on the clipboard, and say so."""
        # setMimeData with an object made in Python crashes PySide6 when the application ends.
        QGuiApplication.clipboard().setImage(QImage.fromData(picture))
        self._show(sentence, "good")


class Exporter(Saver):
    """Shares a result."""

    def ask(self, presented: Presented, form: Format, personal: bool = False) -> QFileDialog:
        """Ask for the file's name, then save."""
        proposed = file_name(presented.result, form.suffix)
        return self.ask_place(form, proposed, lambda path: self.save(presented, form, path, personal))

    def save(self, presented: Presented, form: Format, path: Path, personal: bool = False) -> None:
        """Write the file, in a thread."""
        self._render(presented.result, form, personal, partial(self.write, path, is_private=personal))

    def copy(self, presented: Presented, dark: bool, personal: bool = False) -> None:
        """Draw the card and put its pixels on the clipboard; the result itself is not included."""
        sentence = text("picture-copied")
        form = replace(FORMATS[0], dark=dark)
        self._render(presented.result, form, personal, lambda data: self.to_clipboard(data, sentence))

    def copy_text(self, presented: Presented, personal: bool = False) -> None:
        """Put the result on the clipboard as a few lines."""

        def use(judged: Presented) -> None:
            QGuiApplication.clipboard().setText(as_text(judged))
            self._show(text("text-copied"), "good")

        self._judge(presented.result, personal, use)

    def _render(self, result: Result, form: Format, personal: bool, use: Callable[[bytes], object]) -> None:
        """Draw in this thread, like all drawing."""
        theme: ThemeName = "dark" if form.dark else "light"
        self._judge(result, personal, lambda presented: use(form.render(presented, theme)))

    def _judge(self, result: Result, personal: bool, use: Callable[[Presented], object]) -> None:
        """Judge the shared result in a thread."""
        self._in_thread(partial(present, result if personal else anonymous(result)), use)


class PortraitButton(QPushButton):
    """A button with a menu for the picture of a portrait, which identifies neither a person nor a device."""

    def __init__(self, portrait: ShownPortrait, shell: Shell) -> None:
        super().__init__(text("save-or-copy"))
        self._portrait, menu = portrait, QMenu(self)
        self._saver = saver = Saver(self, shell.in_thread, shell.notified.emit)
        menu.addAction(text("copy-picture")).triggered.connect(
            lambda: saver.to_clipboard(self._draw(".png", dark=look().dark), text("portrait-copied"))
        )
        menu.addSeparator()
        for form in FORMATS[:3]:
            menu.addAction(text("save-as", format=named(form.name))).triggered.connect(partial(self._save, form))
        self.setMenu(menu)

    def _draw(self, suffix: str, *, dark: bool) -> bytes:
        theme: ThemeName = "dark" if dark else "light"
        if suffix == ".svg":
            return portrait_svg(self._portrait, theme).encode()
        return portrait_png(self._portrait, theme)

    def _save(self, form: Format, _checked: bool = False) -> None:
        proposed = f"{slug('disktuner', self._portrait.heading)}{form.suffix}"
        picture = self._draw(form.suffix, dark=form.dark)
        self._saver.ask_place(form, proposed, lambda path: self._saver.write(path, picture))
