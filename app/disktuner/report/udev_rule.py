# SPDX-License-Identifier: GPL-3.0-or-later
"""A udev rule that gives every disk of a model its setting."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from disktuner.block.rule_files import OWN_RULES
from disktuner.block.udev import HOLDS
from disktuner.report.roll_out import RollOut
from disktuner.vocabulary.messages import Message, message
from disktuner.vocabulary.tunables import file_of
from disktuner.writing import write_atomically

# While a disk is measured, or has a setting until the next restart, the helper keeps a file of this name: see its own
# rule in persist.py. DISKSEQ is empty on kernels before 5.15, for both.
_HOLD = f"/{HOLDS}/%M:%m-$env{{DISKSEQ}}"
_EVENT = 'ACTION=="add|change", SUBSYSTEM=="block", ENV{DEVTYPE}=="disk"'
_FOLDER, _, _OWN = OWN_RULES.rpartition("/")


def write_rule(roll_out: RollOut, folder: Path) -> tuple[Message, ...]:
    """Write the rule into a folder; return what is said of it. Raises ``NotSaved``."""
    path = write_atomically(folder / rule_file(roll_out), rule(roll_out).encode())
    return roll_out.said([path], message("how-to-use-rule", file=path.name))


def rule_file(roll_out: RollOut) -> str:
    """Return the name of the file, which sorts after udev's own rules, which set the model, and before Disktuner's."""
    return f"85-disktuner-{roll_out.slug}.rules"


def rule(roll_out: RollOut) -> str:
    """Return the file's text; the scheduler comes first, as switching resets the tunables."""
    match = ", ".join((_EVENT, *_conditions(roll_out), f'TEST!="{_HOLD}"', f'TEST!="{_HOLD}-until-restart"'))
    wishes = {"queue/scheduler": roll_out.setting.scheduler, **roll_out.setting.values}
    lines = [f'{match}, ATTR{{{file_of(name)}}}="{value}"' for name, value in wishes.items()]
    return "\n".join((*_head(roll_out), *lines, ""))


def _head(roll_out: RollOut) -> Iterator[str]:
    yield f"# Written by Disktuner: {roll_out.setting.name} for every {roll_out.title}."
    yield f"# {_OWN}*.rules are read later: what was chosen for a single disk has the last word."
    yield f"# To take it back: rm /{_FOLDER}/{rule_file(roll_out)} && udevadm control --reload"
    yield "# Disks keep the scheduler that they have until the next restart."


def _conditions(roll_out: RollOut) -> Iterator[str]:
    """Yield the conditions for the model; udev ignores trailing blanks of the vendor."""
    yield f'ENV{{{roll_out.key}}}=="{"|".join(roll_out.values)}"'
    if roll_out.vendor:
        yield f'ATTR{{device/vendor}}=="{roll_out.vendor}"'
