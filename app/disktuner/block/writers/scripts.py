# SPDX-License-Identifier: GPL-3.0-or-later
"""Shell commands that write into queues: start scripts, systemd units and the scripts they start, cloud agents."""

from __future__ import annotations

import re
from collections.abc import Iterator

from disktuner.block.writers.writer import Subject, Writer, lines_of
from disktuner.vocabulary.messages import message

_START = (
    "etc/rc.local",
    "etc/rc.d/rc.local",
    "etc/init.d/boot.local",
    "etc/conf.d/local.start",
    "etc/local.d/disk.start",
)
_UNITS = "etc/systemd/system"
_CLOUD_INIT = ("etc/cloud/cloud.cfg.d", ".cfg"), ("var/lib/cloud/scripts/per-boot", "")
_ECHO = re.compile(r"(?:echo|printf)\s+(?:-n\s+)?[\"']?([\w-]+)[\"']?\s*(?:>|\|\s*(?:sudo\s+)?tee)\s*(\S+)")
_QUEUE_PATH = re.compile(r"/?(?:sys/)?(?:block|class/block)/([^/\s]+)/(queue/(?:iosched/)?\w+)")
_STARTS = re.compile(r"Exec(?:Start|StartPre|StartPost)\s*=\s*[-@:+!]*(?:/bin/|/usr/bin/)?(?:(?:ba)?sh\s+)?(/\S+)")
_SCRIPT_BYTES = 65_536
_GOOGLE = "Google Compute Engine"
_GOOGLE_UNITS = (
    "usr/lib/systemd/system/google-guest-agent.service",
    "lib/systemd/system/google-guest-agent.service",
)


def script_writers(subject: Subject) -> Iterator[Writer]:
    """All of them, in the usual order of a start."""
    for path in _START:
        yield from _echoes(subject, "rc.local", path)
    yield from _units(subject)
    yield from _cloud_init(subject)
    yield from _google(subject)


def queue_path(text: str) -> tuple[str, str] | None:
    """The disk (a pattern) and the attribute that a path in ``/sys/block`` names."""
    match = _QUEUE_PATH.search(text)
    return None if match is None else (match[1], attribute_name(match[2]))


def attribute_name(path: str) -> str:
    """``queue/iosched/slice_idle`` is called ``iosched/slice_idle``."""
    return path.removeprefix("queue/") if "/iosched/" in path else path


def _units(subject: Subject) -> Iterator[Writer]:
    """Units of the administrator or of an agent (AKS: disk_queue.service), and the scripts that they start."""
    for name in subject.tree.names(_UNITS):
        if not name.endswith(".service"):
            continue
        yield from _echoes(subject, "systemd unit", f"{_UNITS}/{name}")
        for _, line in lines_of(subject.tree, f"{_UNITS}/{name}"):
            match = _STARTS.match(line)
            script = match[1].lstrip("/") if match else ""
            if script and (subject.tree.octets(script, _SCRIPT_BYTES) or b"").startswith(b"#!"):
                yield from _echoes(subject, "systemd unit", script)


def _cloud_init(subject: Subject) -> Iterator[Writer]:
    """Commands that cloud-init runs at a start (``bootcmd``, ``runcmd``) and its scripts for each boot."""
    yield from _echoes(subject, "cloud agent", "etc/cloud/cloud.cfg")
    for folder, suffix in _CLOUD_INIT:
        for name in subject.tree.names(folder):
            if name.endswith(suffix):
                yield from _echoes(subject, "cloud agent", f"{folder}/{name}")


def _google(subject: Subject) -> Iterator[Writer]:
    """Google's guest agent writes ``none`` to every disk with hardware queues whenever it starts.

    Source: setIOScheduler in google_guest_agent/instance_setup.go of GoogleCloudPlatform/guest-agent. The agents of
    Azure and Amazon set no scheduler themselves; what they bring are udev rules, and those count as such.
    """
    unit = next((path for path in _GOOGLE_UNITS if subject.tree.octets(path) is not None), None)
    if unit is None or not subject.tree.exists(f"sys/block/{subject.disk.name}/mq"):
        return
    product = subject.tree.text("sys/class/dmi/id/product_name")
    masked = subject.tree.link(f"{_UNITS}/google-guest-agent.service") == "/dev/null"
    applies = False if masked else (None if product is None else product == _GOOGLE)
    note = None if masked else message("google-agent")
    for number, line in lines_of(subject.tree, unit):
        if line.startswith("ExecStart="):
            yield Writer("cloud agent", f"/{unit}", number, "queue/scheduler", "none", applies, note=note)


def _echoes(subject: Subject, who: str, path: str) -> Iterator[Writer]:
    """``echo deadline > /sys/block/sda/queue/scheduler``, also in loops over several disks (undecided)."""
    for number, line in lines_of(subject.tree, path):
        match = _ECHO.search(line)
        where = queue_path(match[2].strip("\"'")) if match else None
        if match is None or where is None:
            continue
        applies = None if "$" in where[0] else subject.is_called(where[0])
        if applies is not False:
            yield Writer(who, f"/{path}", number, where[1], match[1], applies)
