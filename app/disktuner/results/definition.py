# SPDX-License-Identifier: GPL-3.0-or-later
"""What a measurement of a user's own program runs: given with the request, and kept in the result.

Thus a result can be continued and compared with others. Exports for others leave the definition out.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass, field
from pathlib import Path

from disktuner.vocabulary.background import COMMAND, LOADS, NO_LOAD, BackgroundLoad
from disktuner.vocabulary.messages import Message, message

SCRATCH = "{scratch}"
"""The placeholder for the command's folder on the tested disk."""
MOST_LIMIT_S = 1e6
MOST_SIGNS = 40
"""The length to which a command is cut as a title, to fit next to a chart."""
MOST_SIGNS_BESIDE = 20
"""The length to which a load command is cut."""


@dataclass(frozen=True, slots=True)
class Definition:
    """One command or program with all its options.

    ``shell`` None runs the command without a shell. ``cold`` are the files and folders to drop from memory before it
    starts. ``beside`` is the id of a background load, or else a load command, which runs in the tested folder.
    ``program`` is the name of a program whose start is replayed; then there is no command, and ``pattern`` is the
    recorded start, in base64. ``folder`` is where a command runs, ``limit_s`` how long it may take. ``mark`` shows that
    this user requested it here (``results.mark``).
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
        """Raises ``ValueError`` for what no request can say, as a file may contain anything."""
        if bool(self.command.strip()) == bool(self.program) or not self.beside.strip():
            raise ValueError("neither one command nor one program")
        if not 0 < self.limit_s <= MOST_LIMIT_S:
            raise ValueError("no limit of time")

    @property
    def load(self) -> BackgroundLoad:
        return LOADS.get(self.beside, COMMAND)

    @property
    def title(self) -> str:
        """The program or command, shortened."""
        return _shortened(self.program or self.command, MOST_SIGNS)

    @property
    def shown(self) -> tuple[Message, ...]:
        """All commands in full, for people to see before they run."""
        beside = (message("own-will-run-beside", command=self.beside),) if self.load is COMMAND else ()
        if self.program:
            return (message("own-will-start", program=self.program), *beside)
        id_ = "own-will-run" if self.shell else "own-will-run-bare"
        notices = [
            message(id_, command=self.command, folder=self.folder, **({"shell": self.shell} if self.shell else {}))
        ]
        if self.prepare:
            notices.append(message("own-will-prepare", command=self.prepare))
        if self.cleanup:
            notices.append(message("own-will-clean-up", command=self.cleanup))
        return (*notices, *beside)

    @property
    def activity(self) -> Message:
        """What is measured, as the name of figures: the program with its background load."""
        beside = {"beside": _shortened(self.beside, MOST_SIGNS_BESIDE)} if self.load is COMMAND else {}
        if self.program:
            return message(f"own-starts-{self.load.id}", program=self.title, **beside)
        return message(f"own-runs-{self.load.id}", command=self.title, **beside)

    def argv(self, command: str, scratch: Path) -> list[str]:
        """Return one of its commands as arguments. Raises ``ValueError`` for an unclosed quotation mark."""
        if self.shell is None:
            return [word.replace(SCRATCH, str(scratch)) for word in shlex.split(command)]
        return [*shlex.split(self.shell), "-c", command.replace(SCRATCH, shlex.quote(str(scratch)))]


def _shortened(command: str, most_signs: int) -> str:
    words = " ".join(command.split())
    return words if len(words) <= most_signs else f"{words[: most_signs - 1]}…"
