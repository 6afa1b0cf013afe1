# SPDX-License-Identifier: GPL-3.0-or-later
"""The sentences of recording a program's start, of the patterns that keep it, and of replaying it."""

from __future__ import annotations

from collections.abc import Mapping

TEXTS: Mapping[str, str | tuple[str, str]] = {
    # what is wrong with a pattern
    "bad-pattern": "This is no sound pattern of a program's start. {wrong} Use an undamaged copy of the file, or "
    "record the start anew.",
    "pattern-not-readable": "{file} could not be read: {why}. Name a pattern that Disktuner wrote.",
    "pattern-no-text": "It is neither JSON nor compressed JSON.",
    "pattern-too-large": "It is larger than {most:bytes}.",
    "pattern-format": "Its format is not '{known}'.",
    "pattern-count": "It must have reads (1 to {reads}) from files (at most {files}).",
    "must-be-read": "'{place}' must be a file's number, an offset, a length, a time and how it is read.",
    "must-be-one-of": "'{place}' must be one of {known:list}.",
    "must-be-within": "'{place}' must hold numbers from {least:digits} to {most:digits}.",
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
    "start-not-started": "“{program}” could not be started: {error}. Is it spelled as in a terminal?",
    "start-failed": "“{program}” failed with status {status} while its start was recorded, and printed: “{output}”. "
    "Let it start without an error first.",
    "start-reads-nothing": "Nothing was seen that this start reads from files on a disk. Name the "
    "program itself instead of one that starts it elsewhere.",
}
