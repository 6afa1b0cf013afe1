# SPDX-License-Identifier: GPL-3.0-or-later
"""The sentences of preparing and running measurements: what is announced, why a run does not count, what stops it."""

from __future__ import annotations

from collections.abc import Mapping

TEXTS: Mapping[str, str | tuple[str, str]] = {
    # workloads: why one cannot run here
    "no-such-workload": "There is no workload {workload}. Choose one of: {known}.",
    "workload-only-declared": "This version of Disktuner cannot run {workload}: update Disktuner, or leave it out.",
    "program-missing": "{program} is not installed: install the package {package}, then start again.",
    "postgresql-missing": "PostgreSQL's server is not installed: install the package {package}, then start again.",
    "no-database-server": (
        "Neither PostgreSQL nor MariaDB is installed: install postgresql or mariadb-server, then start again."
    ),
    "udisks-missing": "udisks is not on the system bus: install the package {package}, then start again.",
    "python-not-in-one-place": (
        "Python's files lie scattered here, so its start cannot be copied: use {workload} instead."
    ),
    "raw-read-no-disk": "raw-read reads one whole disk, and below this folder there is none. Leave it out.",
    "raw-read-several-disks": (
        "raw-read reads one whole disk, and below this folder there are several ({disks:list}). "
        "Leave it out, or name a folder on a single disk."
    ),
    "raw-read-not-allowed": (
        "Nobody allowed Disktuner to read the disk {disk} directly. "
        "Try again with an administrator's password, or leave raw-read out."
    ),
    "udisks-could-not-open": (
        "udisks could not open {disk} ({error}). Install the package {package}, or leave raw-read out."
    ),
    "udisks-does-not-know-disk": "udisks does not know the disk {disk}. Leave raw-read out, or restart udisks.",
    "udisks-opened-something-else": (
        "What udisks opened is not {disk} for reading past the page cache. Leave raw-read out, or update {package}."
    ),
    # workloads: why one run yields no number
    "program-failed": "{program} failed with status {status} and printed: “{output}”.",
    "program-failed-silently": "{program} failed with status {status} and printed nothing.",
    "program-not-started": "{program} could not be started: {error}.",
    "program-too-slow": "{program} was ended because it took longer than {limit:time}.",
    "output-not-understood": "The output of {program} could not be understood: “{output}”.",
    "still-cached": "{share:percent} of {file} stays in the page cache although nothing uses it.",
    "nothing-finished": "Nothing was finished in the time of the run. Give it more time (--budget thorough).",
    "raw-disk-empty": "The disk has nothing to read.",
    "server-ended": "The private {server} server ended with status {status} and printed: “{output}”.",
    "server-ended-silently": "The private {server} server ended with status {status} and printed nothing.",
    "server-stopped": "The private {server} server stopped before the run was done.",
    "server-did-not-end": "The private {server} server did not end when it was told to.",
    "server-too-slow": "The private {server} server took no connections within {waited:time}.",
    "server-not-made": (
        "No private {server} server could be made, because {program} failed: “{output}”. "
        "Remove the cause (is there room on the disk?) or choose another folder."
    ),
    "server-not-made-silently": (
        "No private {server} server could be made, because {program} failed and printed nothing. "
        "Remove the cause (is there room on the disk?) or choose another folder."
    ),
}
