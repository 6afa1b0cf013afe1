# SPDX-License-Identifier: GPL-3.0-or-later
"""Watches for changes of disks and mounts in the window's event loop."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QSocketNotifier

from disktuner.block.uevents import Monitor


def watch(changed: Callable[[], None]) -> Callable[[], None]:
    """Call back, in the GUI thread, whenever disks or mounts come, go or change; return a function that ends it."""
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
