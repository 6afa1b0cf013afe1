# SPDX-License-Identifier: GPL-3.0-or-later
"""Mixing colours, contrasts, and readability."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtGui import QColor


def mix(one: QColor, other: QColor, share: float) -> QColor:
    """Return a colour with ``share`` of the other in it."""
    return QColor.fromRgbF(
        one.redF() + (other.redF() - one.redF()) * share,
        one.greenF() + (other.greenF() - one.greenF()) * share,
        one.blueF() + (other.blueF() - one.blueF()) * share,
    )


def contrast(one: QColor, other: QColor) -> float:
    """Return the contrast ratio of two colours, 1 to 21 (WCAG 2.1)."""
    lighter, darker = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def readable_on(colour: QColor, grounds: Sequence[QColor], ratio: float) -> QColor:
    """Return the colour moved away from the first background until it has at least this contrast with all of them."""
    away = QColor("white") if _luminance(grounds[0]) < 0.18 else QColor("black")
    steps = (mix(colour, away, step / 20) for step in range(21))
    return next((step for step in steps if all(contrast(step, ground) >= ratio for ground in grounds)), away)


def text_on(colour: QColor) -> QColor:
    """Return black or white, whichever is more readable on a colour: the contrast is at least 4.5."""
    return max(QColor("white"), QColor("black"), key=lambda text: contrast(text, colour))


def _luminance(colour: QColor) -> float:
    def linear(channel: float) -> float:
        return float(channel / 12.92 if channel <= 0.03928 else ((channel + 0.055) / 1.055) ** 2.4)

    return 0.2126 * linear(colour.redF()) + 0.7152 * linear(colour.greenF()) + 0.0722 * linear(colour.blueF())
