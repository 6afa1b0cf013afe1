# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers as people read them: with their unit, as many digits as mean something, and the signs of a language.

Everything that shows a number uses these: window, terminal, pictures, reports and sentences. Values are in base units
(bytes, seconds, shares of 1); bytes are counted in steps of 1000, as disk makers and iostat do.
"""

from __future__ import annotations

import math
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from functools import partial, reduce
from typing import Any

from disktuner.vocabulary.printable import printable
from disktuner.vocabulary.schedulers import shown

_FINE = 1.2
"""Factors below this are told to a hundredth."""
_COARSE = 3.0
"""Factors from this on are told with one digit."""

NOTHING = "–"
"""What stands where there is no value."""


@dataclass(frozen=True, slots=True)
class Numbers:
    """How a language writes numbers and moments, the words in them, and how it chooses plurals.

    Its signs are told by examples: ``grouped`` and ``grouped_first`` show where thousands are set apart, ``fraction``
    the decimal sign, ``percents`` the percent sign. ``plural`` is the form of a count among those of ``seconds``.
    """

    grouped: str = "12,345"
    grouped_first: str = "1,234"
    fraction: str = "1.5"
    percents: str = "5 %"
    moment: str = "{0:%Y-%m-%d %H:%M}"
    sizes: tuple[str, ...] = ("B", "kB", "MB", "GB", "TB", "PB", "EB")
    times: tuple[str, ...] = ("s", "ms", "µs")
    signs: tuple[str, ...] = ("KiB", "ns")
    one_in: str = "1 in {0}"
    comma: str = "{0}, {1}"
    and_: str = "{0} and {1}"
    or_: str = "{0} or {1}"
    quoted: str = "“{0}”"
    a_few_seconds: str = "a few seconds"
    seconds: tuple[str, ...] = ("{0} second", "{0} seconds")
    minutes: tuple[str, ...] = ("{0} minute", "{0} minutes")
    hours: tuple[str, ...] = ("{0} hour", "{0} hours")
    plural: Callable[[int], int] = lambda count: int(count != 1)

    @property
    def group(self) -> str:
        """What stands between thousands."""
        return self.grouped[2:-3]

    @property
    def decimal(self) -> str:
        """What stands before the fraction."""
        return self.fraction[1:-1]

    @property
    def percent(self) -> str:
        """What stands behind a number of percents."""
        return self.percents[1:]

    def signed(self, number: str) -> str:
        """A number as Python writes it (``12,345.6``) with the signs of the language."""
        if self.grouped_first == "1234" and number.lstrip("-").find(",") == 1 and number.count(",") == 1:
            number = number.replace(",", "")
        return number.translate({ord(","): self.group, ord("."): self.decimal})


ENGLISH = Numbers()
COUNTED = ("seconds", "minutes", "hours")
"""Those fields of ``Numbers`` that hold plural forms."""


def words() -> Iterator[tuple[str, Any]]:
    """Yield what a translation says in place of English's: a field of ``Numbers``, and its text or texts."""
    for member in fields(Numbers):
        if isinstance(value := getattr(ENGLISH, member.name), str | tuple):
            yield member.name, value


def digits(value: float, numbers: Numbers = ENGLISH, most: int = 3) -> str:
    """Return a number with at most ``most`` digits that mean something, whole from 100 up, thousands apart."""
    if value == 0 or not math.isfinite(value):
        return "0" if value == 0 else NOTHING
    if not 1e-6 <= abs(value) < 1e15:
        return numbers.signed(f"{value:.{most - 1}e}")
    rounded = float(f"{value:.{most}g}") if abs(value) < 10 ** (most - 1) else round(value)
    places = max(0, most - 1 - math.floor(math.log10(abs(rounded)))) if abs(rounded) < 10 ** (most - 1) else 0
    shown = f"{rounded:,.{places}f}"
    if "." in shown:
        shown = shown.rstrip("0").rstrip(".")
    return numbers.signed(shown)


def count(value: float, numbers: Numbers = ENGLISH) -> str:
    """Return a whole number, thousands apart."""
    return numbers.signed(f"{round(value):,}")


def size(value: float, numbers: Numbers = ENGLISH) -> str:
    """Return a number of bytes: ``1.5 GB``."""
    left, unit = float(value), 0
    while abs(left) >= 999.5 and unit < len(numbers.sizes) - 1:
        left, unit = left / 1000, unit + 1
    return f"{digits(left, numbers) if unit else count(left, numbers)} {numbers.sizes[unit]}"


def rate(value: float, numbers: Numbers = ENGLISH) -> str:
    """Return bytes a second: ``64 MB/s``."""
    return f"{size(value, numbers)}/{numbers.times[0]}"


def sign(unit: str, numbers: Numbers = ENGLISH) -> str:
    """Return the sign of a unit; one that is not known, as it is."""
    pairs = zip(
        (*ENGLISH.sizes, *ENGLISH.times, *ENGLISH.signs), (*numbers.sizes, *numbers.times, *numbers.signs), strict=True
    )
    return dict(pairs).get(unit, unit)


def per_second(value: float, numbers: Numbers = ENGLISH) -> str:
    """Return how often a second: ``1,507/s``."""
    return f"{digits(value, numbers)}/{numbers.times[0]}"


def time(value: float | None, numbers: Numbers = ENGLISH) -> str:
    """Return a measured time, a latency or how long a run took: ``70 ms``, ``4.5 s``."""
    if value is None:
        return NOTHING
    for unit, scale in zip(numbers.times, (1.0, 1e-3, 1e-6), strict=True):
        if abs(value) >= scale * 0.9995:
            return f"{digits(value / scale, numbers)} {unit}"
    return f"{digits(value * 1e6, numbers)} {numbers.times[-1]}" if value else f"0 {numbers.times[0]}"


def duration(value: float, numbers: Numbers = ENGLISH) -> str:
    """Return a rough duration that a person can plan with: ``3 minutes``."""
    if value < 10:
        return numbers.a_few_seconds
    if value < 90:
        return _plural(round(value / 10) * 10, numbers.seconds, numbers)
    minutes = round(value / 60)
    return _plural(
        minutes if minutes < 90 else round(value / 3600, 1), numbers.minutes if minutes < 90 else numbers.hours, numbers
    )


def longest(value: float) -> float:
    """Return a time limit such that ``duration`` does not say less than it."""
    step = 10 if value < 90 else 60 if value < 5400 else 360
    return math.ceil(value / step) * step


def whole_seconds(value: float, numbers: Numbers = ENGLISH) -> str:
    """Return whole seconds, for a countdown."""
    return _plural(round(value), numbers.seconds, numbers)


def clock(value: float, _: Numbers = ENGLISH) -> str:
    """Return minutes and seconds: ``2:05``."""
    return f"{int(value) // 60}:{int(value) % 60:02d}"


def percent(value: float, numbers: Numbers = ENGLISH) -> str:
    """Return a share of 1 as percent, finer below 10: ``28 %``, ``4.5 %``."""
    shown = value * 100 if abs(value) >= 0.0005 else 0.0
    figure = f"{shown:.0f}" if abs(shown) >= 9.95 or shown == 0 else f"{shown:.1f}".removesuffix(".0")
    return numbers.signed(figure) + numbers.percent


def factor(value: float, numbers: Numbers = ENGLISH) -> str:
    """Return a factor, from 3 on with the one digit that counts: ``1.04×``, ``2.9×``, ``7×``, ``40×``."""
    if value >= _COARSE:
        value = round(value, -int(math.log10(value)))
    return f"{digits(value, numbers, 3 if 1 <= value < _FINE or value >= 10 else 2)}×"


def rounded_up(value: float) -> float:
    """Return a factor rounded up to what ``factor`` tells of it."""
    tells = 0.01 if value < _FINE else 0.1 if value < _COARSE else 10.0 ** int(math.log10(value))
    return math.ceil(value / tells - 1e-9) * tells


def at_least(value: float, numbers: Numbers = ENGLISH) -> str:
    """Return a factor rounded down to what counts of it: ``1.04×``, ``2.4×``, ``7×``."""
    places = 2 if value < _FINE else 1 if value < _COARSE else -int(math.log10(value))
    return factor(math.floor(value * 10**places + 1e-9) / 10**places, numbers)


def at_most(value: float, numbers: Numbers = ENGLISH) -> str:
    """Return a factor rounded up to what counts of it: ``1.04×``, ``2.5×``, ``7×``."""
    places = 2 if value < _COARSE / 2 else 1 if value < _COARSE else -int(math.log10(value))
    return f"{digits(math.ceil(value * 10**places - 1e-9) / 10**places, numbers)}×"


def one_in(value: float, numbers: Numbers = ENGLISH) -> str:
    """Return a small share as people say it where it stands alone: ``1 in 1,000``."""
    return numbers.one_in.format(count(1 / value, numbers)) if value else "0"


def moment(value: datetime, numbers: Numbers = ENGLISH) -> str:
    """Return a day and a time of that day, to the minute."""
    return numbers.moment.format(value)


def listed(values: Sequence[str], numbers: Numbers = ENGLISH) -> str:
    """Return names in a row: ``a, b and c``."""
    return _joined(values, numbers.and_, numbers)


def either(values: Sequence[str], numbers: Numbers = ENGLISH) -> str:
    """Return names to choose from: ``a, b or c``."""
    return _joined(values, numbers.or_, numbers)


def quoted_scheduler(value: str | Sequence[str], numbers: Numbers = ENGLISH) -> str:
    """Return a scheduler's or setting's name for a sentence, where the one called none is not taken for nothing."""
    if isinstance(value, str):
        name = shown(value)
        shown_name = printable(name)
        return numbers.quoted.format(shown_name) if name == "none" or name != value else shown_name
    return listed([quoted_scheduler(scheduler, numbers) for scheduler in value], numbers)


def schedulers(value: str | Sequence[str], numbers: Numbers = ENGLISH) -> str:
    """Return the name of a scheduler or setting as it stands alone, or several of them."""
    if isinstance(value, str):
        return printable(shown(value))
    names = [shown(item) for item in value]
    return "; ".join(map(printable, names)) if any(", " in name for name in names) else in_a_row(names, numbers)


def word(value: object, _: Numbers = ENGLISH) -> str:
    """Return a text as one word of a command to copy, whatever a shell would take its signs for."""
    return shlex.quote(printable(str(value)))


def in_a_row(values: Sequence[str], numbers: Numbers = ENGLISH) -> str:
    """Return names with nothing but commas between: ``a, b, c``."""
    return _joined(values, numbers.comma, numbers)


def _joined(values: Sequence[str], last: str, numbers: Numbers) -> str:
    *before, end = [printable(item) for item in values] or [""]
    if not before:
        return end
    return last.format(reduce(numbers.comma.format, before), end)


def _plural(value: float, words: tuple[str, ...], numbers: Numbers) -> str:
    """Write a number of things. Where it has a fraction, the noun stands as behind 2 in all of our languages."""
    whole = value >= 100 or float(value).is_integer() or digits(value, numbers).isdigit()
    form = numbers.plural(round(value) if whole else 2)
    return words[form].format(count(value, numbers) if whole else digits(value, numbers))


def _time_in(value: float, numbers: Numbers, scale: float) -> str:
    """Return a time in a unit that is too large for it, with two digits."""
    return f"{digits(value / scale, numbers, 2)} {numbers.times[(1.0, 1e-3, 1e-6).index(scale)]}"


WAYS: Mapping[str, Callable[[Any, Numbers], str]] = {
    "bytes": size,
    "rate": rate,
    "per_s": per_second,
    "time": time,
    **{f"in_{unit}": partial(_time_in, scale=scale) for unit, scale in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6))},
    "duration": duration,
    "seconds": whole_seconds,
    "clock": clock,
    "percent": percent,
    "factor": factor,
    "amount": factor,
    "least": at_least,
    "most": at_most,
    "about": factor,
    "list": listed,
    "or": either,
    "scheduler": quoted_scheduler,
    "setting": schedulers,
    "word": word,
    "count": count,
    "digits": digits,
}
"""The ways in which a place of a sentence writes its value: ``{size:bytes}``."""
