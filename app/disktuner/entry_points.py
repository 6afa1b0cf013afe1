# SPDX-License-Identifier: GPL-3.0-or-later
"""What ``disktuner_watch`` does for window and commands, by name for ``pkgutil.resolve_name``: nothing here imports it.

Its commands are named in ``cli/main``.
"""

from __future__ import annotations

RECORDING = "disktuner_watch.window.recording:Recording"
TRIAL = "disktuner_watch.field.saved:Place"
BEGIN_TRIAL = "disktuner_watch.field.trial:begin_unattended"
STOP_TRIAL = "disktuner_watch.field.trial:stop"
STOP_OWN_TRIAL = "disktuner_watch.field.trial:stop_own"
