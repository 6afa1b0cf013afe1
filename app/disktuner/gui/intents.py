# SPDX-License-Identifier: GPL-3.0-or-later
"""What a person may want wherever a disk, a finding or a result is shown: every page is handed one and calls it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from disktuner.block.disk import Disk
from disktuner.gui.state import Opened
from disktuner.vocabulary.settings import Setting

if TYPE_CHECKING:  # half of the program, not needed to see the disks
    from disktuner.comparison.request import Request
    from disktuner.presentation import Presented
    from disktuner.report.exporting import Format


class Intents(Protocol):
    """Disks are those that were measured or looked at, as they were then; settings of results go by their names.

    Whoever carries something out looks again whether the disks are still the same.
    """

    def turn(self, page: str) -> object:
        """Show the page with this tab, by its id."""

    def close(self, page: Opened | None) -> object:
        """Show a page no more that lies over others."""

    def stop(self) -> object:
        """End all that goes on: the window is closed."""

    def open_file(self, path: Path) -> object:
        """Keep a result's file, and show it."""

    def keep_freeze(self) -> object:
        """Keep what happened in the last minutes, and show why it froze."""

    def choose(self, name: str, goal: str) -> object:
        """Say on the page of disks what it would cost to measure a disk, by its kernel name, for a goal, by its id."""

    def begin(
        self,
        name: str,
        goal: str,
        workloads: tuple[str, ...] | None = None,
        felt: str = "",
        settings: tuple[Setting, ...] = (),
    ) -> object:
        """Say what it would cost to measure a disk, by its kernel name, for a goal, by its id.

        ``workloads`` are some of those of the goal; ``felt`` is a folder on another disk where it is felt; ``settings``
        are compared with the current one in place of the schedulers.
        """

    def measure(self, disks: Sequence[Disk], request: Request) -> object:
        """Say what a measurement would cost that goes on from a result: more rounds, fine-tuning, or anew."""

    def try_out(self, disks: Sequence[Disk], setting: Setting) -> object:
        """Use a setting for a while; the person then says whether it stays."""

    def keep_trial(self, permanently: bool) -> object:
        """Keep what is on trial, until the next restart or permanently."""

    def undo_trial(self) -> object:
        """Put back what the disks on trial had."""

    def show_difference(self, on: bool) -> object:
        """Show what the setting on trial changes, or no more."""

    def set_now(self, disk: Disk, setting: Setting) -> object:
        """Use a setting until the next restart."""

    def keep(self, disk: Disk, setting: Setting) -> object:
        """Use a setting now and after every restart."""

    def prove(self, disks: Sequence[Disk], settings: Sequence[Setting]) -> object:
        """Let two settings of a disk change places while the computer is used; the first is the current one."""

    def change(self, name: str) -> object:
        """Set a disk, by its kernel name, by hand."""

    def go_back(self, name: str) -> object:
        """Put a disk back to what it had before its first change."""

    def pause(self, on: bool) -> object:
        """Let the user's trial in daily use count and change nothing for now, or continue."""

    def check(self, name: str) -> object:
        """Show what the check-up of a disk found."""

    def refresh(self) -> object:
        """Ask the helper once more what it remembers."""

    def look_again(self) -> object:
        """Check the disks up once more."""

    def show_result(self, result: str) -> object:
        """Show a kept result, by its id."""

    def judge_for(self, presented: Presented, goal: str) -> object:
        """Show what the samples of a result say for another goal, by its id."""

    def leave(self) -> object:
        """Back to where a result was opened."""

    def save(self, presented: Presented, form: Format, personal: bool) -> object:
        """Save a result in a form, with personal data or without."""

    def copy(self, presented: Presented, personal: bool) -> object:
        """Put a picture of a result on the clipboard."""

    def copy_text(self, presented: Presented, personal: bool) -> object:
        """Put a result on the clipboard as a few lines of text."""
