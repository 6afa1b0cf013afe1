# SPDX-License-Identifier: GPL-3.0-or-later
"""The picture of an incident: two minutes of waiting, disk activity, and unwritten memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPolygonF

from disktuner.drawing import paper
from disktuner.drawing.colours import mix
from disktuner.drawing.ink import ThemeName
from disktuner.drawing.pen import RIGHT, Pen
from disktuner.vocabulary.messages import text
from disktuner_watch.incidents import Incident
from disktuner_watch.samples import Sample, memory_share, stalled_share
from disktuner_watch.wording import begin_text, description, remedy

WIDTH, HEIGHT = 1200, 630
_MARGIN, _TEXT, _HEAD = 40, 22, 1.25
_DISKS = 2
"""The most disks drawn: that of the cause, and those that moved most."""
_GROUND, _AREA = 0.12, 0.55
"""The share of colour in the ground behind the freeze, and in an area."""


@dataclass(frozen=True, slots=True)
class Strip:
    """A course over time: values from 0 to 1 drawn upwards, and others downwards from the same line."""

    name: str
    up: tuple[float, ...]
    down: tuple[float, ...] = ()


def strips(incident: Incident) -> tuple[Strip, ...]:
    """Return the strips from top to bottom."""
    steps = list(pairwise(incident.samples))
    most = max((sample.waiting_bytes for sample in incident.samples), default=0)
    waiting = tuple(after.waiting_bytes / max(most, 1) for _, after in steps)
    drawn = [
        Strip(text("picture-stalled"), tuple(stalled_share(*step) for step in steps)),
        *_disks(_shown_disks(incident), steps),
        Strip(text("picture-waiting", size=most), waiting),
    ]
    memory = tuple(memory_share(*step) for step in steps)
    if max(memory, default=0.0) > 0:
        drawn.insert(1, Strip(text("picture-memory"), memory))
    return tuple(drawn)


def _shown_disks(incident: Incident) -> list[str]:
    first, last = incident.samples[0].disks, incident.samples[-1].disks

    def moved(name: str) -> int:
        before, after = first.get(name, last[name]), last[name]
        return after.read_bytes + after.written_bytes - before.read_bytes - before.written_bytes

    by_most = sorted(last, key=lambda name: (name != incident.cause.disk, -moved(name)))
    return by_most[:_DISKS]


def _disks(names: Sequence[str], steps: Sequence[tuple[Sample, Sample]]) -> Iterator[Strip]:
    """Yield the disks' strips, all on one scale, so that an idle disk looks idle."""
    rates = {name: [_rates(name, *step) for step in steps] for name in names}
    top = (
        max((rate for rate_pairs in rates.values() for rate_pair in rate_pairs for rate in rate_pair), default=0.0)
        or 1.0
    )
    for name, rate_pairs in rates.items():
        read, written = (max((rate_pair[way] for rate_pair in rate_pairs), default=0.0) for way in (0, 1))
        yield Strip(
            text("picture-disk", disk=name, read=read, written=written),
            tuple(rate_pair[0] / top for rate_pair in rate_pairs),
            tuple(rate_pair[1] / top for rate_pair in rate_pairs),
        )


def _rates(name: str, before: Sample, after: Sample) -> tuple[float, float]:
    if name not in before.disks or name not in after.disks:
        return 0.0, 0.0
    first, last, seconds = before.disks[name], after.disks[name], max(after.time_s - before.time_s, 1e-9)
    return (
        max(last.read_bytes - first.read_bytes, 0) / seconds,
        max(last.written_bytes - first.written_bytes, 0) / seconds,
    )


def incident_png(incident: Incident, theme: ThemeName) -> bytes:
    """Return the picture with its caption, as PNG."""

    def draw(pen: Pen) -> None:
        box = QRectF(_MARGIN, _MARGIN * 0.6, WIDTH - 2 * _MARGIN, HEIGHT - _MARGIN)
        head = f"{begin_text(incident)}: {description(incident)}"
        top = pen.paragraph(box, pen.ink.lines(head, box.width(), _HEAD, most=4), size=_HEAD)
        foot = pen.ink.lines(remedy(incident), box.width(), most=1) if remedy(incident) else []
        bottom = box.bottom() - len(foot) * pen.ink.em * 1.3
        draw_course(pen, incident, QRectF(box.left(), top + 10, box.width(), bottom - top - 14))
        pen.paragraph(QRectF(box.left(), bottom, box.width(), 0), foot, pen.ink.muted)

    return paper.png(WIDTH, HEIGHT, paper.ink(theme, _TEXT), draw)


def draw_course(pen: Pen, incident: Incident, box: QRectF) -> None:
    """Draw the strips, the freeze behind them, and the time axis below."""
    ink, shown = pen.ink, strips(incident)
    axis = ink.em * 1.1
    begin, end = (_x(incident, time_s, box) for time_s in (incident.begun_s, incident.ended_s))
    height = (box.height() - axis) / len(shown)
    pen.fill(QRectF(begin, box.top(), max(end - begin, 2), box.height() - axis), mix(ink.ground, ink.caution, _GROUND))
    for number, strip in enumerate(shown):
        colour = ink.caution if number == 0 else ink.accent
        room = QRectF(box.left(), box.top() + number * height, box.width(), height)
        _draw_strip(pen, incident, strip, room, colour)
    _draw_times(pen, incident, QRectF(box.left(), box.bottom() - axis, box.width(), axis))


def _draw_strip(pen: Pen, incident: Incident, strip: Strip, box: QRectF, colour: QColor) -> None:
    ink = pen.ink
    pen.write(QRectF(box.left(), box.top(), box.width(), ink.em * 1.1), strip.name, ink.muted, 0.9)
    room = box.adjusted(0, ink.em * 1.15, 0, -ink.em * 0.3)
    line = room.center().y() if strip.down else room.bottom()
    height = room.height() / (2 if strip.down else 1)
    for values, up, shade in ((strip.up, -1, colour), (strip.down, 1, ink.muted)):
        if values:
            _fill(pen, incident, values, QRectF(room.left(), line, room.width(), up * height), shade)
    pen.rule(QLineF(room.left(), line, room.right(), line), mix(ink.ground, ink.text, 0.3), 1)


def _fill(pen: Pen, incident: Incident, values: Sequence[float], box: QRectF, colour: QColor) -> None:
    """Fill the area between the box's top and the values; the box's height may be negative."""
    points = [QPointF(box.left(), box.top())]
    for value, (before, after) in zip(values, pairwise(incident.samples), strict=True):
        y = box.top() + value * box.height()
        points += [QPointF(_x(incident, before.time_s, box), y), QPointF(_x(incident, after.time_s, box), y)]
    points.append(QPointF(points[-1].x(), box.top()))
    pen.painter.setPen(Qt.PenStyle.NoPen)
    pen.painter.setBrush(mix(pen.ink.ground, colour, _AREA))
    pen.painter.drawPolygon(QPolygonF(points))


def _draw_times(pen: Pen, incident: Incident, box: QRectF) -> None:
    first, last = incident.samples[0].time_s, incident.samples[-1].time_s
    pen.write(box, text("picture-before", seconds=incident.begun_s - first), pen.ink.muted, 0.85)
    pen.write(box, text("picture-after", seconds=last - incident.begun_s), pen.ink.muted, 0.85, align=RIGHT)


def _x(incident: Incident, time_s: float, box: QRectF) -> float:
    first, last = incident.samples[0].time_s, incident.samples[-1].time_s
    return box.left() + (time_s - first) / max(last - first, 1e-9) * box.width()
