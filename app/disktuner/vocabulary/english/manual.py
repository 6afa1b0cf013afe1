# SPDX-License-Identifier: GPL-3.0-or-later
"""The sentences of the manual page; what commands and options do is said by the terminal's own."""

from __future__ import annotations

from collections.abc import Mapping

TEXTS: Mapping[str, str | tuple[str, str]] = {
    "manual-volume": "User Commands",
    # Headings
    "manual-name": "NAME",
    "manual-synopsis": "SYNOPSIS",
    "manual-description": "DESCRIPTION",
    "manual-options": "OPTIONS",
    "manual-commands": "COMMANDS",
    "manual-exit-status": "EXIT STATUS",
    "manual-files": "FILES",
    "manual-environment": "ENVIRONMENT",
    "manual-examples": "EXAMPLES",
    "manual-see-also": "SEE ALSO",
    # NAME and DESCRIPTION
    "manual-summary": "find the best I/O scheduler for a disk by measuring",
    "manual-what-it-does": "Disktuner runs short, realistic benchmarks with each I/O scheduler that the kernel offers "
    "for a disk, round by round in random order, and reports which scheduler is best for the disk's use, and with what "
    "certainty. “No practical difference” is one of the possible answers.",
    "manual-puts-back": "Whatever happens, the disk's original scheduler is restored after measuring. The winner is "
    "only set on request, until the next restart or permanently, and every change can be undone.",
    "manual-rights": "Benchmarks run as the calling user. Only a small service sets schedulers and tunables; polkit "
    "authorises each change.",
    "manual-no-telemetry": "No measurements leave the computer.",
    "manual-window": "Without a command, the window opens. If it is already open, it comes to the front.",
    # EXIT STATUS
    "manual-exit-done": "Success.",
    "manual-exit-unforeseen": "Unexpected error; the message names the log.",
    "manual-exit-usage": "Invalid command or argument, or there is no such result.",
    "manual-exit-not-authorised": "Not authorised.",
    "manual-exit-no-such-thing": "Unknown disk, scheduler or workload, or the disk cannot be tuned.",
    "manual-exit-measurement": "The measurement failed or is impossible, or a file is damaged; the message "
    "gives the reason.",
    "manual-exit-no-helper": "The service that sets schedulers cannot be reached.",
    "manual-exit-cancelled": "Cancelled; everything is restored.",
    # FILES
    "manual-file-results": "Results, one file each.",
    "manual-file-log": "The log.",
    "manual-file-window": "Size and position of the window.",
    "manual-file-rules": "Permanent choices, a udev rule per disk.",
    "manual-file-run": "The original settings of changed disks, until the next restart.",
    # ENVIRONMENT
    "manual-variable-data": "Folder for results, instead of {folder}.",
    "manual-variable-state": "Folder for the log, instead of {folder}.",
    "manual-variable-no-colour": "If set, tables on a terminal have no colours.",
    # EXAMPLES
    "manual-example-list": "List the disks and their kinds:",
    "manual-example-compare": "Measure which scheduler is best for the disk of {folder}:",
    "manual-example-tune": "Measure whether tunables gain more than the best plain scheduler:",
    "manual-example-export": "Save a picture of a result:",
    "manual-example-set": "Use {scheduler:scheduler} on {disk} until the next restart, and undo it:",
    "manual-example-check": "Show what slows the disks down, what set it, and the fix:",
}
