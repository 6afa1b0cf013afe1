# SPDX-License-Identifier: GPL-3.0-or-later
"""What a result chooses, in the forms that other programs roll out to all machines with such a disk."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from disktuner.block.sysfs import Tree
from disktuner.report.engines import ansible, tuned, udev
from disktuner.report.engines.choice import Choice, NothingToRollOut, choice_of
from disktuner.vocabulary.messages import Message, message
from disktuner.writing import write_atomically

__all__ = ["ENGINES", "Choice", "NothingToRollOut", "choice_of"]

_Written = tuple[Sequence[Path], Message]


def _udev(choice: Choice, folder: Path, _: Tree) -> _Written:
    path = write_atomically(folder / udev.rule_file(choice), udev.rule(choice).encode())
    return (path,), message("how-to-use-rule", file=path.name)


def _tuned(choice: Choice, folder: Path, tree: Tree) -> _Written:
    name, above = tuned.profile_name(choice), tuned.parents(choice, tree)
    path = write_atomically(folder / name / tuned.FILE, tuned.profile(choice, tree).encode())
    how = message("how-to-use-profile", profile=name, parents=above) if above else message(
        "how-to-use-profile-beside", profile=name)  # fmt: skip
    return (path,), message("how-to-use-profile-for-card", how=how) if choice.is_card else how


def _ansible(choice: Choice, folder: Path, _: Tree) -> _Written:
    for path, content in ansible.collection():
        write_atomically(folder / path, content)
    path = write_atomically(folder / ansible.CHOICES, ansible.choices(choice).encode())
    return (path,), message("how-to-use-collection", folder=shlex.quote(str(folder)), choices=shlex.quote(str(path)))


ENGINES: Mapping[str, Callable[[Choice, Path, Tree], _Written]] = {"udev": _udev, "tuned": _tuned, "ansible": _ansible}
"""By the program that rolls out: writes a choice into a folder; returns the files, and how they are put to use.

Each raises ``NotSaved``, and ``NothingToRollOut`` for what the program cannot do. The tree is this machine's.
"""
