# SPDX-License-Identifier: GPL-3.0-or-later
"""Hears of disks and mounts that come and go, in the GUI thread, without polling."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QSocketNotifier

from disktuner.block.uevents import Monitor


def watch(changed: Callable[[], None]) -> Callable[[], None]:
    """Call back whenever something happened; returns what ends it."""
    monitor = Monitor()
    notifier = QSocketNotifier(monitor.fileno(), QSocketNotifier.Type.Read)

    def heard() -> None:
        if monitor.read():
            changed()

    def stop() -> None:
        notifier.setEnabled(False)
        notifier.activated.disconnect()
        notifier.deleteLater()
        monitor.close()

    notifier.activated.connect(heard)
    return stop
