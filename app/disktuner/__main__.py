# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the program starts: the window without arguments, the command line with them."""

from __future__ import annotations

import sys

from disktuner.cli.main import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
