# SPDX-License-Identifier: GPL-3.0-or-later
"""Who else sets a disk's queue: rules, services and start scripts, each with file and line."""

from __future__ import annotations

from disktuner.block.writers.writer import LineState, Subject, Writer

__all__ = ["LineState", "Subject", "Writer"]
