# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings that competed: why each was tried, and each tunable over the values with which it was measured.

The geometry of the graphs stands here, so that window and pictures show the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from disktuner.presentation.panels import Panel, Row
from disktuner.presentation.scale import Scale
from disktuner.presentation.trade_off import TradeOff, said_gain, scale_of_rows
from disktuner.results.model import Result
from disktuner.verdict.model import Verdict
from disktuner.vocabulary.messages import language, named, text
from disktuner.vocabulary.settings import Setting
from disktuner.vocabulary.tunables import OF_THE_DISK, known
from disktuner.vocabulary.tuning import candidate_of
from disktuner.vocabulary.units import count, sign, time

_SECONDS = {"ns": 1e-9, "µs": 1e-6, "ms": 1e-3}
_SYMBOLS = ("KiB",)
"""Units that stand behind a value; the others (requests, batches) go without saying."""


@dataclass(frozen=True, slots=True)
class Tried:
    """A setting that competed: why it was tried in words, where that is said, and what became of it."""

    setting: Setting
    reason: str
    source: str
    left_out: str


@dataclass(frozen=True, slots=True)
class Value:
    """A point of a graph: a setting, its values in lines below the point, and its rows of what decides and the price.

    ``is_plain`` is what the others are compared with.
    """

    setting: Setting
    lines: tuple[str, ...]
    up: Row
    price: Row | None
    is_plain: bool

    @property
    def name(self) -> str:
        """The setting as people read it."""
        return self.setting.words


@dataclass(frozen=True, slots=True)
class Graph:
    """One tunable (or some that were changed together) of a scheduler, over its values from the smallest on.

    ``lines`` are its name: the scheduler, then the tunables. Points from ``first`` on belong together, and a line joins
    them; what stands before is another scheduler, to compare with. ``trade`` says what the tunables trade for what.
    """

    scheduler: str
    lines: tuple[str, ...]
    values: tuple[Value, ...]
    first: int
    trade: str

    def prices(self) -> bool:
        """Whether there is a price to compare."""
        return sum(value.price is not None for value in self.values) > 1

    def at(self, number: int) -> float:
        """The place of a value from 0 (left) to 1 (right)."""
        return (number + 0.5) / len(self.values)


@dataclass(frozen=True, slots=True)
class Graphs:
    """All tunables that were measured with more than one value, on the scales of what decides and of its price.

    Gains from ``worth`` on are worth a change; a price may be as low a gain as ``accepted``. The price is None where
    none was measured. ``legend`` says in words what is drawn.
    """

    deciding: Panel
    price: Panel | None
    worth: float
    accepted: float
    up: Scale
    down: Scale | None
    graphs: tuple[Graph, ...]
    up_name: str
    price_name: str
    legend: str

    @property
    def spoken(self) -> str:
        """All of it for those who do not see it."""
        rows = (row for graph in self.graphs for value in graph.values for row in (value.up, value.price) if row)
        return "; ".join(dict.fromkeys(row.spoken for row in rows))


def tried(result: Result, verdict: Verdict) -> tuple[Tried, ...]:
    """Return why each setting of a tuning was tried, in the order of the plan."""
    if not result.plan.tunes:
        return ()
    return tuple(_tried(each, result, verdict) for each in result.plan.settings if each != result.plan.baseline)


def _tried(setting: Setting, result: Result, verdict: Verdict) -> Tried:
    rotates = result.disk.get("rotational") is True
    found = candidate_of(result.plan.goal or "", rotates, result.plan.baseline, setting)
    left_out = text("tried-left-out") if setting in verdict.left_out else ""
    if found is None:
        return Tried(setting, _trades(setting, setting.values), "", left_out)
    return Tried(setting, named(found.reason), text("tried-source", source=named(found.source)), left_out)


def graphs(result: Result, shown: Iterable[Panel], weighed: TradeOff | None, worth: float) -> Graphs | None:
    """Return the graphs of all tunables of settings that were measured; None where there are none."""
    deciding = weighed.deciding if weighed else next((panel for panel in shown if panel.decides), None)
    if deciding is None:
        return None
    price = weighed.price if weighed else None
    found = tuple(_graphs(result, deciding, price))
    if not found:
        return None
    accepted = weighed.accepted if weighed else 1.0
    ups = [value.up for graph in found for value in graph.values]
    prices = [value.price for graph in found for value in graph.values if value.price is not None]
    limits = text("graphs-worth", least=said_gain(deciding.metric, worth))
    if price is not None:
        most = said_gain(price.metric, accepted)
        limits = text("graphs-worth-and-accepted", least=said_gain(deciding.metric, worth), most=most)
    return Graphs(
        deciding,
        price,
        worth,
        accepted,
        scale_of_rows(deciding.metric, ups, worth),
        scale_of_rows(price.metric, prices, accepted) if price is not None else None,
        found,
        text("graphs-up" if price is not None else "graphs-only", metric=deciding.label),
        text("graphs-price", metric=price.label) if price is not None else "",
        text("graphs-legend", plain=result.plan.baseline.name, limits=limits),
    )


def _graphs(result: Result, deciding: Panel, price: Panel | None) -> Iterator[Graph]:
    """Return a graph per scheduler and tunables that were set beside what it has by itself or the plain winner sets."""
    plain = result.plan.baseline
    ups = {row.setting: row for row in deciding.rows if row.gain is not None}
    prices = {row.setting: row for row in price.rows if row.gain is not None} if price else {}
    groups: dict[tuple[Setting, tuple[str, ...]], list[Setting]] = {}
    for each in ups:
        base = plain if each.scheduler == plain.scheduler else Setting(each.scheduler)
        changed = tuple(name for name, value in each.tunables if base.values.get(name) != value)
        if changed and base.values.keys() <= each.values.keys():
            groups.setdefault((base, changed), []).append(each)
    for (base, names), settings in groups.items():
        yield _Group(result, plain, base, names, ups, prices).graph(settings)


@dataclass(frozen=True, slots=True)
class _Group:
    """Settings that differ from ``base`` in the same tunables, with the rows of all settings."""

    result: Result
    plain: Setting
    base: Setting
    names: tuple[str, ...]
    ups: Mapping[Setting, Row]
    prices: Mapping[Setting, Row]

    def graph(self, settings: Iterable[Setting]) -> Graph:
        """Return them by their values, with what they are compared with at its place or, if it is another, first."""
        ordered = sorted(settings, key=self._order)
        if self.base in self.ups:
            ordered = sorted((self.base, *ordered), key=self._order)
        others = [self.plain] if self.plain in self.ups and self.plain not in ordered else []
        return Graph(
            self.base.scheduler,
            (self.base.words, *(name.partition("/")[2] for name in self.names)),
            tuple(map(self._value, (*others, *ordered))),
            len(others),
            _trades(self.base, self.names),
        )

    def _order(self, each: Setting) -> tuple[float, ...]:
        return tuple(-1.0 if value is None else value for value in self._values(each))

    def _values(self, each: Setting) -> Iterator[int | None]:
        return (each.values.get(name, self._unset(name)) for name in self.names)

    def _unset(self, name: str) -> int | None:
        """What a tunable was without being set, as far as that is known."""
        tunables, declared = self.result.disk.get("tunables"), known(name, self.base.scheduler)
        same = self.result.disk.get("scheduler") == self.base.scheduler or name in OF_THE_DISK
        if same and isinstance(tunables, dict):
            found = tunables.get(name)
            return found if isinstance(found, int) else None
        return declared.default if declared else None

    def _value(self, each: Setting) -> Value:
        return Value(each, self._lines(each), self.ups[each], self.prices.get(each), each == self.plain)

    def _lines(self, each: Setting) -> tuple[str, ...]:
        if each.scheduler != self.base.scheduler:
            return (each.words,)
        values = zip(self.names, self._values(each), strict=True)
        return tuple(
            text("value-unset") if value is None else _shown(value, self._unit(name)) for name, value in values
        )

    def _unit(self, name: str) -> str:
        declared = known(name, self.base.scheduler)
        return declared.unit if declared else ""


def _shown(value: int, unit: str) -> str:
    """Return a tunable's value with its unit: ``20 ms``, ``4,096 KiB``, ``64``."""
    numbers = language().numbers
    if unit in _SECONDS:
        return time(value * _SECONDS[unit], numbers) if value else f"0 {sign(unit, numbers)}"
    shown = count(value, numbers)
    return f"{shown} {sign(unit, numbers)}" if unit in _SYMBOLS else shown


def _trades(setting: Setting, names: Iterable[str]) -> str:
    """Return what these tunables trade for what."""
    found = (known(name, setting.scheduler) for name in names)
    return " ".join(named(each.trade) for each in found if each is not None)
