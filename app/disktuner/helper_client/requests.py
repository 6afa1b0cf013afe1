# SPDX-License-Identifier: GPL-3.0-or-later
"""The calls that the helper understands, as values: the blocking and the asynchronous client both send these."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gi.repository import GLib


@dataclass(frozen=True, slots=True)
class Request:
    """One method call: its name, its arguments' D-Bus types, and the arguments."""

    method: str
    types: str = ""
    arguments: tuple[object, ...] = ()

    @property
    def variant(self) -> GLib.Variant:
        """The arguments as D-Bus wants them."""
        return GLib.Variant(f"({self.types})", self.arguments)


def set_scheduler(disk: str, diskseq: int, scheduler: str) -> Request:
    """Use a scheduler until the next restart."""
    return Request("SetScheduler", "sts", (disk, diskseq, scheduler))


def set_tunables(disk: str, diskseq: int, tunables: Mapping[str, str | int]) -> Request:
    """Set tunables (``queue/NAME``, ``iosched/NAME``) until the next restart; all or none."""
    return Request("SetTunables", "sta{ss}", (disk, diskseq, _texts(tunables)))


def revert(disk: str) -> Request:
    """Back to what a disk had before it was first touched since the machine started."""
    return Request("Revert", "s", (disk,))


def revert_all() -> Request:
    """The same for every disk."""
    return Request("RevertAll")


def begin_trial(disks: Sequence[tuple[str, int]]) -> Request:
    """Remember what disks (names with diskseq) have, and hold them; yields the trial's id."""
    return Request("BeginTrial", "a(st)", (list(disks),))


def set_trial_scheduler(trial: str, disk: str, scheduler: str) -> Request:
    """Switch a disk within one's own trial."""
    return Request("SetTrialScheduler", "sss", (trial, disk, scheduler))


def end_trial(trial: str) -> Request:
    """Restore the disks of one's own trial."""
    return Request("EndTrial", "s", (trial,))


def persist(disk: str, diskseq: int, scheduler: str, tunables: Mapping[str, str | int]) -> Request:
    """Use a scheduler and tunables now and after every restart; yields the udev rule."""
    return Request("Persist", "stsa{ss}", (disk, diskseq, scheduler, _texts(tunables)))


def forget(disk: str) -> Request:
    """Remove what was chosen for a disk for good."""
    return Request("Forget", "s", (disk,))


def undo(disk: str) -> Request:
    """Remove what was chosen for a disk for good and put back what it had before; one prompt for both."""
    return Request("Undo", "s", (disk,))


def forget_all() -> Request:
    """Remove everything that was chosen for good."""
    return Request("ForgetAll")


def get_state() -> Request:
    """Snapshots, trials and persistent choices as JSON; needs no rights."""
    return Request("GetState")


def _texts(tunables: Mapping[str, str | int]) -> dict[str, str]:
    return {name: str(value) for name, value in tunables.items()}
