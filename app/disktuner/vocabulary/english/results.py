# SPDX-License-Identifier: GPL-3.0-or-later
"""The sentences of result files and where they are kept."""

from __future__ import annotations

from collections.abc import Mapping

_FILES = {
    "cannot-read": "{file} cannot be read: {why}. Check its name and permissions.",
    "cannot-write-as-json": "This result cannot be written as JSON ({why}). Measure again.",
    "no-regular-file": "{file} is not a regular file. Name a regular file.",
    "file-is-damaged": "This is not a complete result file, nor a picture with a result in it ({why}). Use an "
    "undamaged copy, or measure again.",
    "file-too-large": "This file is larger than any result of Disktuner. Choose another file.",
    "no-format": "This is not a Disktuner result. Use a file saved by 'disktuner compare --out FILE' or the window.",
    "other-format": "The file is not in format {known}, the one that this version reads. If a newer Disktuner saved "
    "it, update; otherwise measure again.",
    "too-many-values": "The file holds more values than any measurement, so Disktuner did not write it. Use another "
    "file, or measure again.",
    "unknown-direction": "The file has samples of '{metric}' but does not say whether less or more is better. Add "
    '"{metric}" with "better": "lower" (or "higher") to its metrics.',
    "unsound": "This is not a valid result ({why}). Use an undamaged copy of the file, or measure again.",
}

_PICTURES = {
    "picture-damaged": "This picture was cropped or damaged. Ask for the original file, not a screenshot or a re-saved "
    "copy.",
    "picture-forged": "This picture contains two results, which Disktuner never writes: it was forged. Do not trust "
    "it.",
    "picture-repainted": "The picture does not match the result in it: it was edited or compressed again. Do not trust "
    "it. Ask for the original file or the .json result.",
    "picture-without-result": "This picture contains no result: Disktuner did not save it, or the hidden data was "
    "removed on the way. Ask for the original file or the .json result.",
}

_STORE = {
    "bad-result-id": "{result} is not the id of a result. See 'disktuner history'.",
    "bad-note": "The note is not text, or longer than {most} characters. Write a shorter one.",
    "just-gone": "The file has just been removed.",
    "no-such-result": "There is no result {result}. See 'disktuner history'.",
    "cannot-be-saved": "Cannot save to {file}: {why}. Choose another place and start again; nothing was measured yet.",
    "store-closed": "Results cannot be kept in {folder}: {why}. They are kept elsewhere; you will see where.",
    "kept-elsewhere": "{file} cannot be written: {why}. The result is kept as {kept} instead.",
    "kept-nowhere": "{file} cannot be written: {why}. The result cannot be kept anywhere else, so it is only shown. "
    "Note down the answer.",
    "not-saved-but-kept": "The result could not be saved as {file}: {why}. It is kept as {kept}.",
    "export-onto-itself": "{file} is the result itself, which this export would replace. Choose another name.",
    "not-saved": "The result could not be saved as {file}: {why}. Free some space, or choose another place; "
    "what was saved before is still there.",
    "home-unknown": "Your home folder is unknown, so there is no place for results. Set HOME, and start again.",
    "not-printed": "The output could not be written: {why}. Free some space, or write it to another place.",
    "not-removed": "{file} could not be removed: {why}. Make sure that you may write in its folder, and try again.",
    "still-measured": "Result {result} is still being measured. Wait until it is done, or cancel it.",
}

TEXTS: Mapping[str, str | tuple[str, str]] = {**_FILES, **_PICTURES, **_STORE}
