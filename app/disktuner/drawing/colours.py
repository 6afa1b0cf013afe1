# SPDX-License-Identifier: GPL-3.0-or-later
"""What is worked out with colours: mixtures, contrasts, and what can be read on what."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtGui import QColor


def mix(one: QColor, other: QColor, share: float) -> QColor:
    """``share`` of the other colour in the one."""
    return QColor.fromRgbF(
        one.redF() + (other.redF() - one.redF()) * share,
        one.greenF() + (other.greenF() - one.greenF()) * share,
        one.blueF() + (other.blueF() - one.blueF()) * share,
    )


def contrast(one: QColor, other: QColor) -> float:
    """The contrast ratio of two colours, 1 to 21, as WCAG 2.1 defines it."""
    lighter, darker = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def readable(colour: QColor, background: QColor, ratio: float) -> QColor:
    """The colour, moved away from the background until text in it has at least this contrast."""
    away = QColor("white") if _luminance(background) < 0.18 else QColor("black")
    steps = (mix(colour, away, step / 20) for step in range(21))
    return next((step for step in steps if contrast(step, background) >= ratio), away)


def readable_on(colour: QColor, grounds: Iterable[QColor], ratio: float) -> QColor:
    """The colour, moved until it has this contrast with each of several backgrounds, all light or all dark."""
    for ground in grounds:
        colour = readable(colour, ground, ratio)
    return colour


def text_on(colour: QColor) -> QColor:
    """Black or white, whichever can be read better on a colour: its contrast is 4.5 at least."""
    return max(QColor("white"), QColor("black"), key=lambda text: contrast(text, colour))


def _luminance(colour: QColor) -> float:
    def linear(channel: float) -> float:
        return float(channel / 12.92 if channel <= 0.03928 else ((channel + 0.055) / 1.055) ** 2.4)

    return 0.2126 * linear(colour.redF()) + 0.7152 * linear(colour.greenF()) + 0.0722 * linear(colour.blueF())
