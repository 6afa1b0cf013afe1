# SPDX-License-Identifier: GPL-3.0-or-later
"""The program of the window: its application, dressed for the desktop, from start to end."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Callable, Sequence
from functools import partial
from types import TracebackType
from typing import NoReturn

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from disktuner import log
from disktuner.gui import access
from disktuner.gui import portal as portals
from disktuner.gui.application import Application
from disktuner.gui.collector import Collector
from disktuner.gui.desktop import DESKTOP_FILE
from disktuner.gui.focus import Focus
from disktuner.gui.geometry import own_geometry
from disktuner.gui.icons import icon
from disktuner.gui.jobs import PATIENCE_S, Jobs
from disktuner.gui.language import session_language
from disktuner.gui.portal import Portal
from disktuner.gui.session import Session
from disktuner.gui.sheet import follow_desktop, wear
from disktuner.gui.sources import Sources
from disktuner.gui.style import look
from disktuner.vocabulary.messages import text

_log = logging.getLogger(__name__)

_TURN_S = 0.0005
"""Python's threads take turns of 5 ms by default, and painting a window takes dozens of turns: too long beside a thread
that computes.
"""

_PORTAL_THEME = ("-platformtheme", "xdgdesktopportal")
"""Qt's own for sandboxed programs: the desktop's theme, with the file dialogs of its portal."""


def dress(application: QApplication) -> None:
    """Give the application its name, icon, colours and roles; its threads yield soon, and collect no cycles."""
    sys.setswitchinterval(_TURN_S)
    Collector(application)
    Focus(application)
    access.install()
    application.setApplicationName("disktuner")
    application.setApplicationDisplayName(text("app"))
    application.setDesktopFileName(DESKTOP_FILE)
    follow_desktop(application)
    application.setWindowIcon(icon(DESKTOP_FILE, look().text))


def _report_unforeseen(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    log.unforeseen(error)  # Qt goes on
    sys.__excepthook__(kind, error, trace)


def main(
    argv: Sequence[str], session: Session | None, sources: Callable[[], Sources], patience_s: float = PATIENCE_S
) -> int:
    """Open the window, reachable through the session, and return the exit code.

    Does not return if a thread is still waiting for a disk after ``patience_s``: the process then ends without it.
    """
    sys.excepthook = _report_unforeseen
    portal = Portal(session.bus) if session is not None and session.has(portals.NAME) else None
    application = QApplication(["disktuner", *(_PORTAL_THEME if portal else ()), *argv])
    if portal is not None:
        portal.follow_wishes(partial(wear, application))
        use_dialogs_of(portal)
    jobs = Jobs(application, patience_s=patience_s)
    with session_language(application):
        running = Application(sources(), jobs, geometry=own_geometry())
        dress(application)  # now: what wears a sheet is polished again with each part that it becomes part of
        if session is not None:
            session.serve(running)
        running.start()
        status = application.exec()
    if session is not None:
        session.close()
    if not jobs.leave():
        _leave_at_once(status)
    return status


def _leave_at_once(status: int) -> NoReturn:
    """End the process: Python and Qt would destroy what the hanging thread still uses."""
    _log.info("left without a thread that did not end")
    logging.shutdown()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


def use_dialogs_of(portal: Portal) -> None:
    """Use the desktop's own file dialogs once the portal confirms that it has some, and Qt's until then.

    A portal may have none, and then Qt's theme would show nothing at all.
    """
    never = Qt.ApplicationAttribute.AA_DontUseNativeDialogs
    QApplication.setAttribute(never)
    portal.if_it_has_file_dialogs(partial(QApplication.setAttribute, never, False))
