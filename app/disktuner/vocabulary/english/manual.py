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
    "manual-what-it-does": "Disktuner runs short real benchmarks under each I/O scheduler that the kernel offers for a "
    "disk, in random order, round after round, and says which one is best for what the disk is used for, and how sure "
    "that is. “No practical difference” is one of its answers.",
    "manual-puts-back": "Whatever happens in between, the disk ends with the scheduler it had. A winner is applied "
    "only when asked for, until the next restart or permanently, and every change can be undone.",
    "manual-rights": "Benchmarks run as the user who starts them. Only a small service sets schedulers and tunables, "
    "and polkit is asked each time.",
    "manual-no-telemetry": "Nothing that is measured leaves the computer.",
    "manual-window": "Without a command, the window opens. If there is one already, it comes to the front.",
    # EXIT STATUS
    "manual-exit-done": "Done.",
    "manual-exit-unforeseen": "Something unforeseen went wrong; the message names the log.",
    "manual-exit-usage": "A command, argument or file is wrong; the message says how.",
    "manual-exit-not-authorised": "Not authorised.",
    "manual-exit-no-such-thing": "No such disk, scheduler, workload or result, or the disk cannot be tuned.",
    "manual-exit-measurement": "The measurement is not valid or not possible; the message says why.",
    "manual-exit-no-helper": "The service that sets schedulers cannot be reached.",
    "manual-exit-cancelled": "Cancelled; everything is restored.",
    # FILES
    "manual-file-results": "Results, one file each.",
    "manual-file-log": "The log.",
    "manual-file-window": "Size and place of the window.",
    "manual-file-rules": "Permanent choices, as a udev rule.",
    "manual-file-run": "What disks had before they were changed, until the next restart.",
    # ENVIRONMENT
    "manual-variable-data": "The folder below which results are kept, instead of {folder}.",
    "manual-variable-state": "The folder below which the log is kept, instead of {folder}.",
    "manual-variable-no-colour": "If it is set, tables on a terminal have no colours.",
    # EXAMPLES
    "manual-example-list": "List the disks and what each one is:",
    "manual-example-compare": "Find the best scheduler for the disk below {folder}:",
    "manual-example-tune": "Find out which tunables gain more than the best plain scheduler, if any:",
    "manual-example-export": "Save a picture of a result:",
    "manual-example-set": "Use {scheduler:scheduler} on {disk} until the next restart, and undo it:",
    "manual-example-check": "See what slows the disks, who set it, and how to fix it:",
}
