# SPDX-License-Identifier: GPL-3.0-or-later
"""Which settings of other programs a recording keeps, and what is left of them: lines about queues, without names."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection

FOLDERS = (
    "etc/udev/rules.d", "run/udev/rules.d", "usr/local/lib/udev/rules.d", "usr/lib/udev/rules.d", "etc/tuned",
    "etc/tlp.d", "etc/tmpfiles.d", "etc/sysfs.d", "etc/systemd/system", "etc/cloud/cloud.cfg.d",
    "var/lib/cloud/scripts/per-boot", "etc/default/grub.d", "boot/loader/entries",
)  # fmt: skip
FILES = (
    "etc/sysfs.conf", "etc/rc.local", "etc/rc.d/rc.local", "etc/tlp.conf", "etc/default/tlp", "etc/cloud/cloud.cfg",
    "etc/default/grub", "etc/kernel/cmdline", "proc/cmdline", "usr/lib/systemd/system/google-guest-agent.service",
    "boot/cmdline.txt", "boot/firmware/cmdline.txt", "boot/extlinux/extlinux.conf",
)  # fmt: skip
_KEPT = re.compile(
    r"queue/|scheduler|DISK_(?:DEVICES|IOSCHED)|readahead|include|GOTO|LABEL|^\[|devices|type|ExecStart=\S*google"
)
_ELEVATOR = re.compile(r"(?:^|(?<=[\s\"'=]))elevator=[\w-]+")
_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_IDENTITY = re.compile(
    r"((?:ENV\{(?:ID_\w*(?:SERIAL|WWN|LABEL|UUID|PATH)\w*|DM_\w+)\}|ATTRS?\{[\w/]*(?:serial|wwid|uuid|dm/name)\})"
    r'\s*[!=]=\s*[ie]?")([^"]*)'
)


def is_kept(path: str, text: str) -> bool:
    """Whether a file in one of the folders says anything of queues."""
    return "queue/" in text or "elevator=" in text or "etc/tuned" in path or "etc/tlp" in path


def about_queues(text: str, hidden: Callable[[str], str], secrets: Collection[str]) -> str:
    """The lines that are about queues, in their places, other lines empty.

    Replaced by ``hidden``: identities that rules ask for, UUIDs, and ``secrets`` (serial numbers that were seen).
    """
    lines = "\n".join(_line(line) for line in text.splitlines()) + "\n"
    lines = _IDENTITY.sub(lambda match: match[1] + hidden(match[2]), lines)
    lines = _UUID.sub(lambda match: hidden(match[0]), lines)
    for secret in sorted(secrets, key=len, reverse=True):
        lines = lines.replace(secret, hidden(secret))
    return lines


def _line(line: str) -> str:
    elevators = _ELEVATOR.findall(line)
    if elevators and not line.lstrip().startswith("#"):
        return " ".join(elevators)  # a command line tells more of a machine than that
    return line if _KEPT.search(line) else ""
