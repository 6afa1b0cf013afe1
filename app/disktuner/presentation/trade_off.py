# SPDX-License-Identifier: GPL-3.0-or-later
"""What a setting gains against what it costs: the figures of both, and where a change is worth it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from disktuner.presentation.panels import Panel, Row, difference
from disktuner.presentation.scale import Scale, scale_of_differences
from disktuner.results.model import Result
from disktuner.verdict.model import Decision, Outcome, Verdict
from disktuner.vocabulary.differences import ratio_of_gain
from disktuner.vocabulary.messages import text
from disktuner.vocabulary.metrics import Metric
from disktuner.vocabulary.settings import Setting


@dataclass(frozen=True, slots=True)
class Spot:
    """A setting by its rows: what it gains goes ``up``, what that costs ``across``."""

    setting: Setting
    up: Row
    across: Row


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a trade-off in words.

    ``head`` says which, ``difference`` is the figure, ``label`` what was measured, ``sure`` how sure it is, ``limit``
    what the goal makes of it; ``outcome`` gives the tone.
    """

    head: str
    difference: str
    label: str
    sure: str
    limit: str
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class TradeOff:
    """Two figures of every setting: what decides most, and the price that is worst measured by what the goal accepts.

    Gains from ``worth`` on are worth a change; a price may be as low a gain as ``accepted``. ``up`` and ``across`` are
    the scales of both, ``up_name`` and ``across_name`` name them. ``rule`` says where a change is worth it. ``sides``
    are those of the one setting that this is about, gain and price; none where it is about no single one, or nothing
    was measured to get worse.
    """

    deciding: Panel
    price: Panel
    worth: float
    accepted: float
    up: Scale
    across: Scale
    up_name: str
    across_name: str
    rule: str
    spots: tuple[Spot, ...]
    sides: tuple[Side, Side] | None


def trade_off(result: Result, verdict: Verdict, shown: Iterable[Panel]) -> TradeOff | None:
    """Return the trade-off of the winner or leader, else of whoever gains most; None without figures of both kinds."""
    about = verdict.winner or verdict.leader
    panels = {panel.metric.name: panel for panel in shown if _gains(panel, about)}
    weights = {part.metric: part.weight for part in result.question.parts if part.metric in panels}
    accepted = _accepted(result, verdict, panels, about)
    if not weights or not accepted:
        return None
    best = {name: max(_gains(panels[name], about)) for name in weights}
    gain = panels[max(weights, key=lambda name: (best[name] > 1, weights[name], best[name]))]
    price = panels[min(accepted, key=lambda name: min(_gains(panels[name], about)) / accepted[name])]
    found = _Pair(gain, price, verdict.worth, accepted[price.metric.name], _spots(gain, price))
    return found.presented(about) if len(found.spots) > 1 else None


def _gains(panel: Panel, about: Setting | None) -> list[float]:
    """Return the gains of one setting, or of all but the baseline."""
    return [row.gain for row in panel.rows if row.gain and not row.is_baseline and about in (None, row.setting)]


def _accepted(
    result: Result, verdict: Verdict, panels: Mapping[str, Panel], about: Setting | None
) -> Mapping[str, float]:
    """Return what may be a price, with the gain down to which it is accepted: of a condition what is open and worse.

    Else the goal's prices, and what decides but was measured to get worse.
    """
    if verdict.decision is Decision.CONDITIONAL:
        found = {each.metric: each.least for each in verdict.open if each.measured is not None and each.measured < 1}
    else:
        question = result.question
        lost = [name for name in question.deciding if about and name in panels and _gains(panels[name], about)[0] < 1]
        found = dict.fromkeys(lost, 1 / question.worth)
        found |= {
            each.metric: each.least_gain(_sooner(panels.get(each.beside or ""), about)) for each in question.prices
        }
    return {name: least for name, least in found.items() if name in panels}


def _sooner(duration: Panel | None, about: Setting | None) -> float:
    """Return how many times sooner a program is done with the one setting that this is about."""
    return max(_gains(duration, about), default=1.0) if duration and about else 1.0


def _spots(gain: Panel, price: Panel) -> tuple[Spot, ...]:
    across = {row.setting: row for row in price.rows if row.gain}
    both = (row for row in gain.rows if row.gain and row.setting in across)
    return tuple(Spot(row.setting, row, across[row.setting]) for row in both)


@dataclass(frozen=True, slots=True)
class _Pair:
    """Both figures with the gains that bound them, and the settings that have both."""

    gain: Panel
    price: Panel
    worth: float
    accepted: float
    spots: tuple[Spot, ...]

    def presented(self, about: Setting | None) -> TradeOff:
        """Return the two as they are shown."""
        about_it = [spot for spot in self.spots if spot.setting == about and (spot.across.gain or 1) < 1]
        return TradeOff(
            self.gain,
            self.price,
            self.worth,
            self.accepted,
            scale_of_rows(self.gain.metric, [spot.up for spot in self.spots], self.worth),
            scale_of_rows(self.price.metric, [spot.across for spot in self.spots], self.accepted),
            text("trade-off-up", metric=self.gain.label),
            text("trade-off-across", metric=self.price.label),
            text("trade-off-rule", least=self._least, most=self._most),
            self.spots,
            self._sides(about_it[0]) if about_it else None,
        )

    @property
    def _least(self) -> str:
        return said_gain(self.gain.metric, self.worth)

    @property
    def _most(self) -> str:
        return said_gain(self.price.metric, self.accepted)

    def _sides(self, spot: Spot) -> tuple[Side, Side]:
        gains, worth = text("side-gain", scheduler=spot.setting.name), text("side-worth", least=self._least)
        costs, limit = text("side-price"), text("side-accepted", most=self._most)
        return (
            Side(gains, spot.up.difference, self.gain.label, _sure(spot.up), worth, Outcome.BETTER),
            Side(costs, spot.across.difference, self.price.label, _sure(spot.across), limit, Outcome.WORSE),
        )


def scale_of_rows(metric: Metric, rows: list[Row], limit: float) -> Scale:
    """Return a scale for the gains of some rows and a limit."""
    ends = (end for row in rows for end in (row.gain_low, row.gain_high) if end is not None)
    return scale_of_differences(metric, [row.gain for row in rows if row.gain], ends, limit)


def said_gain(metric: Metric, gain: float) -> str:
    """Say a gain, from 1 on better: "20 % faster"."""
    return difference(metric, ratio_of_gain(metric, gain))


def _sure(row: Row) -> str:
    return text("side-sure", interval=row.interval) if row.interval else row.finding
