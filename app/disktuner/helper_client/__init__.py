# SPDX-License-Identifier: GPL-3.0-or-later
"""The typed client of the privileged helper: its calls as values, its errors, a trial as a context manager."""

from disktuner.helper_client.calls import Call, State
from disktuner.helper_client.client import HelperClient, Trial

__all__ = ["Call", "HelperClient", "State", "Trial"]
