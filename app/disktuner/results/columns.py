# SPDX-License-Identifier: GPL-3.0-or-later
"""Columns of live figures: in memory as single-precision arrays, in a file as base64 of the same, or as plain lists.

A comparison yields up to a million live points with eight figures each. As JSON numbers they would take seconds to
read; packed they take a tenth of one. Seven digits are more than such a figure has.
"""

from __future__ import annotations

import base64
import binascii
import sys
from array import array
from collections.abc import Sequence

from disktuner.results.reading import LARGEST_NUMBER, bad

WIDTH_BYTES = 4


def column(values: Sequence[float] | Sequence[int] = ()) -> array[float]:
    """Return the values as single-precision numbers."""
    return array("f", values)


def pack(values: array[float]) -> str:
    """Return a column as base64 of little-endian IEEE 754 single-precision numbers."""
    return base64.b64encode(_little_endian(values).tobytes()).decode("ascii")


def unpack(value: object, place: str) -> array[float]:
    """Return the column that ``pack`` wrote, or that stands there as a list of numbers.

    Raises ``BadResult`` naming ``place`` for anything else, also for numbers that are not finite.
    """
    found = _from_text(value, place) if isinstance(value, str) else _from_list(value, place)
    if not _are_ordinary(found):
        raise bad(f"'{place}'", f"must hold finite numbers of at most {LARGEST_NUMBER:.0e} only")
    return found


def is_ascending(values: array[float]) -> bool:
    """Say whether a column goes on from 0 or later and never back, as times do."""
    import numpy as np  # noqa: PLC0415 - only results with live figures need it

    return not values or (values[0] >= 0 and bool((np.diff(np.frombuffer(values, dtype=np.float32)) >= 0).all()))


def _from_text(text: str, place: str) -> array[float]:
    try:
        data = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise bad(f"'{place}'", "is neither a list of numbers nor base64") from None
    if len(data) % WIDTH_BYTES:
        raise bad(f"'{place}'", "was cut: it ends within a number")
    found = array("f")
    found.frombytes(data)
    return _little_endian(found)


def _from_list(value: object, place: str) -> array[float]:
    if not isinstance(value, list) or not set(map(type, value)) <= {int, float}:
        raise bad(f"'{place}'", "must be a list of numbers, or such a list as base64")
    try:
        return array("f", value)
    except OverflowError:
        raise bad(f"'{place}'", "must hold finite numbers only") from None


def _are_ordinary(values: array[float]) -> bool:
    import numpy as np  # noqa: PLC0415 - only results with live figures need it

    return bool((np.abs(np.frombuffer(values, dtype=np.float32)) <= LARGEST_NUMBER).all()) if values else True


def _little_endian(values: array[float]) -> array[float]:
    if sys.byteorder == "little":
        return values
    turned = values[:]
    turned.byteswap()
    return turned
