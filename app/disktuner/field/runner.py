# SPDX-License-Identifier: GPL-3.0-or-later
"""Carries a trial in daily use on, second by second, until its answer is certain, its time is over or it is stopped."""

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
from disktuner.field.blocks import Block, Look
from disktuner.field.kept import Kept, Place
from disktuner.helper_client import HelperClient, calls
from disktuner.helper_client.errors import NoSuchTrial
from disktuner.results.model import NoSuchResult, Result
from disktuner.results.store import Store
from disktuner.verdict.judge import judge
from disktuner.verdict.model import Decision
from disktuner.vocabulary.errors import DisktunerError
from disktuner.vocabulary.settings import Setting

log = logging.getLogger(__name__)

SAVE_S = 60.0
"""A power cut loses no more use than that; so long is waited before what failed is tried again."""
SPOILED = "scheduler-changed"


class Looks(Protocol):
    """What ``feeling.Feeling`` does. Attributes: ``every_s``, after how long the next look is due."""

    every_s: float

    def look(self) -> Look | None:
        """Return what happened since the last look."""


class Runner:
    """Runs a user's one trial. ``wait`` returns after so many seconds, true where it is time to go."""

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
        """The one under way whose setting the disk has; None while it has not."""
        self._setting = Setting("none")

    def run(self) -> None:
        """Return when the trial is over, when there is none, or when it is time to go."""
        feeling, waited_s = self._feeling(lambda: self._disk.name if self._disk else None), SAVE_S
        while not self._wait(every_s := feeling.every_s):
            look, kept = feeling.look(), self._place.load()
            if kept is None:
                return
            self._count(look)
            if waited_s >= SAVE_S or (self._block and (self._block.is_over or self._place.is_paused)):
                self._step(kept)
                waited_s = 0.0
            waited_s += every_s
        if self._block and (kept := self._place.load()):
            self._place.save(structs.replace(kept, block=self._block))

    def _count(self, look: Look | None) -> None:
        if self._block is None or look is None:
            return
        self._block = self._block.after(look)
        if self._disk and self._system.scheduler(self._disk.name) != self._setting.scheduler:
            self._block = structs.replace(self._block, spoiled=SPOILED)

    def _step(self, kept: Kept) -> None:
        """Go on with what comes next; what fails now is tried again a little later."""
        try:
            if not self._goes_on(kept):
                end(self._place, self._client, kept)
        except DisktunerError as error:
            log.info("%s", error)

    def _goes_on(self, kept: Kept) -> bool:
        """Do what comes next; False where nothing does: also as the helper says so, or somebody removed the result."""
        try:
            result = self._place.tried(self._store, kept)
            if self._block and self._block.is_over:
                kept, result = self._finished(kept, result, self._block)
            certain = judge(result).decision in (Decision.SWITCH, Decision.KEEP)
            if certain or self._now() >= kept.until:
                return False
            self._carry_on(kept, result)
        except (NoSuchTrial, NoSuchResult):
            return False
        return True

    def _finished(self, kept: Kept, result: Result, block: Block) -> tuple[Kept, Result]:
        """Keep a block's figures in the result, and go to the next one: in that order, whatever happens between."""
        if all(sample.order != block.order for sample in result.samples):
            setting = result.plan.settings[block.which(kept.seed)]
            result = replace(result, samples=(*result.samples, *block.samples(setting)))
            self._store.save(result)
        self._block, kept = None, structs.replace(kept, block=Block(block.order + 1))
        self._place.save(kept)
        return kept, result

    def _carry_on(self, kept: Kept, result: Result) -> None:
        """Keep the block, and give the disk its setting where it has not got it."""
        block = self._block or kept.block
        self._setting = result.plan.settings[block.which(kept.seed)]
        if self._block and not self._has(self._setting):
            block, self._block = structs.replace(block, spoiled=SPOILED), None
        if self._place.is_paused:
            self._block = None
        elif self._block is None:
            self._disk = found(self._system, result)
            if self._disk is None:
                return
            self._client.wait(calls.set_field_trial(kept.id, block.which(kept.seed)))
            self._block = block = block.set_again(datetime.now(UTC).isoformat(timespec="seconds"))
        self._place.save(structs.replace(kept, block=block))

    def _has(self, wanted: Setting) -> bool:
        name = self._disk.name if self._disk else ""
        return wanted.is_had_by(self._system.scheduler(name), self._system.tunables(name))


def found(system: System, result: Result) -> Disk | None:
    """Return the disk of a result as it is called now; None where it is not here."""
    identity = _identity(result.disk)
    return next((disk for disk in system.disks() if identity == (disk.wwn, disk.serial, disk.model)), None)


def _identity(disk: Mapping[str, Any]) -> tuple[Any, ...]:
    return disk.get("wwn"), disk.get("serial"), disk.get("model")


def end(place: Place, client: HelperClient, kept: Kept) -> None:
    """Let the disk have again what it had, and forget the trial; its result stays. Raises what the helper refuses."""
    try:
        client.wait(calls.end_field_trial(kept.id))
    except NoSuchTrial:
        log.debug("the trial had ended")
    place.remove()
