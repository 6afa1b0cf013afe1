# SPDX-License-Identifier: GPL-3.0-or-later
"""The catalogue: every sentence that a person reads, by its id, in English; other languages translate these.

A sentence is whole: no part of it is put together elsewhere. Its places (``{size:bytes}``) take the message's values,
written as ``units.WAYS`` says; ``{reason:named}`` is the name of a declared fact. Two texts are the singular and the
plural, chosen by the value ``count``.
"""

from __future__ import annotations

from collections.abc import Mapping

from disktuner.vocabulary.english import (
    access,
    checkup,
    daily_use,
    desktop,
    disks,
    engines,
    fleet,
    helper,
    languages,
    manual,
    measuring,
    own,
    reports,
    results,
    starts,
    terminal,
    verdicts,
    watch,
    window,
)

_PARTS = (
    *(checkup, disks, helper, measuring, own, results, verdicts, reports, starts, terminal, window),
    *(access, daily_use, desktop, engines, fleet, languages, manual, watch),
)
TEXTS: Mapping[str, str | tuple[str, str]] = {
    "literal": "{text}",
    **{id_: text for part in _PARTS for id_, text in part.TEXTS.items()},
}
if len(TEXTS) != 1 + sum(len(part.TEXTS) for part in _PARTS):
    raise ValueError("an id stands twice in the catalogue")
