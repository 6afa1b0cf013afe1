# SPDX-License-Identifier: GPL-3.0-or-later
"""What interrupted measurements left on the disks: found at the start, and offered for removal."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from disktuner.experiment.scratch import Leftover, Leftovers
from disktuner.gui.jobs import InThread
from disktuner.gui.widgets.window import Window
from disktuner.vocabulary.messages import text


def look_for_leftovers(make: Callable[[], Leftovers], window: Window, in_thread: InThread) -> None:
    """Find them, and offer in the window to remove them; ``in_thread`` does both."""

    def offer(found: Sequence[Leftover]) -> None:
        if found:
            remove = partial(in_thread, lambda: make().remove(), partial(show, found))
            window.disks_page.notice.show_text(leftovers_text(found), "caution", text("remove-leftovers"), remove)

    def show(found: Sequence[Leftover], stayed: Sequence[Path]) -> None:
        window.show_notice(removed_text(found, stayed), "caution" if stayed else "good")

    in_thread(lambda: make().find(), offer)


def leftovers_text(found: Sequence[Leftover]) -> str:
    """What interrupted measurements left, and where."""
    taken = sum(each.size_bytes for each in found)
    return text("leftovers", size=taken, folder=str(found[0].path.parent), count=len(found))


def removed_text(found: Sequence[Leftover], stayed: Sequence[Path]) -> str:
    """What became of that."""
    if stayed:
        return text("leftover-stays", path=str(stayed[0]))
    return text("leftovers-removed", size=sum(each.size_bytes for each in found))
