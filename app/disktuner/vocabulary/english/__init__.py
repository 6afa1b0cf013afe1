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
    helper,
    in_window,
    languages,
    manual,
    measuring,
    own,
    portrait,
    reports,
    results,
    rolling_out,
    starts,
    states,
    terminal,
    verdicts,
    window,
)

TEXTS: dict[str, str | tuple[str, str]] = {"literal": "{text}"}


def add(texts: Mapping[str, str | tuple[str, str]]) -> None:
    """Add the sentences of a package. Raises ``ValueError`` for an id that is there."""
    if twice := TEXTS.keys() & texts.keys():
        raise ValueError(f"these ids stand twice in the catalogue: {', '.join(twice)}")
    TEXTS.update(texts)


for _part in (
    *(
        checkup,
        disks,
        helper,
        measuring,
        own,
        portrait,
        results,
        rolling_out,
        verdicts,
        reports,
        starts,
        states,
        terminal,
        window,
    ),
    *(access, daily_use, desktop, in_window, languages, manual),
):
    add(_part.TEXTS)
