# SPDX-License-Identifier: GPL-3.0-or-later
"""The user's wishes according to the desktop: more contrast, less motion. Colours are left to Qt.

They come from the desktop portal, which passes on the settings of GNOME, KDE and others. Sources:
org.freedesktop.portal.Settings; GNOME's schema org.gnome.desktop.interface.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

Values: TypeAlias = Mapping[str, Mapping[str, Any]]
"""Settings by namespace and key, as the portal has them."""

NAMESPACES = _APPEARANCE, _GNOME, _GNOME_ACCESS, _KDE = (
    "org.freedesktop.appearance",
    "org.gnome.desktop.interface",
    "org.gnome.desktop.a11y.interface",
    "org.kde.kdeglobals.KDE",
)
"""The namespaces that are asked for."""


@dataclass(frozen=True, slots=True)
class Wishes:
    """Whether texts and lines need more contrast, and whether unnecessary motion is to be avoided."""

    high_contrast: bool = False
    calm: bool = False

    @classmethod
    def of(cls, settings: Values) -> Wishes:
        """Return the wishes in these settings."""

        def value(namespace: str, key: str) -> Any:
            return settings.get(namespace, {}).get(key)

        contrast = value(_APPEARANCE, "contrast") == 1 or value(_GNOME_ACCESS, "high-contrast") is True
        still = value(_APPEARANCE, "reduced-motion") == 1 or value(_GNOME, "enable-animations") is False
        calm = still or str(value(_KDE, "AnimationDurationFactor")) in {"0", "0.0"}
        return cls(contrast, calm)
