# SPDX-License-Identifier: GPL-3.0-or-later
"""What is hard to see on a page: contrast of texts, pictograms and the focus, measured on its pixels.

Ratios are those of WCAG 2.2: 4.5 to 1 for text (1.4.3), 3 to 1 for graphics (1.4.11) and for what the focus changes
(2.4.13); if the user asked for more contrast, 7 (1.4.6) and 4.5.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QHeaderView,
    QLabel,
    QLineEdit,
    QTabBar,
    QWidget,
)

from disktuner.gui.icons import Pictogram
from disktuner.gui.style import look
from tests.gui.measuring import name_of

TEXTS = (QLabel, QAbstractButton, QComboBox, QLineEdit, QAbstractSpinBox, QHeaderView)
SCALE = 2
"""The scale of the page's picture, so that thin strokes fill whole pixels."""

Colours = NDArray[np.uint32]
Light = NDArray[np.float64]


def hard_to_see(page: QWidget) -> list[str]:
    """Return a line per fault; none if all is well."""
    image = _pixels(page)
    words, lines = (7.0, 4.5) if look().high else (4.5, 3.0)
    least = [(part, rect, words) for part, rect in _visible(page, TEXTS) if _says(part)]
    least += [(part, rect, lines) for part, rect in _visible(page, (Pictogram,)) if part.isEnabled()]
    ratios = ((part, _ink(_cut(image, rect)), needed) for part, rect, needed in least)
    return [f"{name_of(part)} has {ratio:.1f}" for part, ratio, needed in ratios if ratio < needed - 0.05]


def unseen_focus(page: QWidget) -> list[str]:
    """Return what can have the focus without showing it."""
    focused = QApplication.focusWidget()
    faults = []
    for part, _ in _visible(page, (QWidget,)):
        stops = part.focusPolicy() & Qt.FocusPolicy.TabFocus and part.focusProxy() is None
        if stops and part.isEnabled() and (fault := _focus_told(page, part)):
            faults.append(fault)
    if focused is not None:
        focused.setFocus()
    return faults


def _focus_told(page: QWidget, part: QWidget) -> str:
    window = page.window()
    assert window.isActiveWindow(), "nothing shows the focus in a window that is not used"
    window.setFocus()
    part.clearFocus()
    rect = QRect(part.mapTo(window, QPoint(0, 0)), part.size())
    before = _to_array(window.grab(rect).toImage())
    part.setFocus(Qt.FocusReason.TabFocusReason)
    after = _to_array(window.grab(rect).toImage())
    rows, columns = min(len(before), len(after)), min(before.shape[1], after.shape[1])
    changed = _ratio(_light(before[:rows, :columns]), _light(after[:rows, :columns])) >= 2.95
    place = part.tabRect(part.currentIndex()) if isinstance(part, QTabBar) else part.rect()
    needed = place.width() + place.height()
    return "" if changed.sum() >= needed else f"the focus of {name_of(part)} changes {changed.sum()} of {needed} pixels"


def _says(part: QWidget) -> bool:
    """Whether something is to be read: also on a button that is disabled, since it says what could be done."""
    if isinstance(part, QLabel | QAbstractButton):
        return bool(part.text().strip())
    return part.isEnabled() and (not isinstance(part, QComboBox) or bool(part.currentText()))


def _visible(page: QWidget, kinds: tuple[type[QWidget], ...]) -> Iterator[tuple[QWidget, QRect]]:
    """Yield each part of some kinds, and its place in the picture of the page."""
    for part in page.findChildren(QWidget):
        if isinstance(part, kinds) and part.isVisible() and not part.visibleRegion().isEmpty():
            visible = part.visibleRegion().boundingRect()
            if visible == part.rect():
                yield part, QRect(part.mapTo(page, visible.topLeft()), visible.size())


def _pixels(page: QWidget) -> Colours:
    image = QImage(page.size() * SCALE, QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(SCALE)
    image.fill(look().window)
    page.render(image)
    return _to_array(image)


def _to_array(image: QImage) -> Colours:
    image = image.convertToFormat(QImage.Format.Format_RGB32)
    words = np.frombuffer(image.constBits(), np.uint32).reshape(image.height(), image.bytesPerLine() // 4)
    return np.array(words[:, : image.width()]) & 0xFFFFFF


def _cut(image: Colours, rect: QRect) -> Colours:
    left, top = rect.left() * SCALE, rect.top() * SCALE
    return image[top : top + rect.height() * SCALE, left : left + rect.width() * SCALE]


def _light(colours: Colours) -> Light:
    """Return the relative luminance of colours."""
    channels = np.stack([(colours >> shift) & 0xFF for shift in (16, 8, 0)], axis=-1) / 255
    linear = np.where(channels <= 0.03928, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    return np.asarray(linear @ np.array([0.2126, 0.7152, 0.0722]))


def _ratio(light: Light, other: Light) -> Light:
    lighter, darker = np.maximum(light, other), np.minimum(light, other)
    return np.asarray((lighter + 0.05) / (darker + 0.05))


def _ink(part: Colours) -> float:
    """Return the contrast between the most frequent colour and the one that stands out most."""
    if not part.size:
        return 21.0
    colours, counts = np.unique(part, return_counts=True)
    ratios = _ratio(_light(colours), _light(colours[counts.argmax()]))
    return float(ratios[counts >= 2].max(initial=1.0))
