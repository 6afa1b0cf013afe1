# SPDX-License-Identifier: GPL-3.0-or-later
"""Leftovers of interrupted measurements: searched for at the start and offered for removal."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from disktuner.gui.jobs import InThread
from disktuner.gui.widgets.window import Window
from disktuner.vocabulary.messages import text

if TYPE_CHECKING:
    from disktuner.experiment.scratch import Leftover, Leftovers


def look_for_leftovers(make: Callable[[], Leftovers], window: Window, in_thread: InThread) -> None:
    """Search for leftovers and offer their removal in the window; ``in_thread`` runs both."""

    def offer(leftovers: Sequence[Leftover]) -> None:
        if leftovers:
            remove = partial(in_thread, lambda: make().remove(), partial(show, leftovers))
            window.disks_page.notice.show_text(leftovers_text(leftovers), "caution", text("remove-leftovers"), remove)

    def show(leftovers: Sequence[Leftover], stayed: Sequence[Path]) -> None:
        window.show_notice(removed_text(leftovers, stayed), "caution" if stayed else "good")

    in_thread(lambda: make().find(), offer)


def leftovers_text(leftovers: Sequence[Leftover]) -> str:
    """Return the sentence that says what is left, and where."""
    size_bytes = sum(leftover.size_bytes for leftover in leftovers)
    return text("leftovers", size=size_bytes, folder=str(leftovers[0].path.parent), count=len(leftovers))


def removed_text(leftovers: Sequence[Leftover], stayed: Sequence[Path]) -> str:
    """Return the sentence that says whether the removal succeeded."""
    if stayed:
        return text("leftover-stays", path=str(stayed[0]))
    return text("leftovers-removed", size=sum(leftover.size_bytes for leftover in leftovers))
