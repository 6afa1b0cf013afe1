# SPDX-License-Identifier: GPL-3.0-or-later
"""Begins and stops a trial in daily use: its authorisation, the result for its blocks, and the user's unit."""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import Sequence
from contextlib import suppress

from disktuner.block.disk import Disk
from disktuner.helper_client import calls
from disktuner.helper_client.client import HelperClient
from disktuner.results.store import Store
from disktuner.user_units import systemctl
from disktuner.vocabulary.errors import UsageError
from disktuner.vocabulary.settings import Setting
from disktuner.writing import NotSaved
from disktuner_watch.field.blocks import Block
from disktuner_watch.field.feeling import require_counted
from disktuner_watch.field.runner import end
from disktuner_watch.field.saved import Place, SavedTrial, empty_result

UNIT = "disktuner-field.service"
MOST_DAYS, USUAL_DAYS = 31, 7
DAY_S = 86400
WBT = "queue/wbt_lat_usec"
"""Once it has been written, bfq no longer switches write throttling off, so the other setting would differ."""


def begin(
    place: Place, store: Store, client: HelperClient, disk: Disk, *, settings: Sequence[Setting], days: int
) -> SavedTrial:
    """Ask for authorisation to alternate a disk between two settings, and save what the runner needs.

    The first setting is the baseline. Raises ``UsageError`` if a trial is under way, ``MeasurementImpossible`` if
    nothing can be felt here, ``NotSaved``, and what the helper refuses.
    """
    require_counted()
    if place.load() is not None:
        raise UsageError("field-under-way")
    if len({WBT in setting.values for setting in settings}) > 1:
        raise UsageError("field-write-limit", name=WBT)
    settings = [setting.kept for setting in settings]
    until = int(time.time()) + days * DAY_S
    requests = [(setting.scheduler, setting.values) for setting in settings]
    id_ = client.wait(calls.begin_field_trial((disk.name, disk.diskseq), requests, until))
    result = empty_result(disk, settings, secrets.randbits(31))
    saved = SavedTrial(id_, result.id, result.plan.seed, until, Block(0))
    try:
        store.save(result)
        place.save(saved)
    except NotSaved:
        client.wait(calls.end_field_trial(id_))
        with suppress(NotSaved):
            store.delete(result.id)
        raise
    return saved


def begin_unattended(disk: Disk, settings: Sequence[Setting]) -> None:
    """Begin a trial of a week that the user's systemd runs. Raises ``UsageError`` if it cannot, undoing everything."""
    place = Place()
    with HelperClient() as client:
        saved = begin(place, Store(), client, disk, settings=settings, days=USUAL_DAYS)
        if not run_by_systemd("enable", "--now"):
            end(place, client, saved)
            Store().delete(saved.result)
            raise UsageError("field-needs-systemd", disk=disk.name)


def stop(client: HelperClient, place: Place | None = None) -> tuple[bool, SavedTrial | None]:
    """End all this user's trials now, restoring their disks.

    Returns whether there was one, and the saved trial, which is forgotten in any case. Raises what the helper refuses.
    """
    run_by_systemd("disable", "--now")
    place = place or Place()
    saved = place.load()
    try:
        ids = [trial.id for trial in client.wait(calls.get_state()).field_trials if trial.uid == os.getuid()]
        for id_ in ids:
            client.wait(calls.end_field_trial(id_))
    finally:
        place.remove()
    return bool(ids) or saved is not None, saved


def stop_own() -> None:
    """Do the same with a client of its own."""
    with HelperClient() as client:
        stop(client)


def run_by_systemd(verb: str, *options: str) -> bool:
    """Let the user's systemd run the trial after each login (``enable``), or not (``disable``); now with ``--now``.

    False if there is no such systemd or Disktuner is not installed: then the caller has to run it.
    """
    done = systemctl("--quiet", verb, *options, UNIT)
    return done is not None and done.returncode == 0
