# SPDX-License-Identifier: GPL-3.0-or-later
"""What TuneD's active profile sets, merged as TuneD merges profiles (tuned/profiles/merger.py and unit.py)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from disktuner.block.sysfs import Tree
from disktuner.block.writers.commands import script_writers, target_of
from disktuner.block.writers.services import Services
from disktuner.block.writers.writer import State, Subject, Writer, lines_of
from disktuner.vocabulary.messages import message

_ACTIVE_PROFILES = ("etc/tuned/active_profile", "etc/tuned/post_loaded_profile")
_SETTINGS = "etc/tuned/tuned-main.conf"
_FOLDERS = ("etc/tuned/profiles", "etc/tuned", "usr/lib/tuned/profiles", "usr/lib/tuned")
_NAME = re.compile(r"-?[a-zA-Z0-9_.-]+")
_ATTRIBUTES = {"elevator": "queue/scheduler", "readahead": "queue/read_ahead_kb"}
_OF_THE_SECTION = ("type", "enabled", "devices", "devices_udev_regex", "cpuinfo_regex", "uname_regex", "priority",
                   "replace", "drop")  # fmt: skip
_YES = ("True", "true", "1")
_SECTORS = re.compile(r">?(\d{1,9})\s*s(?:ectors?)?")
_Sections = dict[str, dict[str, tuple[int, str]]]


@dataclass(slots=True)
class Section:
    """A section of the active profile, merged with those of the same name in the profiles that include it.

    ``options``: file, line and value of each. ``conditional`` says that it asks for a certain processor or kernel.
    """

    name: str
    type: str = ""
    enabled: bool = True
    devices: str = "*"
    regex: str | None = None
    conditional: bool = False
    priority: int = 0
    options: dict[str, tuple[str, int, str]] = field(default_factory=dict)


def tuned_writers(subject: Subject, services: Services) -> Iterator[Writer]:
    """Yield what sets the disk, which belongs to the first section that wants it; what its variables and regular
    expressions mean TuneD alone knows."""
    sections = tuned_sections(subject.tree)
    if not sections:
        return
    state, why = services.standing("tuned.service", "tuned-ppd.service")
    taken: bool | None = False
    for unit in sections:
        if unit.type == "script" and "script" in unit.options:
            place, _, path = unit.options["script"]
            script = path.replace("${i:PROFILE_DIR}", f"/{place.rpartition('/')[0]}")
            yield from script_writers(subject, "tuned", script, state, why)
        takes = _takes(subject, unit) if unit.type == "disk" and not taken else False
        for key, (path, number, value) in unit.options.items():
            attribute = _attribute(subject, unit, key, takes)
            if attribute:
                unknown = state is State.ACTS and (None in (takes, taken) or "${" in value)
                here, because = (State.OPEN, message("open-tuned")) if unknown else (state, why)
                yield Writer("tuned", f"/{path}", number, attribute, _number(value), here, because)
        taken = takes if takes is not False else taken


def _attribute(subject: Subject, unit: Section, key: str, takes: bool | None) -> str:
    """What an option sets of the disk; nothing where that is sure."""
    if unit.type == "disk" and takes is not False:
        return _ATTRIBUTES.get(key, "")
    target = target_of(key) if unit.type == "sysfs" else None
    return target[1] if target and subject.is_called(target[0]) else ""


def _takes(subject: Subject, unit: Section) -> bool | None:
    if subject.disk.removable:
        return False
    if unit.regex is not None or unit.conditional or "${" in unit.devices:
        return None
    items = [item for item in re.split(r"\s|,\s*", unit.devices) if item]
    wanted = [item for item in items if not item.startswith("!")] or ["*"]
    return any(map(subject.is_called, wanted)) and not any(
        subject.is_called(each[1:]) for each in items if each[0] == "!"
    )


def _number(value: str) -> str:
    """Read-ahead may be given in sectors of 512 bytes, and as the least that it should be."""
    match = _SECTORS.fullmatch(value)
    return str(int(match[1]) // 2) if match else value.lstrip(">")


def tuned_sections(tree: Tree) -> tuple[Section, ...]:
    """Return the sections that count, in the order in which they take disks."""
    names = " ".join(tree.text(path) or "" for path in _ACTIVE_PROFILES)
    units: dict[str, Section] = {}
    for path in _files(tree, names.split(), []):
        _merge(units, _sections(tree, path), path)
    return tuple(sorted((unit for unit in units.values() if unit.enabled), key=lambda unit: unit.priority))


def active_profiles(tree: Tree) -> tuple[str, ...]:
    """Return the names of the profiles that were chosen, without the one that TuneD loads after any other."""
    return tuple((tree.text(_ACTIVE_PROFILES[0]) or "").split())


def profile_folders(tree: Tree) -> tuple[str, ...]:
    """Return where profiles lie, the first that counts first; ``profile_dirs`` names the folders backwards."""
    for _, line in lines_of(tree, _SETTINGS):
        key, _, value = line.partition("=")
        if key.strip() == "profile_dirs" and value.strip():
            return tuple(folder.strip().strip("/") for folder in reversed(re.split(r"[,;]", value)))
    return _FOLDERS


def _files(tree: Tree, names: list[str], seen: list[str]) -> Iterator[str]:
    """The files of profiles in the order in which they are merged: each after those that it includes."""
    for name in filter(_NAME.fullmatch, names):
        paths = [f"{folder}/{name.removeprefix('-')}/tuned.conf" for folder in profile_folders(tree)]
        path = next((path for path in paths if path not in seen and tree.octets(path) is not None), None)
        if path is not None:
            seen.append(path)
            included = _sections(tree, path).get("main", {}).get("include", (0, ""))[1]
            yield from _files(tree, re.split(r"\s*[,;]\s*", included), seen)
            yield path


def _sections(tree: Tree, path: str) -> _Sections:
    """The number of the line and the value of each option, by section."""
    sections: _Sections = {}
    section: dict[str, tuple[int, str]] = {}
    for number, line in lines_of(tree, path):
        key, separator, value = re.sub(r"\s#.*", "", line).partition("=")
        if line.startswith("["):
            section = sections.setdefault(line.partition("]")[0].strip("["), {})
        elif separator:
            section[key.strip()] = number, value.strip()
    return sections


def _merge(units: dict[str, Section], sections: _Sections, path: str) -> None:
    """The later profile's options count, and its devices in any case."""
    for name, found in sections.items():
        options = {key: (path, number, value) for key, (number, value) in found.items()}
        own = {key: options.pop(key)[2] for key in _OF_THE_SECTION if key in options}
        if name not in units or own.get("replace") in _YES:
            units[name] = Section(name)
        unit = units[name]
        unit.type, unit.devices = own.get("type", name), own.get("devices", "*")
        unit.enabled = own.get("enabled", "1") in _YES
        unit.regex = own.get("devices_udev_regex", unit.regex)
        unit.conditional = unit.conditional or "cpuinfo_regex" in own or "uname_regex" in own
        unit.priority = int(own["priority"]) if re.fullmatch(r"-?\d{1,9}", own.get("priority", "")) else unit.priority
        for dropped in re.split(r"\s*[,;]\s*", own.get("drop", "")):
            unit.options.pop(dropped, None)
        unit.options.update(options)
