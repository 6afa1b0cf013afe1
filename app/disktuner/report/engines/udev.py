# SPDX-License-Identifier: GPL-3.0-or-later
"""A udev rule that gives every disk of a model its setting."""

from __future__ import annotations

from collections.abc import Iterator

from disktuner.block.rule_files import OWN_RULES
from disktuner.block.udev import HOLDS
from disktuner.report.engines.choice import Choice
from disktuner.vocabulary.tunables import file_of

# While a disk is measured, or has what was set until the next restart, the helper keeps a file of this name: see its
# own rule in persist.py. DISKSEQ is empty on kernels before 5.15, for both.
_HOLD = f"/{HOLDS}/%M:%m-$env{{DISKSEQ}}"
_EVENT = 'ACTION=="add|change", SUBSYSTEM=="block", ENV{DEVTYPE}=="disk"'
_FOLDER, _, _OWN = OWN_RULES.rpartition("/")


def rule_file(choice: Choice) -> str:
    """Return the name of the file: after udev's own rules, which find out the model, and before Disktuner's own."""
    return f"85-disktuner-{choice.slug}.rules"


def rule(choice: Choice) -> str:
    """Return the file's text; the scheduler comes first, since a switch resets the tunables."""
    match = ", ".join((_EVENT, *_conditions(choice), f'TEST!="{_HOLD}"', f'TEST!="{_HOLD}-until-restart"'))
    wishes = {"queue/scheduler": choice.setting.scheduler, **choice.setting.values}
    lines = [f'{match}, ATTR{{{file_of(name)}}}="{value}"' for name, value in wishes.items()]
    return "\n".join((*_head(choice), *lines, ""))


def _head(choice: Choice) -> Iterator[str]:
    yield f"# Written by Disktuner: {choice.setting.name} for every {choice.title}."
    yield f"# {_OWN}*.rules are read later: what was chosen for a single disk has the last word."
    yield f"# To take it back: rm /{_FOLDER}/{rule_file(choice)} && udevadm control --reload"
    yield "# Disks keep the scheduler that they have until the next restart."


def _conditions(choice: Choice) -> Iterator[str]:
    """udev itself ignores the blanks at the end of the kernel's vendor."""
    yield f'ENV{{{choice.key}}}=="{"|".join(choice.values)}"'
    if choice.vendor:
        yield f'ATTR{{device/vendor}}=="{choice.vendor}"'
