# SPDX-License-Identifier: GPL-3.0-or-later
"""Calls to the privileged helper over D-Bus, its errors as exceptions, a trial as a context manager."""

from disktuner.helper_client.client import HelperClient, Trial
from disktuner.helper_client.state import State

__all__ = ["HelperClient", "State", "Trial"]
