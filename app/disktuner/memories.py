# SPDX-License-Identifier: GPL-3.0-or-later
"""What was answered last about each disk, for its card: read from the list of kept results, without judging any."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from disktuner.results.history import MOST_BARS, Entry, known_entries, when
from disktuner.results.store import Store
from disktuner.standing import Memory
from disktuner.verdict.model import METHOD
from disktuner.verdict.outcomes import Decision
from disktuner.vocabulary.messages import text


def memories_of(entries: Iterable[Entry]) -> dict[str, Memory]:
    """Return what was answered last, by what disks are called in results; the newest entries come first.

    What was measured without an answer is told where there is no other.
    """
    newest: dict[str, Memory] = {}
    for entry in sorted(entries, key=lambda entry: entry.decision == Decision.UNDECIDED):
        if entry.disk and not entry.problem and entry.disk not in newest:
            sentence = text("measured-before", when=when(entry.created), answer=entry.headline)
            bars = entry.bars[:MOST_BARS]
            newest[entry.disk] = Memory(
                entry.id, sentence, entry.disk, entry.decision, entry.about, entry.baseline, bars
            )
    return newest


def known_memories(folder: Path | None = None) -> dict[str, Memory] | None:
    """Return the same of a folder's results, None where some have to be judged first. Blocks."""
    entries = known_entries(Store(folder), METHOD)
    return None if entries is None else memories_of(entries)
