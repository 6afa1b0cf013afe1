# SPDX-License-Identifier: GPL-3.0-or-later
"""The sentences of recording a program's start, of the patterns that keep it, and of replaying it."""

from __future__ import annotations

from collections.abc import Mapping

TEXTS: Mapping[str, str | tuple[str, str]] = {
    # what is wrong with a pattern
    "bad-pattern": "What this result keeps of a program's start is damaged. Use an undamaged copy of the file, or "
    "record the start anew.",
    # before the start
    "pattern-needs-room": "To start this program again takes {needed:bytes} of scratch files, and {free:bytes} are "
    "free; at most half of that is used. Make room, or measure on another disk.",
    "pattern-file-too-large": "Starting this program reads a file of {size:bytes}, which is larger than a file may be "
    "here. Measure on another file system, or record the program's start anew.",
    # recording
    "no-such-program": "There is no application and no command “{program}”. Give the id of a desktop entry, such as "
    "firefox, or a command as in a terminal.",
    "program-not-understood": "“{program}” cannot be taken apart into words: {why}. Close its quotation marks.",
    "start-handed-over": "“{program}” ended at once, as a program does that hands over to an instance that runs "
    "already. Close that, or name its command if it ends by itself.",
    "start-failed": "“{program}” failed with status {status} while its start was recorded, and printed: “{output}”. "
    "Let it start without an error first.",
    "start-reads-nothing": "Nothing was seen that this start reads from files on a disk. Name the "
    "program itself instead of one that starts it elsewhere.",
}
