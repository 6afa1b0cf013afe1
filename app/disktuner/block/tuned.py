# SPDX-License-Identifier: GPL-3.0-or-later
"""The lines of TuneD's active profile, each profile's after those that it includes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from disktuner.block.configuration import lines_of, text_of
from disktuner.block.sysfs import Tree

PROFILES = ("etc/tuned/profiles", "etc/tuned", "usr/lib/tuned/profiles", "usr/lib/tuned")
"""Folders of profiles, in order of precedence."""

_LIST = re.compile(r"\s*[,;]\s*|\s+")


class Option(NamedTuple):
    """A line of a profile."""

    section: str
    key: str
    value: str
    file: str
    line: int


def active_profiles(tree: Tree) -> tuple[str, ...]:
    """Return the names of the active profiles, without the one that TuneD loads after all others."""
    return tuple(text_of(tree, "etc/tuned/active_profile").split())


def profile_options(tree: Tree) -> Iterator[Option]:
    """Yield the lines of the active profile in the order in which they are merged; the last one wins."""
    for path in _files(tree, [*active_profiles(tree), *text_of(tree, "etc/tuned/post_loaded_profile").split()], []):
        section = ""
        for number, line in lines_of(tree, path):
            key, separator, value = re.sub(r"\s#.*", "", line).partition("=")
            section = line.strip("[]") if line.startswith("[") else section
            if separator:
                yield Option(section, key.strip(), value.strip(), f"/{path}", number)


def _files(tree: Tree, names: list[str], seen: list[str]) -> Iterator[str]:
    """Yield the files of profiles in the order in which they are merged."""
    for name in filter(None, names):
        paths = [f"{folder}/{name.removeprefix('-')}/tuned.conf" for folder in PROFILES]
        path = next((path for path in paths if path not in seen and tree.is_file(path)), None)
        if path is not None:
            seen.append(path)
            includes = re.findall(r"(?m)^[ \t]*include[ \t]*=[ \t]*(.*)$", text_of(tree, path))
            yield from _files(tree, _LIST.split("".join(includes[-1:]).strip()), seen)
            yield path
