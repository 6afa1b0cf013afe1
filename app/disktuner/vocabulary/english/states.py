# SPDX-License-Identifier: GPL-3.0-or-later
"""The sentences of comparisons with a disk's fast cache used up."""

from __future__ import annotations

from collections.abc import Mapping

TEXTS: Mapping[str, str | tuple[str, str]] = {
    "help-state": "compare on a rested disk, or with its fast cache used up by a writer that never pauses: {states:or} "
    "(default: {default}); the second needs a portrait",
    "help-compare-yes": "with --state exhausted: write without asking first",
    # before
    "exhausted-already": "{disk} writes at {now:rate} now, but at {fast:rate} when rested (measured {created}): its "
    "fast cache seems to be used up, for example by a recent copy. Let it rest for some minutes and start again, or "
    "compare in that state (--state exhausted).",
    "exhausted-without-portrait": "It is not known where the fast cache of {disk} ends. Make a portrait first: "
    "disktuner portrait {name:word}",
    "exhausted-without-end": "The portrait of {disk} ({created}) shows fast writing throughout {size:bytes}, so there "
    "is nothing to use up. Omit --state, or make a new portrait: disktuner portrait {name:word}",
    "exhausted-without-goal": "With the fast cache used up, only waiting times while files are written can be "
    "compared. Choose one of these goals: {goals:or}.",
    "exhausted-without-workload": "{workload} cannot be measured while a file is written all the time. Choose from: "
    "{known}.",
    "continues-another-state": "Result {result} was measured in another state of the disk. Omit --state, or start a "
    "new comparison.",
    "tunes-exhausted": "Result {result} was measured with the fast cache used up, but tuning needs a rested disk. Omit "
    "--after to start from the beginning.",
    # under Options in the window
    "measure-exhausted": "Measure with the fast cache used up",
    "measure-exhausted-about": "It ends after about {size:bytes}. Using it up takes {seconds:duration} and writes "
    "{most:bytes} at most. The disk is then as slow as during a big copy, and measuring takes longer.",
    "exhausted-first": "First the fast cache of {disk} is used up, as by a big copy.",
    # meanwhile
    "exhausting": "Writing until the fast cache is used up: at most {most:bytes} in {seconds:duration}…",
    "cache-does-not-end": "The disk still writes at {rate:rate} after {written:bytes}: its fast cache does not end "
    "where its portrait shows. Make a new portrait, then start again.",
    "state-left": "The disk wrote at {rate:rate}, so its fast cache was no longer used up.",
    "steady-writer-ended": "The background writer was stopped from outside Disktuner.",
    # what is said of it
    "state-rested": "rested",
    "state-exhausted": "fast cache used up",
    "answer-of-exhausted": "Measured with the disk's fast cache used up, while a file was written all the time.",
    "headline-of-exhausted": "{answer}, with its fast cache used up",
}
