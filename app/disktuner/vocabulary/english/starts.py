# SPDX-License-Identifier: GPL-3.0-or-later
"""The sentences of recording a program's start, of the patterns that keep it, and of replaying it."""

from __future__ import annotations

from collections.abc import Mapping

TEXTS: Mapping[str, str | tuple[str, str]] = {
    # what is wrong with a pattern
    "bad-pattern": "The recorded start in this result is damaged. Use an undamaged copy of the file, or record the "
    "start again.",
    # before the start
    "pattern-needs-room": "Replaying the start of this program needs {needed:bytes} of scratch files; at most half of "
    "the free {free:bytes} is used. Free some space, or measure on another disk.",
    # recording
    "no-such-program": "There is no application or command “{program}”. Use the id of a desktop entry, such as "
    "firefox, or a command as in a terminal.",
    "command-not-understood": "“{program}” cannot be parsed: {why}. Check its quotation marks.",
    "start-handed-over": "“{program}” exited immediately, probably because it is already running. Close it first; for "
    "a program that always exits by itself, use a command.",
    "start-failed": "“{program}” failed with status {status} while its start was recorded: “{output}”. Fix this first.",
    "start-reads-nothing": "The start of this program reads no files from a disk. Name the program itself, not one "
    "that launches it elsewhere.",
}
