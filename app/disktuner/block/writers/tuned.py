# SPDX-License-Identifier: GPL-3.0-or-later
"""What the lines of TuneD's active profile set; which of its sections has a disk says TuneD."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from disktuner.block.configuration import lines_of, text_of
from disktuner.block.sysfs import Tree
from disktuner.block.writers.asking import Ask
from disktuner.block.writers.texts import READ_AHEAD, effects, script_writers
from disktuner.block.writers.units import Units
from disktuner.block.writers.writer import Standing, State, Subject, Writer
from disktuner.vocabulary.messages import message

PROFILES = ("etc/tuned/profiles", "etc/tuned", "usr/lib/tuned/profiles", "usr/lib/tuned")
"""Where profiles lie, the first that counts first."""

_OF_DISKS = {"elevator": "queue/scheduler", "readahead": READ_AHEAD}
_LIST = re.compile(r"\s*[,;]\s*|\s+")


class Option(NamedTuple):
    """A line of a profile."""

    section: str
    key: str
    value: str
    file: str
    line: int


def active_profiles(tree: Tree) -> tuple[str, ...]:
    """Return the names of the profiles that were chosen, without the one that TuneD loads after any other."""
    return tuple(text_of(tree, "etc/tuned/active_profile").split())


def profile_options(tree: Tree) -> Iterator[Option]:
    """Yield the lines of the active profile, each profile's after those that it includes: the last one counts."""
    for path in _files(tree, [*active_profiles(tree), *text_of(tree, "etc/tuned/post_loaded_profile").split()], []):
        section = ""
        for number, line in lines_of(tree, path):
            key, separator, value = re.sub(r"\s#.*", "", line).partition("=")
            section = line.strip("[]") if line.startswith("[") else section
            if separator:
                yield Option(section, key.strip(), value.strip(), f"/{path}", number)


def _files(tree: Tree, names: list[str], seen: list[str]) -> Iterator[str]:
    """The files of profiles in the order in which they are merged."""
    for name in filter(None, names):
        paths = [f"{folder}/{name.removeprefix('-')}/tuned.conf" for folder in PROFILES]
        path = next((path for path in paths if path not in seen and tree.is_file(path)), None)
        if path is not None:
            seen.append(path)
            includes = re.findall(r"(?m)^\s*include\s*=\s*(.*)$", text_of(tree, path))
            yield from _files(tree, _LIST.split("".join(includes[-1:]).strip()), seen)
            yield path


def tuned_writers(subject: Subject, ask: Ask, units: Units) -> Iterator[Writer]:
    """Yield what sets the disk, or may."""
    for one in profile_options(subject.tree):
        standing = units.standing("tuned.service")
        if one.key in _OF_DISKS:
            standing = _of_section(subject, ask, one.section) if standing[0] is State.ACTS else standing
            yield Writer("tuned", one.file, one.line, _OF_DISKS[one.key], one.value, *standing)
        elif one.section == one.key == "script":
            script = one.value.replace("${i:PROFILE_DIR}", one.file.rpartition("/")[0])
            yield from script_writers(subject, "tuned", script, standing)
        for setting in effects(subject, f"{one.key}={one.value}"):
            yield Writer("tuned", one.file, one.line, setting.attribute, setting.value, *standing)


def _of_section(subject: Subject, ask: Ask, section: str) -> Standing:
    """Whether a section has the disk: TuneD has told that since 2.22."""
    sections = ask("tuned-adm", "get_instances", "disk")
    if sections is None:
        return State.OPEN, message("open-tuned")
    has = f"{section} (disk)" in sections.splitlines()
    disks = (ask("tuned-adm", "instance_get_devices", section) or "").split() if has else []
    return (State.ACTS if subject.disk.name in disks else State.OTHER_DISKS), None
