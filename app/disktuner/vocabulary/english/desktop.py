# SPDX-License-Identifier: GPL-3.0-or-later
"""The sentences that the desktop shows for the window."""

from __future__ import annotations

from collections.abc import Mapping

TEXTS: Mapping[str, str | tuple[str, str]] = {
    # A notification: what a click on it does
    "show-window": "Show the window",
}
