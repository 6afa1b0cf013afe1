# SPDX-License-Identifier: GPL-3.0-or-later
"""Configuration files below a root folder: their text and lines, and which files of several folders count."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from disktuner.block.sysfs import Tree


def lines_of(tree: Tree, path: str) -> Iterator[tuple[int, str]]:
    """The lines of a configuration file that are not comments or empty, with their numbers."""
    for number, line in enumerate(text_of(tree, path).splitlines(), 1):
        stripped = line.strip()
        if stripped and not stripped.startswith(("#", ";")):
            yield number, stripped


def text_of(tree: Tree, path: str) -> str:
    """A file as it stands there, empty where there is none."""
    return (tree.octets(path.lstrip("/")) or b"").decode("utf-8", "replace")


def named(tree: Tree, places: Sequence[str], suffix: str = "") -> list[str]:
    """The paths of files in folders, by name, where an earlier folder's hides a later one's; and of single files."""
    chosen: dict[str, str] = {}
    for place in places:
        for name in tree.names(place):
            if name.endswith(suffix):
                chosen.setdefault(name, f"{place}/{name}")
    return [chosen[name] for name in sorted(chosen)] + [place for place in places if tree.is_file(place)]
