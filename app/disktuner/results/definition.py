# SPDX-License-Identifier: GPL-3.0-or-later
"""What a measurement of a user's own program runs: given with the request, and kept in its result.

So a result can be measured on and compared with others. Who exports it for others leaves the definition out.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass, field
from pathlib import Path

from disktuner.vocabulary.background import COMMAND, LOADS, NO_LOAD, BackgroundLoad
from disktuner.vocabulary.messages import Message, message

SCRATCH = "{scratch}"
"""What stands for the command's own folder on the tested disk."""
MOST_LIMIT_S = 1e6
MOST_SIGNS = 40
"""How much of a command names what it measures: as much as fits beside a chart."""
MOST_SIGNS_BESIDE = 20
"""How much of one that runs beside it does."""


@dataclass(frozen=True, slots=True)
class Definition:
    """One command or program with all that belongs to it.

    ``shell`` None runs the command without one. ``cold`` are the files and folders that are not in memory when it
    starts. ``beside`` is the id of a background load, or else a command, which runs in the tested folder.
    ``program`` is the name of a program whose start is read again; then there is no command, and ``pattern`` is what
    its start reads once that was recorded, in base64. ``folder`` is where a command runs, ``limit_s`` how long it may
    take. ``mark`` shows that it was asked for here (``results.mark``).
    """

    command: str = ""
    prepare: str | None = None
    cleanup: str | None = None
    cold: tuple[str, ...] = ()
    beside: str = NO_LOAD.id
    shell: str | None = "sh"
    ignores_failure: bool = False
    limit_s: float = 600.0
    folder: str = "/"
    program: str | None = None
    pattern: str | None = None
    mark: str | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        """Raises ``ValueError`` for what no request can say: a file may hold anything."""
        if bool(self.command.strip()) == bool(self.program) or not self.beside.strip():
            raise ValueError("neither one command nor one program")
        if not 0 < self.limit_s < MOST_LIMIT_S:
            raise ValueError("no limit of time")

    @property
    def load(self) -> BackgroundLoad:
        """What runs beside it."""
        return LOADS.get(self.beside, COMMAND)

    @property
    def title(self) -> str:
        """What people know it by: the program, or the command, shortened."""
        return _shortened(self.program or self.command, MOST_SIGNS)

    @property
    def shown(self) -> tuple[Message, ...]:
        """All that is run, whole, for people to see before it is."""
        beside = (message("own-will-run-beside", command=self.beside),) if self.load is COMMAND else ()
        if self.program:
            return (message("own-will-start", program=self.program), *beside)
        id_ = "own-will-run" if self.shell else "own-will-run-bare"
        found = [
            message(id_, command=self.command, folder=self.folder, **({"shell": self.shell} if self.shell else {}))
        ]
        if self.prepare:
            found.append(message("own-will-prepare", command=self.prepare))
        if self.cleanup:
            found.append(message("own-will-clean-up", command=self.cleanup))
        return (*found, *beside)

    @property
    def activity(self) -> Message:
        """What is measured, as it names figures: the program with what runs beside it."""
        beside = {"beside": _shortened(self.beside, MOST_SIGNS_BESIDE)} if self.load is COMMAND else {}
        if self.program:
            return message(f"own-starts-{self.load.id}", program=self.title, **beside)
        return message(f"own-runs-{self.load.id}", command=self.title, **beside)

    def argv(self, command: str, scratch: Path) -> list[str]:
        """Return one of its commands as a program with arguments. Raises ``ValueError`` for an open quotation mark."""
        if self.shell is None:
            return [word.replace(SCRATCH, str(scratch)) for word in shlex.split(command)]
        return [*shlex.split(self.shell), "-c", command.replace(SCRATCH, shlex.quote(str(scratch)))]


def _shortened(command: str, most_signs: int) -> str:
    words = " ".join(command.split())
    return words if len(words) <= most_signs else f"{words[: most_signs - 1]}…"
