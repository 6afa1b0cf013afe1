# SPDX-License-Identifier: GPL-3.0-or-later
"""Configuration files below a root folder: their text and lines, and which files in several folders apply."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from disktuner.block.sysfs import Tree


def lines_of(tree: Tree, path: str) -> Iterator[tuple[int, str]]:
    """Yield the lines of a configuration file, without comments and empty ones, with their numbers."""
    for number, line in enumerate(text_of(tree, path).splitlines(), 1):
        stripped = line.strip()
        if stripped and not stripped.startswith(("#", ";")):
            yield number, stripped


def text_of(tree: Tree, path: str) -> str:
    """Return a file's text; empty if there is none."""
    return (tree.octets(path.lstrip("/")) or b"").decode("utf-8", "replace")


def named(tree: Tree, places: Sequence[str], suffix: str = "") -> list[str]:
    """Return the paths of files in folders, by name (earlier folders hide later ones), then of single files."""
    chosen: dict[str, str] = {}
    for place in places:
        for name in tree.names(place):
            if name.endswith(suffix):
                chosen.setdefault(name, f"{place}/{name}")
    return [chosen[name] for name in sorted(chosen)] + [place for place in places if tree.is_file(place)]
