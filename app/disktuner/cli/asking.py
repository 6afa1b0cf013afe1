# SPDX-License-Identifier: GPL-3.0-or-later
"""The helper for one command, with somebody on the terminal who can be asked for a password."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from disktuner.helper_client import HelperClient
from disktuner.helper_client.text_agent import text_agent
from disktuner.vocabulary.errors import NotAuthorised


@contextmanager
def helper() -> Iterator[HelperClient]:
    """Connect, ask on the terminal where rights are needed, and leave."""
    try:
        with HelperClient() as client, text_agent():
            yield client
    except NotAuthorised as error:
        raise NotAuthorised(f"{error} As root (sudo disktuner …) nobody is asked.") from error
