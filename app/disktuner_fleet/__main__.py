# SPDX-License-Identifier: GPL-3.0-or-later
"""The entry point of ``disktuner-fleet``."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from disktuner.cli.beginning import begun
from disktuner.cli.main import Program
from disktuner.cli.main import main as run_command

FLEET = Program(
    "disktuner-fleet",
    {"summary": "disktuner_fleet.commands", "export": "disktuner_fleet.commands"},
    "help-fleet",
    helps={"export": "help-fleet-export"},
)


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code; ``--debug`` may come anywhere."""
    with begun(sys.argv[1:] if argv is None else argv) as arguments:
        return run_command(arguments, FLEET)


if __name__ == "__main__":
    sys.exit(main())
