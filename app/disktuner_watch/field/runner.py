# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs a trial in daily use, second by second, until its answer is certain, its time is over or it is stopped."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, Protocol

from msgspec import structs

from disktuner.block.disk import Disk
from disktuner.block.system import System
from disktuner.helper_client import calls
from disktuner.helper_client.client import HelperClient
from disktuner.helper_client.errors import NoSuchTrial
from disktuner.results.model import NoSuchResult, Result
from disktuner.results.store import Store
from disktuner.verdict.judge import judge
from disktuner.verdict.outcomes import Decision
from disktuner.vocabulary.errors import DisktunerError
from disktuner.vocabulary.settings import Setting
from disktuner_watch.field.blocks import Block, FeltInterval
from disktuner_watch.field.saved import Place, SavedTrial

log = logging.getLogger(__name__)

SAVE_S = 60.0
"""The most use that a power cut loses, and the delay before a failed step is tried again."""
SPOILED = "scheduler-changed"


class Looks(Protocol):
    """The interface of ``feeling.Feeling``. Attributes: ``every_s``, the time until the next look is due."""

    every_s: float

    def look(self) -> FeltInterval | None:
        """Return what happened since the last look."""


class Runner:
    """Runs a user's only trial. ``wait`` returns after a number of seconds, true if it is time to exit."""

    def __init__(
        self,
        place: Place,
        store: Store,
        client: HelperClient,
        *,
        system: System,
        feeling: Callable[[Callable[[], str | None]], Looks],
        wait: Callable[[float], bool],
        now: Callable[[], float] = time.time,
    ) -> None:
        self._place = place
        self._store = store
        self._client = client
        self._system = system
        self._feeling = feeling
        self._wait = wait
        self._now = now
        self._disk: Disk | None = None
        self._block: Block | None = None
        """The block under way; None while the disk does not have its setting."""
        self._setting = Setting("none")

    def run(self) -> None:
        """Run until the trial is over or gone, or it is time to exit."""
        feeling, waited_s = self._feeling(lambda: self._disk.name if self._disk else None), SAVE_S
        while not self._wait(every_s := feeling.every_s):
            look, saved = feeling.look(), self._place.load()
            if saved is None:
                return
            self._count(look)
            if waited_s >= SAVE_S or (self._block and (self._block.is_over or self._place.is_paused)):
                self._step(saved)
                waited_s = 0.0
            waited_s += every_s
        if self._block and (saved := self._place.load()):
            self._place.save(structs.replace(saved, block=self._block))

    def _count(self, look: FeltInterval | None) -> None:
        if self._block is None or look is None:
            return
        self._block = self._block.after(look)
        if self._disk and self._system.scheduler(self._disk.name) != self._setting.scheduler:
            self._block = structs.replace(self._block, spoiled=SPOILED)

    def _step(self, saved: SavedTrial) -> None:
        """Take the next step; if it fails, it is tried again after ``SAVE_S``."""
        try:
            if not self._goes_on(saved):
                end(self._place, self._client, saved)
        except DisktunerError as error:
            log.info("%s", error)

    def _goes_on(self, saved: SavedTrial) -> bool:
        """Take the next step; False if there is none, the helper has no such trial, or its result was removed."""
        try:
            result = self._place.tried(self._store, saved)
            if self._block and self._block.is_over:
                saved, result = self._finish_block(saved, result, self._block)
            certain = judge(result).decision in (Decision.SWITCH, Decision.KEEP)
            if certain or self._now() >= saved.until:
                return False
            self._carry_on(saved, result)
        except (NoSuchTrial, NoSuchResult):
            return False
        return True

    def _finish_block(self, saved: SavedTrial, result: Result, block: Block) -> tuple[SavedTrial, Result]:
        """Save a block's figures in the result, then begin the next block: in this order, crashes lose nothing."""
        if all(sample.order != block.order for sample in result.samples):
            setting = result.plan.settings[block.which(saved.seed)]
            result = replace(result, samples=(*result.samples, *block.samples(setting)))
            self._store.save(result)
        self._block, saved = None, structs.replace(saved, block=Block(block.order + 1))
        self._place.save(saved)
        return saved, result

    def _carry_on(self, saved: SavedTrial, result: Result) -> None:
        """Save the block, and set its setting if the disk does not have it."""
        block = self._block or saved.block
        self._setting = result.plan.settings[block.which(saved.seed)]
        if self._block and not self._has(self._setting):
            block, self._block = structs.replace(block, spoiled=SPOILED), None
        if self._place.is_paused:
            self._block = None
        elif self._block is None:
            self._disk = disk_of(self._system, result)
            if self._disk is None:
                return
            self._client.wait(calls.set_field_trial(saved.id, block.which(saved.seed)))
            self._block = block = block.set_again(datetime.now(UTC).isoformat(timespec="seconds"))
        self._place.save(structs.replace(saved, block=block))

    def _has(self, wanted: Setting) -> bool:
        name = self._disk.name if self._disk else ""
        return wanted.is_had_by(self._system.scheduler(name), self._system.tunables(name))


def disk_of(system: System, result: Result) -> Disk | None:
    """Return the disk of a result under its current name; None if it is absent."""
    identity = _identity(result.disk)
    return next((disk for disk in system.disks() if identity == (disk.wwn, disk.serial, disk.model)), None)


def _identity(disk: Mapping[str, Any]) -> tuple[Any, ...]:
    return disk.get("wwn"), disk.get("serial"), disk.get("model")


def end(place: Place, client: HelperClient, saved: SavedTrial) -> None:
    """Restore the disk's setting and forget the trial, but not its result. Raises what the helper refuses."""
    try:
        client.wait(calls.end_field_trial(saved.id))
    except NoSuchTrial:
        log.debug("the trial had ended")
    place.remove()
