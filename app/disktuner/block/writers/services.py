# SPDX-License-Identifier: GPL-3.0-or-later
"""Services that write into queues by their settings: tuned, TLP, sysfs.conf, tmpfiles.d."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterator

from disktuner.block.sysfs import Tree
from disktuner.block.writers.scripts import is_for, queue_path
from disktuner.block.writers.writer import Subject, Writer, lines_of, merged_folder

_TMPFILES = ("etc/tmpfiles.d", "run/tmpfiles.d", "usr/lib/tmpfiles.d", "lib/tmpfiles.d")


def service_writers(subject: Subject) -> Iterator[Writer]:
    """All of them, in the usual order of a start."""
    yield from _tmpfiles(subject)
    yield from _sysfs_conf(subject)
    yield from _tuned(subject)
    yield from _tlp(subject)


def _tmpfiles(subject: Subject) -> Iterator[Writer]:
    """``w /sys/block/sda/queue/scheduler - - - - bfq`` (tmpfiles.d(5))."""
    for path in merged_folder(subject.tree, _TMPFILES, ".conf"):
        for number, line in lines_of(subject.tree, path):
            words = line.split(None, 6)
            where = queue_path(words[1]) if len(words) == 7 and words[0].startswith("w") else None
            if where and is_for(subject, where[0]):
                yield Writer("tmpfiles.d", f"/{path}", number, where[1], words[6].strip("\"'"))


def _sysfs_conf(subject: Subject) -> Iterator[Writer]:
    """``block/sda/queue/scheduler = deadline`` (sysfsutils)."""
    names = subject.tree.names("etc/sysfs.d")
    for path in ("etc/sysfs.conf", *(f"etc/sysfs.d/{name}" for name in names if name.endswith(".conf"))):
        for number, line in lines_of(subject.tree, path):
            left, separator, value = line.partition("=")
            # "mode PATH = 0660" and "owner PATH = root" set rights, no value.
            where = queue_path("/" + left.strip()) if len(left.split()) == 1 else None
            if separator and where and is_for(subject, where[0]):
                yield Writer("sysfs.conf", f"/{path}", number, where[1], value.strip())


def _tuned(subject: Subject) -> Iterator[Writer]:
    """The ``[disk]`` and ``[sysfs]`` sections of tuned's active profile and of those it includes."""
    profile = (subject.tree.text("etc/tuned/active_profile") or "").split()
    seen: set[str] = set()
    while profile:
        name = profile.pop()
        if name in seen or "/" in name or name.startswith("."):
            continue
        seen.add(name)
        path = _tuned_file(subject.tree, name)
        for number, section, key, value in _ini(subject.tree, path) if path else ():
            if section == "main" and key == "include":
                profile += re.split(r"[\s,]+", value)
            elif key in ("elevator", "readahead") and _tuned_section_is_for(subject, path, section):
                attribute = {"elevator": "queue/scheduler", "readahead": "queue/read_ahead_kb"}[key]
                yield Writer("tuned", f"/{path}", number, attribute, value.lstrip(">"))
            elif section == "sysfs" and (where := queue_path(key)) and is_for(subject, where[0]):
                yield Writer("tuned", f"/{path}", number, where[1], value)


def _tuned_file(tree: Tree, name: str) -> str:
    folders = ("etc/tuned/profiles", "etc/tuned", "usr/lib/tuned/profiles", "usr/lib/tuned")
    paths = (f"{folder}/{name}/tuned.conf" for folder in folders)
    return next((path for path in paths if tree.octets(path) is not None), "")


def _tuned_section_is_for(subject: Subject, path: str, section: str) -> bool:
    settings = {key: value for _, where, key, value in _ini(subject.tree, path) if where == section}
    if settings.get("type", section) != "disk":
        return False
    devices = re.split(r"[\s,]+", settings.get("devices", "*"))
    wanted = [item for item in devices if not item.startswith("!")] or ["*"]
    unwanted = [item[1:] for item in devices if item.startswith("!")]
    name = subject.disk.name
    return any(fnmatch.fnmatchcase(name, item) for item in wanted) and not any(
        fnmatch.fnmatchcase(name, item) for item in unwanted
    )


def _ini(tree: Tree, path: str) -> Iterator[tuple[int, str, str, str]]:
    section = ""
    for number, line in lines_of(tree, path):
        if line.startswith("["):
            section = line.strip("[]")
            continue
        key, separator, value = line.partition("=")
        if separator:
            yield number, section, key.strip(), value.strip()


def _tlp(subject: Subject) -> Iterator[Writer]:
    """``DISK_DEVICES`` and ``DISK_IOSCHED`` belong together by position; ``keep`` leaves alone (tlp.conf)."""
    settings: dict[str, tuple[str, int, list[str]]] = {}
    names = [f"etc/tlp.d/{name}" for name in subject.tree.names("etc/tlp.d") if name.endswith(".conf")]
    for path in ("etc/default/tlp", *names, "etc/tlp.conf"):
        for number, line in lines_of(subject.tree, path):
            key, separator, value = line.partition("=")
            if separator and key in ("DISK_DEVICES", "DISK_IOSCHED"):
                settings[key] = (path, number, value.strip("\"'").split())
    if "DISK_IOSCHED" not in settings:
        return
    path, number, chosen = settings["DISK_IOSCHED"]
    devices = settings.get("DISK_DEVICES", ("", 0, ["nvme0n1", "sda"]))[2]
    for device, scheduler in zip(devices, chosen, strict=False):
        if scheduler not in ("keep", "_") and _tlp_device_is(subject, device):
            yield Writer("tlp", f"/{path}", number, "queue/scheduler", scheduler)


def _tlp_device_is(subject: Subject, device: str) -> bool:
    """A kernel name, or what stands in ``/dev/disk/by-id`` (``ata-MODEL_SERIAL``)."""
    bus, _, serial = device.partition("-")
    by_id = subject.udev.get("ID_SERIAL", "") if bus in ("ata", "usb", "nvme") else ""
    return device == subject.disk.name or (bool(by_id) and serial == by_id)
