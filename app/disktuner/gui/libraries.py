# SPDX-License-Identifier: GPL-3.0-or-later
"""The large libraries that only some pages need: each is imported when such a page is first opened.

Called in the GUI thread, before a thread judges or draws: a thread finds imported whatever it runs, because PySide
makes its types when they are first touched, and crashes where two threads do that at once.
"""

from __future__ import annotations

from disktuner.workloads.catalogue import catalogue

# ruff: noqa: F401, ICN001, PLC0415 - to have them imported, here and now, is the purpose


def load_judging() -> None:
    """What a comparison and its verdict run with, in threads (0.3 s)."""
    import numpy
    import scipy.special

    import disktuner.verdict.alternating
    import disktuner.verdict.fitting

    catalogue()
