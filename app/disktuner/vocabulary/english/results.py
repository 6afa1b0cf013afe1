# SPDX-License-Identifier: GPL-3.0-or-later
"""The sentences of result files and where they are kept."""

from __future__ import annotations

from collections.abc import Mapping

_FILES = {
    "cannot-read": "{file} cannot be read: {why}. Check the name and its rights.",
    "cannot-write-as-json": "This result cannot be written as JSON ({why}). Measure again.",
    "no-regular-file": "{file} is not a regular file but a folder, a pipe or a device. Name a regular file.",
    "file-is-damaged": "This is no whole result file and no picture with a result in it ({why}). Use an undamaged "
    "copy, or measure again with 'disktuner compare'.",
    "file-too-large": "This file is larger than any result that Disktuner writes. Choose another file.",
    "no-format": "This is not a Disktuner result: it names no format. Give a file that 'disktuner compare --out FILE' "
    "or the window wrote.",
    "other-format": "The file has another format than {known}, the one that this version reads. Update Disktuner if a "
    "newer version made the file; if an earlier one did, or another program, measure again.",
    "too-many-values": "The file holds more values than any measurement leaves; it was not written by Disktuner. Use "
    "another file, or measure again with 'disktuner compare'.",
    "unknown-direction": "The file has samples of '{metric}' but does not say whether less or more of it is better. "
    'Add "{metric}" with "better": "lower" (or "higher") to its metrics.',
    "unsound": "This is no sound result ({why}). Use an undamaged copy of the file, or measure again with "
    "'disktuner compare'.",
}

_PICTURES = {
    "picture-cut": "The picture ends too early: it was cut or damaged. Ask for the original file, not a screenshot or "
    "a re-saved copy.",
    "picture-damaged": "The picture's checksums are wrong: it was cut or damaged. Ask for the original file, not a "
    "screenshot or a re-saved copy.",
    "picture-forged": "This picture holds two results, which Disktuner never writes; it was forged. Do not trust it.",
    "picture-repainted": "The numbers in this picture are not those it was saved with, or it was painted over or "
    "compressed anew: do not trust it. Ask for the original file or for the result as .json.",
    "picture-unreadable": "The result in this picture cannot be unpacked: it was cut or damaged. Ask for the original "
    "file, not a screenshot or a re-saved copy.",
    "picture-without-result": "This picture holds no result: it was not saved by Disktuner, or a service on its way "
    "removed the hidden data. Ask for the original file or for the result as .json.",
}

_STORE = {
    "bad-result-id": "{result} cannot be the id of a result. See 'disktuner history' for those there are.",
    "bad-note": "The note is no text, or has too many characters (at most {most}). Write another one.",
    "just-gone": "The file has just gone.",
    "no-such-result": "There is no result {result}. See 'disktuner history' for those there are.",
    "cannot-be-saved": "Nothing can be saved as {file}: {why}. Choose another place and start anew; nothing was "
    "measured yet.",
    "store-closed": "Results cannot be kept in {folder}: {why}. What is measured will be kept elsewhere, and you will "
    "be told where.",
    "kept-elsewhere": "{file} cannot be written: {why}. The result is kept as {kept} instead.",
    "kept-nowhere": "{file} cannot be written: {why}. The result cannot be kept anywhere else, either: it is only "
    "shown. Note down the answer.",
    "not-saved-but-kept": "The result could not be saved as {file}: {why}. It is kept as {kept}.",
    "not-saved": "The result could not be saved as {file}: {why}. Make room or choose another place with --out; what "
    "was saved before is still there.",
    "still-measured": "The result {result} is still being measured. Wait until that is done, or cancel it.",
}

TEXTS: Mapping[str, str | tuple[str, str]] = {**_FILES, **_PICTURES, **_STORE}
