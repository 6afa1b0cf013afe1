# SPDX-License-Identifier: GPL-3.0-or-later
"""What TuneD's active profile and TLP set, read as these programs read it (tuned/profiles and plugins; tlp.conf)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from disktuner.block.sysfs import Tree
from disktuner.block.udev import logical_lines
from disktuner.block.writers.scripts import queue_path
from disktuner.block.writers.udev_rules import RULES, Matcher, tokens_of
from disktuner.block.writers.writer import Group, Subject, Verdict, Writer, all_of, is_started, lines_of

# tuned-ppd stands in for power-profiles-daemon and starts TuneD itself.
TUNED_PPD = "tuned-ppd.service"
TUNED_SERVICES = ("tuned.service", TUNED_PPD)
_TLP_SERVICE = "tlp.service"
SERVICES = (*TUNED_SERVICES, _TLP_SERVICE)

_ACTIVE_PROFILES = ("etc/tuned/active_profile", "etc/tuned/post_loaded_profile")
_TUNED_SETTINGS = "etc/tuned/tuned-main.conf"
PROFILES = ("etc/tuned/profiles", "etc/tuned", "usr/lib/tuned/profiles", "usr/lib/tuned")
_PROFILE_NAME = re.compile(r"-?[a-zA-Z0-9_.-]+")
_ATTRIBUTES = {"elevator": "queue/scheduler", "readahead": "queue/read_ahead_kb"}
_OF_THE_SECTION = (
    "type", "enabled", "devices", "devices_udev_regex", "cpuinfo_regex", "uname_regex", "priority", "replace", "drop",
)  # fmt: skip
_YES = ("True", "true", "1")
_BUSES = {"scsi", "virtio", "xen", "nvme", "mmc"}
_TLP_DEFAULTS = "usr/share/tlp/defaults.conf"
TLP_FILES = ("etc/tlp.conf", "etc/default/tlp")
TLP = Group(("etc/tlp.d",), ".conf")

FILES = (*_ACTIVE_PROFILES, _TUNED_SETTINGS, *TLP_FILES, _TLP_DEFAULTS)
GROUPS = (TLP,)
"""All that is read here, besides profiles."""

_TLP_RULES = Group(RULES.folders, "-tlp.rules")
_VALUE = r"(?:[\w:/=@,-]|\\.)*"
_ONE_PROPERTY = re.compile(rf"\^(\w+)=(?:{_VALUE}|\({_VALUE}(?:\|{_VALUE})*\))\$")
"""An expression that only one property can meet, by one of a few values."""
_SETTING = re.compile(r'(TLP_ENABLE|TLP_DISABLE_DEFAULTS|DISK_DEVICES|DISK_IOSCHED)(\+?)="?([][0-9a-zA-Z _.:-]*)"?')
_LEAVES_ALONE = ("keep", "_")
_Sections = dict[str, dict[str, tuple[int, str]]]


@dataclass(slots=True)
class Section:
    """A section of TuneD's active profile, merged with those of the same name in the profiles that include it.

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


def tuned_writers(subject: Subject) -> Iterator[Writer]:
    """The ``[disk]`` and ``[sysfs]`` sections of the active profile and of those it includes.

    Where several sections of the type match a disk, it belongs to the first alone.
    """
    sections = tuned_sections(subject.tree)
    started = is_started(subject, *TUNED_SERVICES) if sections else False
    taken: Verdict = False
    for unit in sections:
        if unit.type == "disk":
            matches = all_of(takes_disk(subject, unit), None if taken is None else not taken)
            if matches is not False:
                taken = matches
                yield from _disk_section(unit, all_of(started, matches))
        elif unit.type == "sysfs":
            yield from _sysfs_section(subject, unit, started)


def _disk_section(unit: Section, applies: Verdict) -> Iterator[Writer]:
    for key, (path, number, value) in unit.options.items():
        if attribute := _ATTRIBUTES.get(key):
            yield Writer(
                "tuned", f"/{path}", number, attribute, value.lstrip(">"), all_of(applies, _known(unit, value))
            )


def _sysfs_section(subject: Subject, unit: Section, started: Verdict) -> Iterator[Writer]:
    for key, (path, number, value) in unit.options.items():
        if (where := queue_path(key)) and subject.is_called(where[0]):
            yield Writer("tuned", f"/{path}", number, where[1], value, all_of(started, _known(unit, value)))


def _known(unit: Section, value: str) -> Verdict:
    """Variables, and what a section asks of the processor or kernel, only TuneD itself knows."""
    return None if unit.conditional or "${" in value else True


def takes_disk(subject: Subject, unit: Section) -> Verdict:
    """Say whether a section's conditions hold for the disk.

    Source: ``DeviceMatcher``, ``DeviceMatcherUdev``, and ``_device_is_supported`` of plugin_disk.py."""
    disk = subject.disk
    bus = (subject.tree.link(f"sys/block/{disk.name}/device/subsystem") or "").rpartition("/")[2]
    if disk.removable or (bus and bus not in _BUSES):
        return False
    if unit.regex is not None:
        return _regex_matches(subject, unit.regex)
    if "${" in unit.devices:
        return None
    items = re.split(r"\s|,\s*", unit.devices)
    wanted = [item for item in items if item and not item.startswith("!")] or ["*"]
    unwanted = [item[1:] for item in items if item.startswith("!")]
    return any(map(subject.is_called, wanted)) and not any(map(subject.is_called, unwanted))


def _regex_matches(subject: Subject, regex: str) -> Verdict:
    """The regular expression is sought in all properties that udev has of the disk, as sorted ``KEY=value`` lines."""
    if "${" in regex:
        return None
    properties = "".join(f"{key}={value}\n" for key, value in sorted(subject.properties.items()))
    try:
        found = re.search(regex, properties, re.MULTILINE) is not None
    except re.error:
        return False
    plain = _ONE_PROPERTY.fullmatch(regex)
    return found or (False if plain and plain[1] in subject.properties else subject.if_absent)


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


def _files(tree: Tree, names: list[str], seen: list[str]) -> Iterator[str]:
    """The files of profiles in the order in which they are merged: each after those that it includes."""
    for name in filter(_PROFILE_NAME.fullmatch, names):
        paths = [f"{folder}/{name.removeprefix('-')}/tuned.conf" for folder in profile_folders(tree)]
        path = next((path for path in paths if path not in seen and tree.octets(path) is not None), None)
        if path is not None:
            seen.append(path)
            included = _sections(tree, path).get("main", {}).get("include", (0, ""))[1]
            yield from _files(tree, re.split(r"\s*[,;]\s*", included), seen)
            yield path


def profile_folders(tree: Tree) -> tuple[str, ...]:
    """Return where profiles lie; of two of one name that in the first folder counts.

    ``profile_dirs`` names the folders backwards.
    """
    for _, line in lines_of(tree, _TUNED_SETTINGS):
        key, _, value = line.partition("=")
        if key.strip() == "profile_dirs" and value.strip():
            return tuple(folder.strip().strip("/") for folder in reversed(re.split(r"[,;]", value)))
    return PROFILES


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
    """Source: tuned/profiles/merger.py and unit.py. The later profile's options count, and its devices in any case."""
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
        unit.priority = _number(own.get("priority"), unit.priority)
        for dropped in re.split(r"\s*[,;]\s*", own.get("drop", "")):
            unit.options.pop(dropped, None)
        unit.options.update(options)


def _number(text: str | None, default: int) -> int:
    return int(text) if text is not None and re.fullmatch(r"-?\d{1,9}", text) else default


def tlp_writers(subject: Subject) -> Iterator[Writer]:
    """The line of ``DISK_IOSCHED``, where it names a scheduler for the disk and TLP is not switched off."""
    settings = tlp_settings(subject)
    if "DISK_IOSCHED" not in settings or settings.get("TLP_ENABLE", ("", 0, "1"))[2] != "1":
        return
    path, number, chosen = settings["DISK_IOSCHED"]
    devices = settings.get("DISK_DEVICES", ("", 0, ""))[2]
    for device, scheduler in zip(devices.split(), chosen.split(), strict=False):
        if scheduler not in _LEAVES_ALONE and is_tlps_name(subject, device):
            yield Writer("tlp", f"/{path}", number, "queue/scheduler", scheduler, _tlp_runs(subject))


def tlp_settings(subject: Subject) -> dict[str, tuple[str, int, str]]:
    """Return file, line and value of each setting, as tlp-readconfs reads them: the last counts, ``+=`` adds to it."""
    tree = subject.tree
    own = TLP_FILES[0] if tree.exists(TLP_FILES[0]) else TLP_FILES[1]
    found = {"DISK_DEVICES": (_TLP_DEFAULTS, 0, "nvme0n1 sda")}
    for path in (_TLP_DEFAULTS, *TLP.files(tree), own):
        for number, line in enumerate((tree.text(path) or "").splitlines(), 1):
            # A comment begins outside of quotes.
            match = _SETTING.fullmatch(re.sub(r'("[^"]*")|#.*', lambda found: found[1] or "", line).rstrip())
            if match is not None:
                before = f"{found[match[1]][2]} " if match[2] and match[1] in found else ""
                found[match[1]] = path, number, before + match[3]
    if found.get("TLP_DISABLE_DEFAULTS", ("", 0, ""))[2] == "1":
        found = {key: value for key, value in found.items() if value[0] != _TLP_DEFAULTS}
    return found


def is_tlps_name(subject: Subject, device: str) -> bool:
    """Say whether TLP's list means the disk.

    By a kernel name, or by what stands in ``/dev/disk/by-id`` (``ata-MODEL_SERIAL``).
    """
    device = re.sub(r"-part[1-9]\d*$", "", device)
    bus, _, serial = device.partition("-")
    by_id = subject.udev.get("ID_SERIAL", "") if bus in ("ata", "usb", "nvme") else ""
    link = subject.tree.link(f"dev/disk/by-id/{device}") or ""
    return subject.disk.name in (device, link.rpartition("/")[2]) or (bool(by_id) and serial == by_id)


def _tlp_runs(subject: Subject) -> Verdict:
    """Whether TLP acts on the disk: by its service, or by its udev rules alone.

    The service sets all disks at a start. The rules set those that they match even where the service is disabled, and
    start TLP when the power source changes.
    """
    started = is_started(subject, _TLP_SERVICE)
    rules = _TLP_RULES.files(subject.tree)
    if started is not False or not rules:
        return started
    lines = [line for path in rules for _, line in logical_lines(subject.tree.text(path) or "")]
    matcher = Matcher(subject, "add")
    return any(matcher.matches(tokens_of(line)) for line in lines if "tlp-usb-udev disk" in line) or None
