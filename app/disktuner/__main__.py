# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the program starts: the window without arguments, the command line with them."""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Sequence

from disktuner.cli.beginning import begun
from disktuner.cli.streams import complain, printable_only
from disktuner.vocabulary.messages import text


def keep_continuing_in_mind() -> None:
    """Block SIGCONT, so that it stays pending after a stop of this program; call this before any thread starts.

    The signal still continues the program (signal(7)). Started programs inherit the mask.
    """
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCONT})


def main(argv: Sequence[str] | None = None) -> int:
    """Open the window or run a command, and return the exit code; ``--debug`` may stand anywhere."""
    keep_continuing_in_mind()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # ignored by who started us, no child's end could be waited for
    with begun(sys.argv[1:] if argv is None else argv) as arguments:
        if arguments and not arguments[0].startswith("-platform"):
            from disktuner.cli.main import main as run_command  # noqa: PLC0415 - the window needs no argparse

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
