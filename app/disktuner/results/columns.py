# SPDX-License-Identifier: GPL-3.0-or-later
"""Columns of live figures: single-precision numbers, packed little-endian in files."""

from __future__ import annotations

import sys
from array import array
from collections.abc import Sequence

LARGEST_NUMBER = 1e18


def column(values: Sequence[float] | Sequence[int] = ()) -> array[float]:
    """Return the values as single-precision numbers."""
    return array("f", values)


def pack(values: array[float]) -> bytes:
    """Return a column as little-endian IEEE 754 single-precision numbers."""
    return _little_endian(values).tobytes()


def unpack(data: bytes) -> array[float]:
    """Return the column that ``pack`` wrote. Raises ``ValueError`` for one that is cut, or not of finite numbers."""
    import numpy as np  # noqa: PLC0415 - only results with live figures need it

    found = array("f")
    found.frombytes(data)
    found = _little_endian(found)
    if found and not (np.abs(np.frombuffer(found, dtype=np.float32)) <= LARGEST_NUMBER).all():
        raise ValueError("numbers that are not finite")
    return found


def is_ascending(values: array[float]) -> bool:
    """Say whether a column goes on from 0 or later and never back, as times do."""
    import numpy as np  # noqa: PLC0415 - only results with live figures need it

    return not values or (values[0] >= 0 and bool((np.diff(np.frombuffer(values, dtype=np.float32)) >= 0).all()))


def _little_endian(values: array[float]) -> array[float]:
    if sys.byteorder == "little":
        return values
    turned = values[:]
    turned.byteswap()
    return turned
