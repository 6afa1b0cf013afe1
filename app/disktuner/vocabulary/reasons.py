# SPDX-License-Identifier: GPL-3.0-or-later
"""Reasons why a run's numbers do not count, or were disturbed, with their consequences."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from disktuner.vocabulary.english import TEXTS
from disktuner.vocabulary.tables import table


@dataclass(frozen=True, slots=True)
class Reason:
    """A remark of the guard on a run; ``id`` is its sentence in the catalogue.

    ``invalid`` runs do not count, because their numbers are wrong or favour a scheduler; others only vary more.
    ``lasting`` causes will most likely affect the next run, too: after a few such runs in a row the measurement ends,
    and immediately with the error whose id is ``ends``. Reasons that recur run after run are said ``once``; those not
    ``is_said`` are only recorded with the run.
    """

    id: str
    invalid: bool = True
    lasting: bool = False
    once: bool = False
    is_said: bool = True
    ends: str | None = None


REASONS: Mapping[str, Reason] = table(
    Reason("disk-gone", lasting=True, ends="disk-vanished"),
    Reason("read-only", lasting=True, ends="folder-read-only"),
    Reason("unmounted", lasting=True, ends="folder-unmounted"),
    Reason("disk-error", lasting=True),
    Reason("suspended"),
    Reason("stopped"),
    Reason("scheduler-changed"),
    Reason("tunable-changed", lasting=True),
    Reason("state-left", once=True),
    Reason("impossible-value"),
    Reason("o-direct-ignored"),
    Reason("page-cache"),
    Reason("not-written"),
    Reason("host-cache"),
    Reason("run-failed", lasting=True),
    Reason("too-short", invalid=False, once=True),
    Reason("cut-short", invalid=False, is_said=False),
    Reason("own-stays", invalid=False, once=True),
    Reason("own-in-memory", invalid=False, once=True),
    Reason("load-idle", invalid=False, once=True),
    Reason("load-again", invalid=False, once=True),
    Reason("own-cold-stayed", invalid=False, once=True),
    Reason("own-cold-untold", invalid=False, once=True),
    Reason("other-io", invalid=False, once=True),
    Reason("on-battery", invalid=False, once=True),
    Reason("disk-hot", invalid=False, once=True),
    Reason("cpu-hot", invalid=False, once=True),
    Reason("cpu-limited", invalid=False, once=True),
    Reason("cpu-stolen", invalid=False, once=True),
    Reason("pressure-unconfirmed", invalid=False, once=True),
)
"""All reasons by id."""


_said = {id_ for reason in REASONS.values() for id_ in (reason.id, reason.ends) if id_}
if missing := _said - TEXTS.keys():
    raise ValueError(f"reasons without a sentence: {sorted(missing)}")
