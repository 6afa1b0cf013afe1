# SPDX-License-Identifier: GPL-3.0-or-later
"""What TLP sets: ``DISK_DEVICES`` and ``DISK_IOSCHED``, which belong together by position (tlp.conf)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from disktuner.block.writers.udev_match import Matcher, Verdict, tokens_of
from disktuner.block.writers.udev_rules import FOLDERS, logical_lines
from disktuner.block.writers.writer import Subject, Writer, is_started, merged_folder

_DEFAULTS = "usr/share/tlp/defaults.conf"
_RULES = "-tlp.rules"
_SETTING = re.compile(r'(TLP_ENABLE|TLP_DISABLE_DEFAULTS|DISK_DEVICES|DISK_IOSCHED)(\+?)="?([][0-9a-zA-Z _.:-]*)"?')
_LEAVES_ALONE = ("keep", "_")


def tlp_writers(subject: Subject) -> Iterator[Writer]:
    """The line of ``DISK_IOSCHED``, where it names a scheduler for the disk and TLP is not switched off."""
    settings = _settings(subject)
    if "DISK_IOSCHED" not in settings or settings.get("TLP_ENABLE", ("", 0, "1"))[2] != "1":
        return
    path, number, chosen = settings["DISK_IOSCHED"]
    devices = settings.get("DISK_DEVICES", ("", 0, ""))[2]
    for device, scheduler in zip(devices.split(), chosen.split(), strict=False):
        if scheduler not in _LEAVES_ALONE and _is(subject, device):
            yield Writer("tlp", f"/{path}", number, "queue/scheduler", scheduler, _runs(subject))


def _settings(subject: Subject) -> dict[str, tuple[str, int, str]]:
    """File, line and value of each setting, as tlp-readconfs reads them: the last counts, ``+=`` adds to it."""
    tree = subject.tree
    names = [f"etc/tlp.d/{name}" for name in tree.names("etc/tlp.d") if name.endswith(".conf")]
    own = "etc/tlp.conf" if tree.exists("etc/tlp.conf") else "etc/default/tlp"
    found = {"DISK_DEVICES": (_DEFAULTS, 0, "nvme0n1 sda")}
    for path in (_DEFAULTS, *names, own):
        for number, line in enumerate((tree.text(path) or "").splitlines(), 1):
            # A comment begins outside of quotes.
            match = _SETTING.fullmatch(re.sub(r'("[^"]*")|#.*', lambda found: found[1] or "", line).rstrip())
            if match is not None:
                before = f"{found[match[1]][2]} " if match[2] and match[1] in found else ""
                found[match[1]] = path, number, before + match[3]
    if found.get("TLP_DISABLE_DEFAULTS", ("", 0, ""))[2] == "1":
        found = {key: value for key, value in found.items() if value[0] != _DEFAULTS}
    return found


def _is(subject: Subject, device: str) -> bool:
    """A kernel name, or what stands in ``/dev/disk/by-id`` (``ata-MODEL_SERIAL``)."""
    device = re.sub(r"-part[1-9]\d*$", "", device)
    bus, _, serial = device.partition("-")
    by_id = subject.udev.get("ID_SERIAL", "") if bus in ("ata", "usb", "nvme") else ""
    link = subject.tree.link(f"dev/disk/by-id/{device}") or ""
    return subject.disk.name in (device, link.rpartition("/")[2]) or (bool(by_id) and serial == by_id)


def _runs(subject: Subject) -> Verdict:
    """Its service sets all disks at a start. Its udev rules set those that they match though the service is disabled,
    and start TLP when the power source changes."""
    started = is_started(subject, "tlp.service")
    rules = merged_folder(subject.tree, FOLDERS, _RULES)
    if started is not False or not rules:
        return started
    lines = [line for path in rules for _, line in logical_lines(subject.tree.text(path) or "")]
    matcher = Matcher(subject, "add")
    return any(matcher.matches(tokens_of(line)) for line in lines if "tlp-usb-udev disk" in line) or None
