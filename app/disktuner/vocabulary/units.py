# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers as people read them: with their unit, as many digits as mean something, and the signs of a language.

Everything that shows a number uses these: window, terminal, pictures, reports and sentences. Values are in base units
(bytes, seconds, shares of 1); bytes are counted in steps of 1000, as disk makers and iostat do.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from disktuner.vocabulary.printable import printable
from disktuner.vocabulary.schedulers import shown

_BYTES = ("B", "kB", "MB", "GB", "TB", "PB", "EB")
NOTHING = "–"
"""What stands where there is no value."""


@dataclass(frozen=True, slots=True)
class Numbers:
    """How a language writes numbers, and the words in them."""

    decimal: str = "."
    group: str = ","
    percent: str = " %"
    and_: str = "{0} and {1}"
    or_: str = "{0} or {1}"
    a_few_seconds: str = "a few seconds"
    seconds: tuple[str, str] = ("{0} second", "{0} seconds")
    minutes: tuple[str, str] = ("{0} minute", "{0} minutes")
    hours: tuple[str, str] = ("{0} hour", "{0} hours")


ENGLISH = Numbers()


def digits(value: float, numbers: Numbers = ENGLISH, most: int = 3) -> str:
    """Return a number with at most ``most`` digits that mean something, whole from 100 up, thousands apart."""
    if value == 0 or not math.isfinite(value):
        return "0" if value == 0 else NOTHING
    if not 1e-6 <= abs(value) < 1e15:
        return f"{value:.{most - 1}e}".replace(".", numbers.decimal)
    rounded = float(f"{value:.{most}g}") if abs(value) < 10 ** (most - 1) else round(value)
    places = max(0, most - 1 - math.floor(math.log10(abs(rounded)))) if abs(rounded) < 10 ** (most - 1) else 0
    shown = f"{rounded:,.{places}f}"
    if "." in shown:
        shown = shown.rstrip("0").rstrip(".")
    return shown.translate({ord(","): numbers.group, ord("."): numbers.decimal})


def count(value: float, numbers: Numbers = ENGLISH) -> str:
    """Return a whole number, thousands apart."""
    return f"{round(value):,}".replace(",", numbers.group)


def size(value: float, numbers: Numbers = ENGLISH) -> str:
    """Return a number of bytes: ``1.5 GB``."""
    left, unit = float(value), 0
    while abs(left) >= 999.5 and unit < len(_BYTES) - 1:
        left, unit = left / 1000, unit + 1
    return f"{digits(left, numbers) if unit else count(left, numbers)} {_BYTES[unit]}"


def rate(value: float, numbers: Numbers = ENGLISH) -> str:
    """Return bytes a second: ``64 MB/s``."""
    return f"{size(value, numbers)}/s"


def per_second(value: float, numbers: Numbers = ENGLISH) -> str:
    """Return how often a second: ``1,507/s``."""
    return f"{digits(value, numbers)}/s"


def time(value: float | None, numbers: Numbers = ENGLISH) -> str:
    """Return a measured time, a latency or how long a run took: ``70 ms``, ``4.5 s``."""
    if value is None:
        return NOTHING
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if abs(value) >= scale * 0.9995:
            return f"{digits(value / scale, numbers)} {unit}"
    return f"{digits(value * 1e6, numbers)} µs" if value else "0 s"


def duration(value: float, numbers: Numbers = ENGLISH) -> str:
    """Return a rough duration that a person can plan with: ``3 minutes``."""
    if value < 10:
        return numbers.a_few_seconds
    if value < 90:
        return _plural(round(value / 10) * 10, numbers.seconds, numbers)
    minutes = round(value / 60)
    return _plural(
        minutes if minutes < 90 else value / 3600, numbers.minutes if minutes < 90 else numbers.hours, numbers
    )


def whole_seconds(value: float, numbers: Numbers = ENGLISH) -> str:
    """Return whole seconds, for a countdown."""
    return _plural(round(value), numbers.seconds, numbers)


def clock(value: float, _: Numbers = ENGLISH) -> str:
    """Return minutes and seconds: ``2:05``."""
    return f"{int(value) // 60}:{int(value) % 60:02d}"


def percent(value: float, numbers: Numbers = ENGLISH) -> str:
    """Return a share of 1 as percent, finer below 10: ``28 %``, ``4.5 %``."""
    shown = value * 100
    figure = f"{shown:.0f}" if abs(shown) >= 9.95 or shown == 0 else f"{shown:.1f}".removesuffix(".0")
    return figure.replace(".", numbers.decimal) + numbers.percent


def factor(value: float, numbers: Numbers = ENGLISH) -> str:
    """Return a factor: ``2.9×``."""
    return f"{digits(value, numbers, 2 if value < 10 else 3)}×"


def amount(value: float, numbers: Numbers = ENGLISH) -> str:
    """Return how far a factor is above 1: ``15 %``, from 2 up the factor itself: ``2.9×``."""
    return percent(value - 1, numbers) if value < 1.995 else factor(value, numbers)


def one_in(value: float, numbers: Numbers = ENGLISH) -> str:
    """Return a small share as people say it: ``1 in 1,000``."""
    return f"1 in {count(1 / value, numbers)}" if value else "0"


def listed(values: Sequence[str], numbers: Numbers = ENGLISH) -> str:
    """Return names in a row: ``a, b and c``."""
    return _joined(values, numbers.and_)


def either(values: Sequence[str], numbers: Numbers = ENGLISH) -> str:
    """Return names to choose from: ``a, b or c``."""
    return _joined(values, numbers.or_)


def quoted_scheduler(value: str | Sequence[str], numbers: Numbers = ENGLISH) -> str:
    """Return a scheduler's or setting's name for a sentence, where the one called none is not taken for nothing."""
    if isinstance(value, str):
        name = shown(value)
        return f"“{printable(name)}”" if name == "none" or name != value else printable(name)
    return listed([quoted_scheduler(each) for each in value], numbers)


def schedulers(value: str | Sequence[str], _numbers: Numbers = ENGLISH) -> str:
    """Return the name of a scheduler or setting as it stands alone, or several of them."""
    if isinstance(value, str):
        return printable(shown(value))
    names = [printable(shown(each)) for each in value]
    return ("; " if any(", " in each for each in names) else ", ").join(names)


def _joined(values: Sequence[str], last: str) -> str:
    shown = [printable(each) for each in values]
    return last.format(", ".join(shown[:-1]), shown[-1]) if len(shown) > 1 else "".join(shown)


def _plural(value: float, words: tuple[str, str], numbers: Numbers) -> str:
    shown = digits(value, numbers) if value < 100 and not float(value).is_integer() else count(value, numbers)
    return words[shown != "1"].format(shown)


WAYS: Mapping[str, Callable[[Any, Numbers], str]] = {
    "bytes": size,
    "rate": rate,
    "per_s": per_second,
    "time": time,
    "duration": duration,
    "seconds": whole_seconds,
    "clock": clock,
    "percent": percent,
    "factor": factor,
    "amount": amount,
    "one_in": one_in,
    "list": listed,
    "or": either,
    "scheduler": quoted_scheduler,
    "setting": schedulers,
    "count": count,
    "digits": digits,
}
"""The ways in which a place of a sentence writes its value: ``{size:bytes}``."""

_BY_UNIT: Mapping[str, Callable[[float, Numbers], str]] = {
    "s": time,
    "bytes_per_s": rate,
    "per_s": per_second,
    "": digits,
}


def value_text(value: float, unit: str, numbers: Numbers = ENGLISH) -> str:
    """Return a measured value with its metric's unit; a unit of another program is written behind the number."""
    known = _BY_UNIT.get(unit)
    if known is not None:
        return known(value, numbers)
    shown = printable(unit).replace("_per_s", "/s").replace("_", " ")
    return f"{digits(value, numbers)} {shown}"
