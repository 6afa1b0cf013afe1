# SPDX-License-Identifier: GPL-3.0-or-later
"""Inside the machine: one process that changes a disk again and again: ``twice.py runtime|persist DISK SCHEDULER…``."""

from __future__ import annotations

import sys

from disktuner.block.system import System
from disktuner.cli.changes import helper
from disktuner.helper_client import calls


def main() -> None:
    """As the window would, with polkit's text agent."""
    how, name, *schedulers = sys.argv[1:]
    disk = System().disk(name)
    with helper() as client:
        for scheduler in schedulers:
            if how == "persist":
                client.wait(calls.persist(disk.name, disk.diskseq, scheduler, {}))
            else:
                client.wait(calls.set_scheduler(disk.name, disk.diskseq, scheduler))


if __name__ == "__main__":
    main()
