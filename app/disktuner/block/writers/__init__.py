# SPDX-License-Identifier: GPL-3.0-or-later
"""Who else decides about a disk's queue: rules, services and start scripts, each with file and line."""

from __future__ import annotations

from disktuner.block.writers.scripts import boot_writers, path_writers, script_writers
from disktuner.block.writers.services import tlp_writers, tuned_writers
from disktuner.block.writers.udev_rules import rule_writers
from disktuner.block.writers.writer import Subject, Writer

__all__ = ["Subject", "Writer", "writers_of"]


def writers_of(subject: Subject) -> tuple[Writer, ...]:
    """Return all that may set this disk's queue, in the order in which they act at a start."""
    services = (*path_writers(subject), *tuned_writers(subject), *tlp_writers(subject))
    return (*boot_writers(subject), *rule_writers(subject), *services, *script_writers(subject))
