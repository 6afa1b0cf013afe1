# SPDX-License-Identifier: GPL-3.0-or-later
"""Columns of live figures: single-precision numbers, packed little-endian in files."""

from __future__ import annotations

import sys
from array import array
from collections.abc import Sequence

LARGEST_NUMBER = 1e18


def column(values: Sequence[float] | Sequence[int] = ()) -> array[float]:
    return array("f", values)


def pack(values: array[float]) -> bytes:
    """Return a column as little-endian IEEE 754 single-precision numbers."""
    return _little_endian(values).tobytes()


def unpack(data: bytes) -> array[float]:
    """Return the column that ``pack`` returned. Raises ``ValueError`` if it is cut, or has infinite or huge numbers."""
    import numpy as np  # noqa: PLC0415 - only results with live figures need it

    values = array("f")
    values.frombytes(data)
    values = _little_endian(values)
    if values and not (np.abs(np.frombuffer(values, dtype=np.float32)) <= LARGEST_NUMBER).all():
        raise ValueError("numbers that are not finite")
    return values


def is_ascending(values: array[float]) -> bool:
    """Whether a column starts at 0 or later and never decreases, as times do."""
    import numpy as np  # noqa: PLC0415 - only results with live figures need it

    return not values or (values[0] >= 0 and bool((np.diff(np.frombuffer(values, dtype=np.float32)) >= 0).all()))


def _little_endian(values: array[float]) -> array[float]:
    if sys.byteorder == "little":
        return values
    turned = values[:]
    turned.byteswap()
    return turned
