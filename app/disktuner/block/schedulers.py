# SPDX-License-Identifier: GPL-3.0-or-later
"""What is known of schedulers by name; a name nobody described is used like any other, without claims."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

KERNEL_SCHEDULERS: tuple[str, ...] = ("none", "mq-deadline", "kyber", "bfq")
"""Those of the kernel's own tree, in rising order of what they cost per request."""

_ABOUT: Mapping[str, str] = {
    "none": "none: passes requests on as they come; costs nothing, orders nothing",
    "mq-deadline": "mq-deadline: sorts requests and lets none wait too long; reads go first",
    "kyber": "kyber: holds writes back so that reads stay quick; made for fast disks",
    "bfq": "bfq: keeps programs responsive and shares fair; costs the most processor time",
}

HONOURS_PRIORITIES: frozenset[str] = frozenset({"bfq", "mq-deadline"})
"""Those that honour ``ionice``; kyber and none ignore it (ioprio_set(2), block/mq-deadline.c)."""

_SUCCESSORS: Mapping[str, str] = {"noop": "none", "deadline": "mq-deadline", "cfq": "bfq"}
_BECAME: Mapping[str, str] = {
    "noop": "noop is called none since Linux 5.0.",
    "deadline": "deadline is called mq-deadline since Linux 5.0.",
    "cfq": "cfq was removed in Linux 5.0; bfq is the nearest to it.",
    "anticipatory": "anticipatory was removed in Linux 2.6.33 and has no successor.",
}


def about(name: str) -> str:
    """One plain sentence on a scheduler."""
    return _ABOUT.get(name, f"{name}: not one of the kernel's own; only measuring tells what it does")


def successor(old: str) -> str | None:
    """Today's name of a scheduler from before Linux 5.0; None where it has none (anticipatory) or needs none."""
    return _SUCCESSORS.get(old)


def became(old: str) -> str:
    """What became of a scheduler from before Linux 5.0, as a sentence; empty for any other name."""
    return _BECAME.get(old, "")


def not_offered(title: str, scheduler: str, possible: Iterable[str]) -> str:
    """Say that a disk has no such scheduler, what became of it, and which there are."""
    sentences = (f"{title} has no scheduler {scheduler!r}.", became(scheduler), f"Choose from: {', '.join(possible)}.")
    return " ".join(filter(None, sentences))


def written_as(name: str) -> str:
    """The scheduler that the kernel takes for a name that is written into ``queue/scheduler``.

    Source: ``elevator_alias`` of block/mq-deadline.c; the other old names are refused.
    """
    return "mq-deadline" if name == "deadline" else name


def compiled_out(offered: Iterable[str], loadable: Iterable[str]) -> tuple[str, ...]:
    """The kernel's own schedulers that this kernel has neither built in nor as a module."""
    there = {*offered, *loadable}
    return tuple(name for name in KERNEL_SCHEDULERS if name not in there)
