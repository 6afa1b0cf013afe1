# SPDX-License-Identifier: GPL-3.0-or-later
"""The language that was chosen in the window, as it is remembered; without one the desktop's holds."""

from __future__ import annotations

import logging

from disktuner.folders import config_folder
from disktuner.opening import read_regular
from disktuner.vocabulary.languages import LANGUAGES
from disktuner.writing import write_atomically

log = logging.getLogger(__name__)

LONGEST_ID_BYTES = 64


def chosen() -> str | None:
    """Return the language that was chosen; None where the desktop's holds."""
    try:
        kept = read_regular(config_folder() / "language", LONGEST_ID_BYTES).decode("utf-8").strip()
    except (OSError, ValueError, RuntimeError) as error:
        log.debug("no language was chosen: %s", error)
        return None
    return kept if kept in LANGUAGES else None


def keep(id_: str | None) -> None:
    """Remember the language that was chosen, None for the desktop's. Raises ``NotSaved`` or ``OSError``."""
    file = config_folder() / "language"
    if id_ is None:
        file.unlink(missing_ok=True)
        return
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    write_atomically(file, f"{id_}\n".encode())
