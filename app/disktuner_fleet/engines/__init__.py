# SPDX-License-Identifier: GPL-3.0-or-later
"""A result's choice in the forms that other programs roll out to all machines with such a disk."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from disktuner.block.sysfs import Tree
from disktuner.report.roll_out import RollOut
from disktuner.report.udev_rule import write_rule
from disktuner.vocabulary.messages import Message, message
from disktuner.writing import NotSaved, write_atomically
from disktuner_fleet.engines import ansible, tuned


def _tuned(roll_out: RollOut, folder: Path, tree: Tree) -> tuple[Message, ...]:
    name, above = tuned.profile_name(roll_out), tuned.parents(roll_out, tree)
    path = write_atomically(folder / name / tuned.FILE, tuned.profile(roll_out, tree).encode())
    how = message("how-to-use-profile", profile=name, parents=above) if above else message(
        "how-to-use-profile-beside", profile=name)  # fmt: skip
    return roll_out.said([path], message("how-to-use-profile-for-card", how=how) if roll_out.is_card else how)


def _ansible(roll_out: RollOut, folder: Path, _: Tree) -> tuple[Message, ...]:
    path, words = folder / ansible.CHOICES, ansible.choices(roll_out)
    if ansible.has_others(path, words):
        raise NotSaved("other-choices", file=str(path))
    for part, content in ansible.collection():
        write_atomically(folder / part, content)
    write_atomically(path, words.encode())
    use = message("how-to-use-collection", folder=str(folder), choices=str(path))
    return roll_out.said([path], use)


ENGINES: Mapping[str, Callable[[RollOut, Path, Tree], tuple[Message, ...]]] = {
    "udev": lambda roll_out, folder, _: write_rule(roll_out, folder),
    "tuned": _tuned,
    "ansible": _ansible,
}
"""For each rollout program, a function that writes a choice into a folder and returns what is said of it.

Each raises ``NotSaved``, and ``NothingToRollOut`` for what the program cannot do. The tree is this machine's.
"""
