# SPDX-License-Identifier: GPL-3.0-or-later
"""The Ansible collection that measures on a few machines and rolls out, and a result's choice for it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

from disktuner.opening import is_file, is_there
from disktuner.report.roll_out import RollOut

CHOICES = "disktuner.yml"
_COLLECTIONS = "ansible_collections"
_SUFFIXES = (".yml", ".py", ".md")
_NAMES = ("LICENSE",)
_SETTING = re.compile(r"(?m)^    setting: .*$")


def collection() -> Iterator[tuple[Path, bytes]]:
    """Yield the collection's files, with paths relative to a folder in which Ansible looks for collections."""
    resources = Path(__file__).resolve().parents[3] / "resources"
    for path in sorted((resources / _COLLECTIONS).rglob("*")):
        if is_file(path) and (path.suffix in _SUFFIXES or path.name in _NAMES):
            yield path.relative_to(resources), path.read_bytes()


def has_others(path: Path, words: str) -> bool:
    """Whether a file holds anything but a choice for the same disks, and so would be lost; ``words`` take its place."""
    known = path.read_text("utf-8", "replace") if is_there(path) else words
    return _SETTING.sub("", known) != _SETTING.sub("", words)


def choices(roll_out: RollOut) -> str:
    """Return the variables as YAML, in which JSON strings are valid."""
    values = {"model": roll_out.model, "vendor": roll_out.vendor, "setting": roll_out.setting.name}
    first, *others = (f"{key}: {json.dumps(value)}" for key, value in values.items())
    lines = "".join(f"    {line}\n" for line in others)
    return f"---\n# Written by Disktuner.\ndisktuner_choices:\n  - {first}\n{lines}"
