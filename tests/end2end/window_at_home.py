# SPDX-License-Identifier: GPL-3.0-or-later
"""The program's window with the user's real files, used by a person who waits for a line of standard input.

Its arguments are pages to turn to; it says each step once it is taken. Disks, their check-up and the helper are
stand-ins: a trial in daily use is under way.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "app")]

# All is imported before the disk stops answering.
import pyqtgraph  # noqa: E402, F401
from PySide6.QtCore import QTimer  # noqa: E402

import disktuner_watch.window.recording  # noqa: E402, F401
from disktuner.gui.instruments import load_judging  # noqa: E402
from disktuner.gui.main import main  # noqa: E402
from disktuner.gui.sources import Sources, real_sources  # noqa: E402
from disktuner.gui.widgets.window import Window  # noqa: E402
from disktuner.helper_client.calls import FieldTrial, Wish  # noqa: E402
from disktuner.standing import Memory  # noqa: E402
from disktuner.vocabulary.messages import text  # noqa: E402
from disktuner_watch import control  # noqa: E402
from tests.gui.person import click, click_tab, pressable, seen, until  # noqa: E402
from tests.gui.stand_ins import Bench, some_disks  # noqa: E402

TRIAL = FieldTrial("t1", os.getuid(), (Wish("mq-deadline", {}), Wish("bfq", {})), 0, 2_000_000_000, ("sda",))
ASKED = list[Callable[[], Mapping[str, Memory] | None]]()
"""What reads the last answers, once the window asks for them."""


def say(step: str) -> None:
    print(step, flush=True)


def sources() -> Sources:
    bench, real = Bench(some_disks(ROOT)), real_sources()
    bench.helper.tried = (TRIAL,)
    stand_in = bench.sources()

    def memories() -> Callable[[], Mapping[str, Memory] | None]:
        ASKED.append(real.memories())
        return ASKED[-1]

    QTimer.singleShot(0, use)
    return replace(
        real,
        memories=memories,
        read_disks=stand_in.read_disks,
        watch=stand_in.watch,
        helper=stand_in.helper,
        desktop=stand_in.desktop,
        checks=stand_in.checks,
    )


def use() -> None:
    """Pause the trial, turn the pages that were named, and close the window once it records and remembers."""
    (window,) = until(lambda: seen(Window))
    click(until(lambda: pressable(text("pause"))))
    say("paused")
    for page in sys.argv[1:]:
        click_tab(window, page)
        say(page)
    until(lambda: ASKED and control.is_on())
    window.close()
    say("closed")


load_judging()
say("ready")
sys.stdin.readline()
sys.exit(main(["-platform", "offscreen"], None, sources, 0.2))
