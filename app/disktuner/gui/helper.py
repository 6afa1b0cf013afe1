# SPDX-License-Identifier: GPL-3.0-or-later
"""What the window asks of the privileged helper: answers arrive later, in the GUI thread."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from disktuner.vocabulary.errors import DisktunerError

if TYPE_CHECKING:
    from disktuner.helper_client.state import State

Done = Callable[[], None]
Failed = Callable[[DisktunerError], None]


class Helper(Protocol):
    """The calls of the helper. Exactly one of ``done`` and ``failed`` is called, from the event loop."""

    def get_state(self, done: Callable[[State], None], failed: Failed) -> None:
        """What it remembers of every disk."""

    def set_scheduler(self, disk: str, diskseq: int, scheduler: str, done: Done, failed: Failed) -> None:
        """Until the next restart."""

    def set_tunables(self, disk: str, diskseq: int, tunables: Mapping[str, str], done: Done, failed: Failed) -> None:
        """Until the next restart."""

    def persist(  # noqa: PLR0917 - the call has four arguments, and two answers
        self, disk: str, diskseq: int, scheduler: str, tunables: Mapping[str, str], done: Done, failed: Failed
    ) -> None:
        """Now and after every restart."""

    def revert(self, disk: str, done: Done, failed: Failed) -> None:
        """To what it had before."""

    def undo(self, disk: str, done: Done, failed: Failed) -> None:
        """Remove the rule for later starts and go to what it had before, with one prompt for both."""

    def begin_try(
        self, disks: Sequence[tuple[str, int]], scheduler: str, begun: Callable[[str], None], failed: Failed
    ) -> None:
        """Use a scheduler on disks (name and diskseq) until ``end_try``, or until this program leaves the bus; tells
        the name of the try."""

    def end_try(self, name: str, done: Done, failed: Failed) -> None:
        """Put back what the disks had before the try."""

    def subscribe(self, changed: Callable[[str], None], trial_ended: Callable[[str, str], None]) -> None:
        """Call these when a disk was changed, and when a trial ended."""

    def close(self) -> None:
        """End all subscriptions."""
