# SPDX-License-Identifier: GPL-3.0-or-later
"""A folder on a disk that may never answer: a separate process reads or removes, and hangs instead of the caller."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterable, Iterator
from io import BytesIO
from pathlib import Path

from disktuner_watch import files

ANSWER_S = 5.0
"""A disk that takes longer may never answer."""


class Folder:
    """Attributes: ``path``; ``is_silent``, whether its disk did not answer the last question.

    Questions time out after ``answer_s``, never if that is None.
    """

    def __init__(self, path: Path, answer_s: float | None = ANSWER_S) -> None:
        self.path = path
        self._answer_s = answer_s
        self.is_silent = False
        self._process: subprocess.Popen[bytes] | None = None

    def names(self) -> list[str]:
        """Return the names in it; none if it does not exist or its disk does not answer."""
        return list(self._ask("names"))

    def files(self, names: Iterable[str]) -> dict[str, bytes]:
        """Return the contents of its regular files with these names, as ``files_in`` does."""
        wanted = list(names)
        return self._ask("contents", *wanted) if wanted else {}

    def remove(self, name: str) -> None:
        """Remove a file, and the folder if it is empty then; both may stay if its disk does not answer."""
        self._ask("remove", name)

    def _ask(self, what: str, *names: str) -> dict[str, bytes]:
        """Ask a process, unless the previous one still hangs."""
        if self._process and self._process.poll() is None:
            return {}
        command = (sys.executable, "-I", "-S", files.__file__, what, str(self.path), *names)
        null = subprocess.DEVNULL
        process = subprocess.Popen(command, stdin=null, stdout=subprocess.PIPE, stderr=null)
        try:
            answer, _ = process.communicate(timeout=self._answer_s)
        except subprocess.TimeoutExpired:
            self._process, self.is_silent = process, True
            process.kill()  # it ends when its disk lets it
            return {}
        finally:
            if process.stdout:
                process.stdout.close()
        self._process, self.is_silent = None, False
        return dict(_parse(BytesIO(answer)))


def _parse(answer: BytesIO) -> Iterator[tuple[str, bytes]]:
    while line := answer.readline():
        size, _, name = os.fsdecode(line.removesuffix(b"\n")).partition(" ")
        yield name, answer.read(int(size))
