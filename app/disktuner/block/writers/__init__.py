# SPDX-License-Identifier: GPL-3.0-or-later
"""Who else decides about a disk's queue: rules, services and start scripts, each with file and line."""

from __future__ import annotations

from disktuner.block.writers.boot import boot_writers
from disktuner.block.writers.scripts import script_writers
from disktuner.block.writers.services import service_writers
from disktuner.block.writers.tlp import tlp_writers
from disktuner.block.writers.tuned import tuned_writers
from disktuner.block.writers.udev_rules import rule_writers
from disktuner.block.writers.writer import Subject, Writer

__all__ = ["Subject", "Writer", "writers_of"]


def writers_of(subject: Subject) -> tuple[Writer, ...]:
    """All that may set this disk's queue, in the order in which they act at a start."""
    services = (*service_writers(subject), *tuned_writers(subject), *tlp_writers(subject))
    return (*boot_writers(subject), *rule_writers(subject), *services, *script_writers(subject))
