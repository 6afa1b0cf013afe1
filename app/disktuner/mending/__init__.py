# SPDX-License-Identifier: GPL-3.0-or-later
"""Who sets a disk back, and how that is ended where it is set: by whose means, and revertible."""

from __future__ import annotations

from disktuner.mending.choosing import colliding, mending_of
from disktuner.mending.mending import Mending, mending_to_json

__all__ = ["Mending", "colliding", "mending_of", "mending_to_json"]
