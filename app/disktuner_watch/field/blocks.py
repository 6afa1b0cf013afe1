# SPDX-License-Identifier: GPL-3.0-or-later
"""Blocks of use: the setting of each, drawn beforehand, and what is counted in it."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

import msgspec
from msgspec.structs import replace

from disktuner.results.model import Sample
from disktuner.vocabulary.messages import Message, message
from disktuner.vocabulary.settings import Setting
from disktuner.vocabulary.workloads import DAILY_USE

BLOCK_S = 300.0
"""The use in a block. A week must hold many pairs of blocks, since stalls vary severalfold from one to the next, and
each pair decides only so much."""
SETTLE_S = 30.0
"""Use after a change that is not counted: the kernel first writes out what waited before (dirty_expire)."""
LONG_S = 1.0
UNCONFIRMED = 0.1
"""Unconfirmed pressure is reported from this share of the use on."""
STANDING = 0.5
"""A look in which programs stood still for this share of it continues a stall."""


@dataclass(frozen=True, slots=True)
class FeltInterval:
    """The time since the last look, and for how long of it all programs waited for the disk.

    ``unconfirmed_s`` is further time that the kernel counted as waiting but the disk did not confirm.
    """

    wall_s: float
    stalled_s: float
    in_use: bool
    unconfirmed_s: float = 0.0


class Block(msgspec.Struct, frozen=True):
    """A block under way.

    ``order`` counts blocks, ``started`` is UTC, ``settled_s`` is the uncounted use since the setting was set,
    ``stall_s`` how long the current stall has lasted, ``unconfirmed_s`` the waiting that the disk did not confirm.
    ``spoiled`` is the id of the reason why the block does not count.
    """

    order: int
    started: str = ""
    settled_s: float = 0.0
    use_s: float = 0.0
    stalled_s: float = 0.0
    stall_s: float = 0.0
    stalls: int = 0
    unconfirmed_s: float = 0.0
    spoiled: str | None = None

    @property
    def round(self) -> int:
        """The number of its pair."""
        return self.order // 2

    @property
    def is_over(self) -> bool:
        """Whether the block is complete."""
        return self.use_s >= BLOCK_S

    def which(self, seed: int) -> int:
        """Return the index of its setting: each pair has both, in random order."""
        return Random(f"{seed}/{self.round}").randrange(2) ^ self.order % 2  # noqa: S311 - no secret

    def set_again(self, started: str) -> Block:
        """Return the block after its setting was set: at its start, after a restart or a pause."""
        return replace(self, started=self.started or started, settled_s=0.0, stall_s=0.0)

    def after(self, look: FeltInterval) -> Block:
        """Return the block with a look added; nothing counts while nobody uses the computer."""
        if not look.in_use:
            return replace(self, stall_s=0.0) if self.stall_s else self
        if self.settled_s < SETTLE_S:
            return replace(self, settled_s=self.settled_s + look.wall_s)
        is_stalled = look.stalled_s >= STANDING * look.wall_s
        stall_s = self.stall_s + look.stalled_s if is_stalled else 0.0
        return replace(
            self,
            use_s=self.use_s + look.wall_s,
            stalled_s=self.stalled_s + look.stalled_s,
            stall_s=stall_s,
            stalls=self.stalls + (self.stall_s <= LONG_S < stall_s),
            unconfirmed_s=self.unconfirmed_s + look.unconfirmed_s,
        )

    @property
    def _reason(self) -> Message | None:
        """Why the block does not count, else what disturbed it."""
        if self.spoiled:
            return Message(self.spoiled)
        share = self.unconfirmed_s / self.use_s
        return message("pressure-unconfirmed", share=round(share, 2)) if share >= UNCONFIRMED else None

    def samples(self, setting: Setting) -> tuple[Sample, ...]:
        """Return the block's figures per hour of use."""
        figures = {"stall_s": self.stalled_s * 3600 / self.use_s, "stalls": self.stalls * 3600 / self.use_s}
        return tuple(
            Sample(
                metric=f"{DAILY_USE.id}.{name}",
                setting=setting,
                round=self.round,
                order=self.order,
                value=value,
                valid=self.spoiled is None,
                reason=self._reason,
                started=self.started,
                duration_s=self.use_s,
            )
            for name, value in figures.items()
        )
