# SPDX-License-Identifier: GPL-3.0-or-later
"""Inside the machine: hands standard input's line of JSON to terminal.py and prints the answer: ``tell.py SOCKET``."""

from __future__ import annotations

import socket
import sys


def main() -> None:
    """One question, one answer."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(sys.argv[1])
        with connection.makefile("rw") as stream:
            stream.write(sys.stdin.readline().strip() + "\n")
            stream.flush()
            print(stream.readline())


if __name__ == "__main__":
    main()
