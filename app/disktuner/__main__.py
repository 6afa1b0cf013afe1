# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the program starts: the window without arguments, the command line with them."""

from __future__ import annotations

import gc
import logging
import os
import sys
from collections.abc import Sequence

from disktuner import __version__
from disktuner.cli.main import main as run_command
from disktuner.cli.streams import complain, printable_only
from disktuner.experiment.stops import keep_continuing_in_mind
from disktuner.log import logging_on
from disktuner.vocabulary.languages import language_of, wanted
from disktuner.vocabulary.messages import speaking, text

log = logging.getLogger(__name__)


def main(argv: Sequence[str] | None = None) -> int:
    """Open the window or run a command, and return the exit code; ``--debug`` may stand anywhere."""
    keep_continuing_in_mind()
    given = list(sys.argv[1:] if argv is None else argv)
    arguments = [each for each in given if each != "--debug"]
    with logging_on(debug=len(arguments) < len(given)), speaking(language_of(wanted(os.environ))):
        log.debug("Disktuner %s, Python %s, Linux %s", __version__, sys.version.split()[0], os.uname().release)
        if arguments and not arguments[0].startswith("-platform"):
            return run_command(arguments)
        return _open_window(arguments)


def _open_window(arguments: Sequence[str]) -> int:
    if not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY") or os.environ.get("QT_QPA_PLATFORM")):
        complain(text("no-screen"))
        return 2
    gc.disable()  # the window collects by itself (gui/collector)
    from disktuner.gui.start import main as open_window  # noqa: PLC0415 - no command needs Qt

    with printable_only():
        return open_window(arguments)


if __name__ == "__main__":
    sys.exit(main())
