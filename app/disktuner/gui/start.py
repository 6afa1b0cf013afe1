# SPDX-License-Identifier: GPL-3.0-or-later
"""Opens the window, or raises the one that this session already has."""

from __future__ import annotations

import builtins
import os
import sys
from collections.abc import Sequence

from disktuner.gui.desktop import session_address
from disktuner.gui.session import reach_session
from disktuner.vocabulary.messages import text


def main(argv: Sequence[str]) -> int:
    """Return the exit code, immediately if there is a window already. Refuses to run as root."""
    if os.geteuid() == 0:
        print(text("window-as-root"), file=sys.stderr)
        return 2
    session = reach_session(session_address())
    if session is not None and not session.take_name() and session.raise_first():
        return 0
    load_qt()
    from disktuner.gui.main import main as open_window  # noqa: PLC0415 - a second start does without
    from disktuner.gui.sources import real_sources  # noqa: PLC0415

    return open_window(argv, session, real_sources)


def load_qt() -> None:
    """Import PySide6, and go on importing as Python does.

    PySide6 replaces ``__import__`` by one that reads and keeps the source of each module imported from then on, for the
    sake of ``from __feature__ import``, which is not used here. That took a tenth of the time to the first frame.
    """
    pythons_own = builtins.__import__
    import PySide6.QtCore  # noqa: F401, PLC0415

    builtins.__import__ = pythons_own
