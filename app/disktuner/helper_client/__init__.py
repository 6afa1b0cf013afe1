# SPDX-License-Identifier: GPL-3.0-or-later
"""Calls to the privileged helper over D-Bus, its errors as exceptions, a trial as a context manager."""

from disktuner.helper_client.agent import text_agent
from disktuner.helper_client.client import HelperClient, Trial
from disktuner.helper_client.errors import HelperBusy, HelperDenied, HelperRefused, HelperUnreachable
from disktuner.helper_client.state import Choice, RunningTrial, Snapshot, State

__all__ = [
    "Choice",
    "HelperBusy",
    "HelperClient",
    "HelperDenied",
    "HelperRefused",
    "HelperUnreachable",
    "RunningTrial",
    "Snapshot",
    "State",
    "Trial",
    "text_agent",
]
