# SPDX-License-Identifier: GPL-3.0-or-later
"""A collection for Ansible that measures on a few machines and rolls out, and what a result chooses for it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from disktuner.opening import is_file
from disktuner.report.engines.choice import Choice

CHOICES = "disktuner.yml"
_COLLECTIONS = "ansible_collections"
_SUFFIXES = (".yml", ".py", ".md")
_NAMES = ("LICENSE",)


def collection() -> Iterator[tuple[Path, bytes]]:
    """Yield the files of the collection, by their paths below a folder that Ansible looks for collections in."""
    resources = Path(__file__).resolve().parents[4] / "resources"
    for path in sorted((resources / _COLLECTIONS).rglob("*")):
        if is_file(path) and (path.suffix in _SUFFIXES or path.name in _NAMES):
            yield path.relative_to(resources), path.read_bytes()


def choices(choice: Choice) -> str:
    """Return the variables as YAML, in which JSON's texts are texts."""
    values = {"model": choice.model, "vendor": choice.vendor, "setting": choice.setting.name}
    first, *others = (f"{key}: {json.dumps(value)}" for key, value in values.items())
    lines = "".join(f"    {line}\n" for line in others)
    return f"---\n# Written by Disktuner.\ndisktuner_choices:\n  - {first}\n{lines}"
