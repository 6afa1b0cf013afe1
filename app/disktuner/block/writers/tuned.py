# SPDX-License-Identifier: GPL-3.0-or-later
"""What TuneD's active profile sets, merged as TuneD merges profiles (tuned/profiles/merger.py and unit.py)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from disktuner.block.sysfs import Tree
from disktuner.block.writers.commands import attribute_at, script_writers
from disktuner.block.writers.services import Services
from disktuner.block.writers.writer import State, Subject, Writer, lines_of
from disktuner.vocabulary.messages import message

PROFILES = ("etc/tuned/profiles", "etc/tuned", "usr/lib/tuned/profiles", "usr/lib/tuned")
"""Where profiles lie, the first that counts first."""

_ACTIVE_PROFILES = ("etc/tuned/active_profile", "etc/tuned/post_loaded_profile")
_ATTRIBUTES = {"elevator": "queue/scheduler", "readahead": "queue/read_ahead_kb"}
_CONDITIONS = ("devices_udev_regex", "cpuinfo_regex", "uname_regex")
_NOT_INHERITED = ("type", "enabled", "devices", "replace", "drop")
OF_SECTIONS = (*_CONDITIONS, *_NOT_INHERITED, "priority")
"""Options that are about a section, not about disks."""

_YES = ("True", "true", "1")
_LIST = re.compile(r"\s*[,;]\s*|\s+")
_Options = Mapping[str, tuple[str, int, str]]


class Section(NamedTuple):
    """A section of the active profile, merged with those of the same name in the profiles that include it.

    ``devices`` are None where only TuneD knows which it takes. ``options``: file, line and value of each.
    """

    name: str
    type: str
    priority: int
    devices: str | None
    options: _Options


def tuned_writers(subject: Subject, services: Services) -> Iterator[Writer]:
    """Yield what sets the disk, which belongs to the first section that wants it; what its variables and regular
    expressions mean TuneD alone knows."""
    sections = tuned_sections(subject.tree)
    standing = services.standing("tuned.service", "tuned-ppd.service") if sections else (State.DEAD, None)
    taken: bool | None = False
    for section in sections:
        takes = _takes(subject, section) if section.type == "disk" and not taken else False
        for key, (path, number, value) in section.options.items():
            if (section.type, key) == ("script", "script"):
                script = value.replace("${i:PROFILE_DIR}", f"/{path.rpartition('/')[0]}")
                yield from script_writers(subject, "tuned", script, standing)
            elif attribute := _attribute(subject, section, key, takes):
                unknown = standing[0] is State.ACTS and (None in (takes, taken) or "${" in value)
                here = (State.OPEN, message("open-tuned")) if unknown else standing
                yield Writer("tuned", f"/{path}", number, attribute, value, *here)
        taken = takes if takes is not False else taken


def _attribute(subject: Subject, section: Section, key: str, takes: bool | None) -> str:
    """What an option sets of the disk; nothing where it surely sets nothing."""
    if section.type == "disk":
        return "" if takes is False else _ATTRIBUTES.get(key, "")
    return attribute_at(subject, key) if section.type == "sysfs" else ""


def _takes(subject: Subject, section: Section) -> bool | None:
    if subject.disk.removable:
        return False
    if section.devices is None:
        return None
    items = [item for item in _LIST.split(section.devices) if item]
    wanted = [item for item in items if item[0] != "!"] or ["*"]
    unwanted = [item[1:] for item in items if item[0] == "!"]
    return any(map(subject.is_called, wanted)) and not any(map(subject.is_called, unwanted))


def tuned_sections(tree: Tree) -> tuple[Section, ...]:
    """Return the sections that count, in the order in which they take disks."""
    names = " ".join(tree.text(path) or "" for path in _ACTIVE_PROFILES).split()
    merged: dict[str, _Options] = {}
    for path in _files(tree, names, []):
        for name, options in _sections(tree, path).items():
            own = _values(options)
            left = (*_NOT_INHERITED, *_LIST.split(own.get("drop", "")))
            before = {} if own.get("replace") in _YES else merged.get(name, {})
            merged[name] = {**{key: value for key, value in before.items() if key not in left}, **options}
    found = (_section(name, options) for name, options in merged.items()
             if _values(options).get("enabled", "1") in _YES)  # fmt: skip
    return tuple(sorted(found, key=lambda one: one.priority))


def _section(name: str, options: _Options) -> Section:
    values = _values(options)
    devices = values.get("devices", "*")
    priority = re.fullmatch(r"-?\d{1,9}", values.get("priority", ""))
    only_tuned_knows = "${" in devices or any(key in values for key in _CONDITIONS)
    return Section(name, values.get("type", name), int(priority[0]) if priority else 0,
                   None if only_tuned_knows else devices, options)  # fmt: skip


def _values(options: _Options) -> dict[str, str]:
    return {key: value for key, (_, _, value) in options.items()}


def active_profiles(tree: Tree) -> tuple[str, ...]:
    """Return the names of the profiles that were chosen, without the one that TuneD loads after any other."""
    return tuple((tree.text(_ACTIVE_PROFILES[0]) or "").split())


def _files(tree: Tree, names: list[str], seen: list[str]) -> Iterator[str]:
    """The files of profiles in the order in which they are merged: each after those that it includes."""
    for name in filter(None, names):
        paths = [f"{folder}/{name.removeprefix('-')}/tuned.conf" for folder in PROFILES]
        path = next((path for path in paths if path not in seen and tree.octets(path) is not None), None)
        if path is not None:
            seen.append(path)
            included = _values(_sections(tree, path).get("main", {})).get("include", "")
            yield from _files(tree, _LIST.split(included), seen)
            yield path


def _sections(tree: Tree, path: str) -> dict[str, dict[str, tuple[str, int, str]]]:
    """The file, line and value of each option, by section."""
    sections: dict[str, dict[str, tuple[str, int, str]]] = {}
    name = ""
    for number, line in lines_of(tree, path):
        key, separator, value = re.sub(r"\s#.*", "", line).partition("=")
        if line.startswith("["):
            name = line.partition("]")[0].strip("[")
        elif separator:
            sections.setdefault(name, {})[key.strip()] = path, number, value.strip()
    return sections
