# SPDX-License-Identifier: GPL-3.0-or-later
"""Begins and stops a trial in daily use: the right, the result that its blocks are kept in, and the user's unit."""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import Sequence
from contextlib import suppress

from disktuner.block.disk import Disk
from disktuner.comparison.request import new_result
from disktuner.field.blocks import Block
from disktuner.field.feeling import require_counted
from disktuner.field.kept import Kept, Place
from disktuner.field.runner import end
from disktuner.helper_client import HelperClient, calls
from disktuner.results.model import PlanRecord, Result
from disktuner.results.store import Store
from disktuner.user_units import systemctl
from disktuner.vocabulary.errors import UsageError
from disktuner.vocabulary.goals import DESKTOP
from disktuner.vocabulary.questions import question_for
from disktuner.vocabulary.settings import Setting
from disktuner.vocabulary.workloads import DAILY_USE, metrics_of
from disktuner.writing import NotSaved

UNIT = "disktuner-field.service"
MOST_DAYS, USUAL_DAYS = 31, 7
DAY_S = 86400
WBT = "queue/wbt_lat_usec"
"""Once a number was written, bfq no longer switches it off: the other setting would not be what it is."""


def begin(
    place: Place, store: Store, client: HelperClient, disk: Disk, *, settings: Sequence[Setting], days: int
) -> Kept:
    """Ask for the right to change a disk between two settings, and keep what the runner needs.

    The first one is what the other is compared with. Raises ``UsageError`` where a trial is under way,
    ``MeasurementImpossible`` where nothing can be felt here, ``NotSaved``, and what the helper refuses.
    """
    require_counted()
    if place.load() is not None:
        raise UsageError("field-under-way")
    if len({WBT in one.values for one in settings}) > 1:
        raise UsageError("field-write-limit", name=WBT)
    settings = [one.kept for one in settings]
    until = int(time.time()) + days * DAY_S
    wishes = [(one.scheduler, one.values) for one in settings]
    id_ = client.wait(calls.begin_field_trial((disk.name, disk.diskseq), wishes, until))
    result = empty_result(disk, settings, secrets.randbits(31))
    kept = Kept(id_, result.id, result.plan.seed, until, Block(0))
    try:
        store.save(result)
        place.save(kept)
    except NotSaved:
        client.wait(calls.end_field_trial(id_))
        with suppress(NotSaved):
            store.delete(result.id)
        raise
    return kept


def begin_unattended(disk: Disk, settings: Sequence[Setting]) -> None:
    """Begin one of a week that the user's systemd runs. Raises ``UsageError`` where it cannot; then all is undone."""
    place = Place()
    with HelperClient() as client:
        kept = begin(place, Store(), client, disk, settings=settings, days=USUAL_DAYS)
        if not run_by_systemd("enable", "--now"):
            end(place, client, kept)
            Store().delete(kept.result)
            raise UsageError("field-needs-systemd", disk=disk.name)


def empty_result(disk: Disk, settings: Sequence[Setting], seed: int) -> Result:
    """Return the result before the first block."""
    metrics, mount = metrics_of(DAILY_USE), max(disk.mounts, key=lambda one: one.size_bytes, default=None)
    metrics = {name: metrics[name] for name in (f"{DAILY_USE.id}.{own.name}" for own in DAILY_USE.metrics)}
    question = question_for(DESKTOP.id, metrics.values())
    baseline, other = settings
    record = PlanRecord(DESKTOP.id, None, (baseline, other), baseline, (DAILY_USE.id,), seed, question=question)
    return new_result(disk, mount, record, metrics)


def stop(place: Place, client: HelperClient) -> tuple[bool, Kept | None]:
    """End all trials of this user's at once: the disk gets back what it had.

    Returns whether there was one, and what was kept of it here. Raises what the helper refuses; here it has ended then,
    too.
    """
    run_by_systemd("disable", "--now")
    kept = place.load()
    try:
        mine = [one.id for one in client.wait(calls.get_state()).field_trials if one.uid == os.getuid()]
        for id_ in mine:
            client.wait(calls.end_field_trial(id_))
    finally:
        place.remove()
    return bool(mine) or kept is not None, kept


def stop_own() -> None:
    """The same for who has no client of the helper's, and needs to know nothing of it."""
    with HelperClient() as client:
        stop(Place(), client)


def run_by_systemd(verb: str, *options: str) -> bool:
    """Let the user's systemd run the trial from now on and after each login (``enable``), or no more (``disable``).

    At once with ``--now``. False where there is no such systemd, or Disktuner is not installed: then somebody else has
    to run it.
    """
    done = systemctl("--quiet", verb, *options, UNIT)
    return done is not None and done.returncode == 0
