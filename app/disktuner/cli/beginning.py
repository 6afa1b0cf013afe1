# SPDX-License-Identifier: GPL-3.0-or-later
"""What each start begins with: open streams, the log, and the user's language."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from disktuner import __version__
from disktuner.cli.streams import open_closed_streams
from disktuner.log import logging_on
from disktuner.vocabulary.languages import language_of, wanted
from disktuner.vocabulary.messages import speaking

log = logging.getLogger(__name__)


@contextmanager
def begun(given: Sequence[str]) -> Iterator[list[str]]:
    """Set both up, and closed streams; yield the arguments without ``--debug``, which may come anywhere."""
    open_closed_streams()
    arguments = [argument for argument in given if argument != "--debug"]
    debug, in_file = len(arguments) < len(given), arguments[:1] != ["watch"]
    with logging_on(debug=debug, in_file=in_file), speaking(language_of(wanted(os.environ))):
        log.debug("Disktuner %s, Python %s, Linux %s", __version__, sys.version.split()[0], os.uname().release)
        yield arguments
