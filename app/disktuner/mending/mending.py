# SPDX-License-Identifier: GPL-3.0-or-later
"""What a mending is: files before and after, commands that do it and commands that take it back, safe to be copied.

Nothing here runs anything. The commands are for an administrator, with sudo. What comes from files and hardware gets
into them only as quoted, printable ASCII; where that cannot be, ``NotSure`` says so, and there are words instead.
"""

from __future__ import annotations

import difflib
import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from disktuner.block.sysfs import Tree
from disktuner.block.writers import Writer
from disktuner.block.writers.rivals import NAMES
from disktuner.vocabulary.messages import Message, message, say

_BASIC = re.compile(r"[\\.*\[\]^$/]")  # what a basic regular expression and sed's s command do not take literally
_REPLACED = re.compile(r"[\\&/]")


class NotSure(Exception):
    """No commands can be given that surely do what is wanted; ``message`` says why, and what to do instead."""

    def __init__(self, reason: Message) -> None:
        super().__init__(reason.id)
        self.message = reason


def only_by_hand(writer: Writer) -> NotSure:
    """Return that somebody has to take out by hand what a line says of the disk."""
    return NotSure(message("mend-by-hand", place=writer.place, who=NAMES.get(writer.who, writer.who)))


@dataclass(frozen=True, slots=True)
class Change:
    """One file: its content before (None where there is none) and after; of a symbolic link, where that leads."""

    path: str
    before: str | None
    after: str
    is_link: bool = False

    @property
    def difference(self) -> str:
        """The change as a unified diff, as git writes it."""
        old = "/dev/null" if self.before is None else self.path
        lines = difflib.unified_diff(_lines(self.before or ""), _lines(self.after), old, self.path)
        body = "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)
        return f"new file mode 120000\n{body}" if self.is_link else body


@dataclass(frozen=True, slots=True)
class Mending:
    """How the line of a writer is kept from setting a disk back.

    ``what`` says what is done, or, where there are no ``commands``, what to do by hand and why. ``commands`` are for a
    shell, one after the other, ``undo`` takes them back: every file has then the bytes that it had before.
    """

    writer: Writer
    what: Message
    changes: tuple[Change, ...] = ()
    commands: tuple[str, ...] = ()
    undo: tuple[str, ...] = ()

    @property
    def difference(self) -> str:
        """All changes of files as one unified diff; empty where no file changes."""
        return "".join(change.difference for change in self.changes)


def mending_to_json(mending: Mending) -> dict[str, Any]:
    """As ``--json`` prints it."""
    return {
        "what": say(mending.what),
        "place": mending.writer.place,
        "difference": mending.difference,
        "commands": list(mending.commands),
        "undo": list(mending.undo),
    }


def command(*words: str) -> str:
    """Return words as one shell command for root. Raises NotSure where one of them is not plain text."""
    return plain(shlex.join(("sudo", *words)))


def plain(text: str) -> str:
    """Return what is printable ASCII as it is. Raises NotSure."""
    if not (text.isascii() and text.isprintable()):
        raise NotSure(message("mend-odd-text"))
    return text


def written(path: str, content: str) -> str:
    """Return the command that gives a file of text this content. Raises NotSure where the text is not plain."""
    if not content.endswith("\n"):
        raise NotSure(message("mend-odd-text"))
    lines = shlex.join(content[:-1].split("\n"))
    return plain(f"printf '%s\\n' {lines} | sudo tee {shlex.quote(path)} >/dev/null")


@dataclass(frozen=True, slots=True)
class Edit:
    """One line of a file put in the place of another: the change, and the commands for both directions."""

    change: Change
    do: str
    undo: str


def edited(tree: Tree, path: str, number: int, line: str) -> Edit:
    """Return how the line with this number becomes ``line``. Raises NotSure.

    The commands do nothing where the file's line is no longer what it was.
    """
    before = content_of(tree, path)
    lines = before.split("\n")
    # Where a reader breaks lines elsewhere than sed does, the numbers mean different lines.
    if not 0 < number <= len(lines) or before.splitlines()[number - 1 : number] != [lines[number - 1]]:
        raise NotSure(message("mend-odd-text"))
    old = lines[number - 1]
    if not (old and line):  # an empty one at the end is none
        raise NotSure(message("mend-odd-text"))
    after = "\n".join([*lines[: number - 1], line, *lines[number:]])
    return Edit(
        Change(f"/{path}", before, after),
        _substituted(f"/{path}", number, old, line),
        _substituted(f"/{path}", number, line, old),
    )


def line_of(tree: Tree, path: str, number: int) -> str:
    """Return a file's line as it stands there. Raises NotSure where there is none."""
    lines = content_of(tree, path).split("\n")
    if not 0 < number <= len(lines):
        raise NotSure(message("mend-odd-text"))
    return lines[number - 1]


def is_continued(tree: Tree, path: str, number: int) -> bool:
    """Say whether the line before goes on in this one. Raises NotSure where there is none."""
    return number > 1 and line_of(tree, path, number - 1).endswith("\\")


def content_of(tree: Tree, path: str) -> str:
    """Return the whole text of a file; bytes that are no UTF-8 stay what they are. Raises NotSure without a file."""
    octets = tree.octets(path)
    if octets is None:
        raise NotSure(message("mend-unreadable", file=f"/{path}"))
    return octets.decode("utf-8", "surrogateescape")


def folders_to_make(tree: Tree, folder: str) -> tuple[str, ...]:
    """Return which folders of a path are not there yet, the outermost first."""
    return tuple(f"/{each}" for each in _upwards(folder) if not tree.is_folder(each))


def _upwards(folder: str) -> Iterator[str]:
    parts = folder.split("/")
    yield from ("/".join(parts[:end]) for end in range(1, len(parts) + 1))


def _substituted(path: str, number: int, old: str, new: str) -> str:
    """The tab of a script's line is written as ``\\t``: a terminal would complete words at it."""
    pattern, replacement = _BASIC.sub(r"\\\g<0>", old), _REPLACED.sub(r"\\\g<0>", new)
    script = f"{number}s/^{pattern}$/{replacement}/".replace("\t", "\\t")
    return command("sed", "-i", "--follow-symlinks", script, path)


def _lines(text: str) -> Sequence[str]:
    """Lines as ``diff`` counts them."""
    return [f"{line}\n" for line in text.split("\n")[:-1]] + [rest for rest in text.split("\n")[-1:] if rest]
