# SPDX-License-Identifier: GPL-3.0-or-later
"""The sentences about languages, and the words of a command line that argparse leaves to its user."""

from __future__ import annotations

from collections.abc import Mapping

TEXTS: Mapping[str, str | tuple[str, str]] = {
    "help-commands": "commands",
    "help-version": "show the version and exit",
    "usage-expected": ("expected %s argument", "expected %s arguments"),
    "language-hint": "Language of this window",
    "language-of-desktop": "As the desktop ({language})",
    "language-not-kept": "The language holds until the window is closed: it could not be kept. {why}",
}
