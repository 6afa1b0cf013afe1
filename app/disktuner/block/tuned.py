# SPDX-License-Identifier: GPL-3.0-or-later
"""The sections and lines of TuneD's active profile, merged with those that it includes (tuned/profiles of TuneD)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from disktuner.block.sysfs import Tree, lines_of, text_of

PROFILES = ("etc/tuned/profiles", "etc/tuned", "usr/lib/tuned/profiles", "usr/lib/tuned")
"""Folders of profiles, in order of precedence."""

_LIST = re.compile(r"\s*[,;]\s*|\s+")
_TRUE = ("True", "true", "1")
_VARIABLE = re.compile(r"\$\{(\w+)\}")
_MOST_VARIABLES, _LONGEST = 16, 1000
"""How many variables one line may name, one by the other, and how long it may get."""


@dataclass(frozen=True, slots=True)
class Option:
    """A line of a profile; variables in its ``value`` are filled in, as far as the profile sets them."""

    section: str
    key: str
    value: str
    file: str
    line: int


@dataclass(frozen=True, slots=True)
class Section:
    """What a section is about: the plugin ``type``, and which ``devices`` of it.

    ``by_udev``: a pattern of udev properties chooses them instead.
    """

    type: str
    devices: str = "*"
    by_udev: bool = False


@dataclass(frozen=True, slots=True)
class Profile:
    """Sections by name, and all lines that TuneD does not drop, in the order in which they are merged."""

    sections: Mapping[str, Section]
    options: Sequence[Option]


def active_profiles(tree: Tree) -> tuple[str, ...]:
    """Return the names of the active profiles, without the one that TuneD loads after all others."""
    return tuple(text_of(tree, "etc/tuned/active_profile").split())


def active_profile(tree: Tree) -> Profile:
    """Return the active profile; the last line for a key wins, as ``_merge_two`` in tuned/profiles/merger.py does it.

    A later profile's section sets type, devices and whether it is enabled anew, even if it does not name them.
    """
    sections: dict[str, Section] = {}
    disabled: set[str] = set()
    options: list[Option] = []
    for path in _files(tree, [*active_profiles(tree), *text_of(tree, "etc/tuned/post_loaded_profile").split()], []):
        of_file = list(_options_of(tree, path))
        for name in dict.fromkeys(option.section for option in of_file):
            settings = {option.key: option.value for option in of_file if option.section == name}
            is_anew = settings.get("replace") in _TRUE
            dropped = re.split(r"\s*[,;]\s*", settings.get("drop", ""))
            options = [line for line in options if line.section != name or not (is_anew or line.key in dropped)]
            by_udev = "devices_udev_regex" in settings or (not is_anew and name in sections and sections[name].by_udev)
            sections[name] = Section(settings.get("type", name), settings.get("devices", "*"), by_udev)
            disabled -= {name}
            disabled |= {name} if settings.get("enabled", "1") not in _TRUE else set()
        options += of_file
    variables = {line.key: line.value for line in _variables(tree, options)}
    in_effect = (option for option in options if option.section not in disabled)
    return Profile(sections, [replace(option, value=_filled_in(option.value, variables)) for option in in_effect])


def _options_of(tree: Tree, path: str) -> Iterator[Option]:
    section = ""
    for number, line in lines_of(tree, path):
        key, separator, value = re.sub(r"\s#.*", "", line).partition("=")
        section = line.strip("[]") if line.startswith("[") else section
        if separator:
            value = value.strip().replace("${i:PROFILE_DIR}", f"/{path.rpartition('/')[0]}")
            yield Option(section, key.strip(), value, f"/{path}", number)


def _variables(tree: Tree, options: Sequence[Option]) -> Iterator[Option]:
    """Yield the lines that set variables, also in files that a profile names for that (``cpu-partitioning`` does)."""
    for option in options:
        if option.section == "variables" and option.key == "include":
            yield from _options_of(tree, option.value.lstrip("/"))
        elif option.section == "variables":
            yield option


def _filled_in(value: str, variables: Mapping[str, str]) -> str:
    for _ in range(_MOST_VARIABLES):
        name = next((name for name in _VARIABLE.findall(value) if name in variables), None)
        if name is None or len(value) > _LONGEST:
            break
        value = value.replace(f"${{{name}}}", variables[name])
    return value


def _files(tree: Tree, names: list[str], seen: list[str]) -> Iterator[str]:
    """Yield the files of profiles in the order in which they are merged."""
    for name in filter(None, names):
        paths = [f"{folder}/{name.removeprefix('-')}/tuned.conf" for folder in PROFILES]
        path = next((path for path in paths if path not in seen and tree.is_file(path)), None)
        if path is not None:
            seen.append(path)
            main = {option.key: option.value for option in _options_of(tree, path) if option.section == "main"}
            yield from _files(tree, _LIST.split(main.get("include", "")), seen)
            yield path
