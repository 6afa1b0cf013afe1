# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds modules of the window that import each other in a circle, also where only types are imported.

``circles.py`` prints each circle and fails if there is one; ``./dev check`` runs it.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

APP = Path(__file__).resolve().parents[1] / "app"


def modules(package: str) -> dict[str, Path]:
    """Return a package's files by module name."""
    files = (APP / package.replace(".", "/")).rglob("*.py")
    return {".".join(file.relative_to(APP).with_suffix("").parts).removesuffix(".__init__"): file for file in files}


def imported(file: Path) -> Iterator[str]:
    """Return everything that a file imports, anywhere in it."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{name.name}" for name in node.names)
        elif isinstance(node, ast.Import):
            yield from (name.name for name in node.names)


def circle(package: str) -> list[str]:
    """Return a circle of modules; empty if there is none."""
    known = modules(package)
    graph: Mapping[str, set[str]] = {name: {*imported(file)} & known.keys() - {name} for name, file in known.items()}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


if __name__ == "__main__":
    cycle = circle("disktuner.gui")
    print(" imports ".join(reversed(cycle)) if cycle else "No modules of the window import each other in a circle.")
    sys.exit(bool(cycle))
