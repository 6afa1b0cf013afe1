# SPDX-License-Identifier: GPL-3.0-or-later
"""Asks the owners of settings about queues, each once for a look at many disks, and puts the answers in order.

systemd knows whether units, lists of settings, scripts and jobs are applied; TuneD and TLP answer for themselves; the
lines of owners that cannot be asked only count as mentions.
"""

from __future__ import annotations

import fnmatch
import os
import re
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cache, cached_property, partial
from pathlib import PurePosixPath

from disktuner.block.asking import LIMIT_S, Ask, ask
from disktuner.block.disk import Disk
from disktuner.block.rule_files import RULE_FOLDERS, read_rules
from disktuner.block.sysfs import OnceReadTree, Tree, lines_of, named, text_of
from disktuner.block.system import System
from disktuner.block.tuned import active_profile
from disktuner.block.writers.rules import rule_writers, rules_that_set
from disktuner.block.writers.texts import SETS, effects, is_script, script_writers
from disktuner.block.writers.tmpfiles import tmpfiles_writers
from disktuner.block.writers.udevadm import UdevEvent, events
from disktuner.block.writers.writer import ACTING, BOOT, MENTIONED, OTHERS, LineState, Standing, Subject, Writer
from disktuner.vocabulary.messages import message

_TMPFILES = ("etc/tmpfiles.d", "run/tmpfiles.d", "usr/local/lib/tmpfiles.d", "usr/lib/tmpfiles.d")
_OWNERS = (
    (BOOT[0], "", "", ("proc/cmdline",)),
    (BOOT[1], "", "", ("etc/default/grub", "etc/kernel/cmdline")),
    ("tmpfiles.d", "systemd-tmpfiles-setup.service", ".conf", _TMPFILES),
    ("sysfs.conf", "sysfsutils.service", "", ("etc/sysfs.d", "etc/sysfs.conf")),
    ("rc.local", "rc-local.service", "", ("etc/rc.local", "etc/rc.d/rc.local", "etc/init.d/boot.local")),
    ("rc.local", "", ".start", ("etc/local.d",)),
    ("cron", "", "", ("etc/cron.d", "etc/crontab")),
    ("cloud-init", "", "", ("etc/cloud/cloud.cfg.d", "etc/cloud/cloud.cfg", "var/lib/cloud/scripts/per-boot")),
    ("hdparm", "", "", ("etc/hdparm.conf",)),
    ("tuned", "tuned.service", "", ()),
    ("tlp", "tlp.service", "", ()),
)
"""Owners of files: who, the unit (empty if nobody can be asked), the suffix of file names, and the files or folders."""

_GOOGLE_CONFIGURATION = "etc/default/instance_configs.cfg"
_FOLDERS = tuple(f"{place}/systemd/system" for place in ("etc", "run", "usr/local/lib", "usr/lib"))
_SHOWN = ("Id,LoadState,ActiveState,UnitFileState,FragmentPath,DropInPaths,TriggeredBy,WantedBy,"
          "ExecMainStartTimestampMonotonic,ExecStart,ExecStartPre,ExecStartPost,ExecStop,ExecStopPost,"
          "ExecReload")  # fmt: skip
_STARTS = re.compile(r"(?m)^[ \t]*Exec\w+[ \t]*=[ \t]*[-@:+!]*(?:\S*/(?:ba)?sh[ \t]+)?(/\S+)")


_READ_BY = {
    "udevadm": ((*RULE_FOLDERS, "etc/udev/udev.conf"), ".rules"),
    "systemd-tmpfiles": (_TMPFILES, ".conf"),
    "tlp-stat": (("etc/tlp.d", "etc/default/tlp", "etc/tlp.conf"), ".conf"),
}
"""The files that a program reads before it answers, or folders, with the suffix of files in them."""


class Asking:
    """Asks programs for one look; skips those that would block on a pipe or read forever, or that were slow before."""

    def __init__(self, tree: Tree, ask: Ask) -> None:
        self._tree, self._ask = tree, ask
        self._slow: set[str] = set()

    def __call__(self, program: str, *words: str, log: bool = False) -> str | None:
        """Ask as ``ask`` does; None also if the program is skipped."""
        places, suffix = _READ_BY.get(program, ((), ""))
        paths = (path for place in places for path in (place, *self._inside(place, suffix)))
        if program in self._slow or any(map(self._tree.is_endless, paths)):
            return None
        began_s = time.monotonic()
        answer = self._ask(program, *words, log=log)
        if time.monotonic() - began_s >= LIMIT_S:
            self._slow.add(program)
        return answer

    def _inside(self, place: str, suffix: str) -> Iterator[str]:
        return (f"{place}/{name}" for name in self._tree.names(place) if name.endswith(suffix))


class Units:
    """A machine's units that set queues, and those in ``_OWNERS``; systemd is asked about all of them at once."""

    def __init__(self, tree: Tree, ask: Ask) -> None:
        self._tree, self._ask = tree, ask

    def standing(self, unit: str) -> Standing:
        """Return whether a unit is started at boot or active; for a pattern, the best match's standing."""
        if not unit or not self._shown:
            return MENTIONED
        standings = (_of_unit(shown) for shown in self._shown if fnmatch.fnmatch(shown["Id"], unit))
        return min(standings, key=lambda standing: list(LineState).index(standing[0]), default=_of_unit({}))

    def writers(self, subject: Subject) -> Iterator[Writer]:
        """Yield what units and their scripts set; systemd tells which lines apply, and whether they run."""
        for unit, file in self._files:
            standing = self.standing(unit)
            for writer in script_writers(subject, "systemd", file, standing):
                of_unit = standing == ACTING and file.endswith((".service", ".conf"))
                yield self._in_effect(subject, writer) if of_unit else writer

    def _in_effect(self, subject: Subject, line: Writer) -> Writer:
        """Mark a line that systemd would not run: it is another instance's, or was replaced."""
        units = [unit for unit in self._shown if line.file in (unit["FragmentPath"], *unit["DropInPaths"].split())]
        commands = sorted((key, text) for unit in units for key, text in unit.items() if key.startswith("Exec"))
        for key, text in commands:  # those of ExecStart come before those of ExecStop
            for run in effects(subject, text):
                if (run.attribute, run.value) == (line.attribute, line.value):
                    return replace(line, state=run.state) if key.startswith("ExecStart") else line.stands(MENTIONED)
        return line.stands(OTHERS if line.state is LineState.MENTIONS else (LineState.DEAD, message("dead-replaced")))

    @cached_property
    def _shown(self) -> Sequence[Mapping[str, str]]:
        """systemd's properties of all units; empty if it does not answer."""
        owned = {*(unit for _, unit, _, _ in _OWNERS if unit), *(unit for _, unit, *_ in _SERVICES)}
        names = sorted({*owned, *(unit for unit, _ in self._files)})
        said = self._ask("systemctl", "show", "--all", f"--property={_SHOWN}", "--", *names) or ""
        return [_properties(paragraph) for paragraph in said.split("\n\n") if paragraph]

    @cached_property
    def _files(self) -> Sequence[tuple[str, str]]:
        """The units that set queues (a pattern for templates), each with a file or a script that it starts."""
        files = []
        for folder in _FOLDERS:
            for name in (entry for entry in self._tree.names(folder) if entry.endswith((".service", ".service.d"))):
                unit = name.removesuffix(".d").replace("@.", "@*.")
                for path in [f"{name}/{drop_in}" for drop_in in self._tree.names(f"{folder}/{name}")] or [name]:
                    text = text_of(self._tree, f"{folder}/{path}")
                    starts = _STARTS.findall(text) if folder != _FOLDERS[-1] else []
                    files += [(unit, f"/{folder}/{path}")] if SETS.search(text) else []
                    files += [(unit, script) for script in starts if is_script(self._tree, script)]
        return files


def _properties(paragraph: str) -> Mapping[str, str]:
    """Return properties by name; systemctl prints one line for each command of ExecStart."""
    values: dict[str, list[str]] = {}
    for name, _, value in (line.partition("=") for line in paragraph.splitlines()):
        values.setdefault(name, []).append(value)
    return {name: "\n".join(lines) for name, lines in values.items()}


def _of_unit(shown: Mapping[str, str]) -> Standing:
    """Return a unit's standing from its properties, which are empty if systemd does not know it."""
    if shown.get("LoadState") == "masked":
        return LineState.DEAD, message("dead-masked")
    has_started = shown.get("ExecMainStartTimestampMonotonic", "").strip("0")
    is_wanted = shown.get("UnitFileState", "").startswith("enabled") or shown.get("WantedBy")
    if has_started or is_wanted or shown.get("ActiveState") == "active":
        return ACTING
    return MENTIONED if shown.get("TriggeredBy") else (LineState.DEAD, message("dead-not-started"))


def tuned_writers(subject: Subject, ask: Ask, units: Units) -> Iterator[Writer]:
    """Yield what the active profile sets; TuneD tells which of its sections has the disk."""
    profile = active_profile(subject.tree)
    for option in profile.options:
        standing, section = units.standing("tuned.service"), profile.sections.get(option.section)
        of_disks = _OF_DISKS.get(option.key) if section and section.type == "disk" else None
        if option.section == option.key == "script":
            script = str(PurePosixPath(option.file).parent / option.value)  # TuneD takes it relative to its profile
            yield from script_writers(subject, "tuned", script, standing)
        elif of_disks:
            standing = _of_section(subject, ask, option.section) if standing == ACTING else standing
            value = _kib(option.value) if option.key == "readahead" else option.value
            yield Writer("tuned", option.file, option.line, of_disks, value).stands(standing)
        elif SETS.search(option.key):
            for effect in effects(subject, f"{option.key}={option.value}", "tuned", option.file):
                yield replace(effect, line=option.line).stands(standing)


_OF_DISKS = {"elevator": "queue/scheduler", "readahead": "queue/read_ahead_kb"}
_SECTORS = re.compile(r"(>?)\s*(\d+)\s+s.*")


def _kib(readahead: str) -> str:
    """Return a read-ahead, which may be in sectors (``_parse_ra`` in tuned/plugins/plugin_disk.py), in KiB."""
    return f"{in_sectors[1]}{int(in_sectors[2]) // 2}" if (in_sectors := _SECTORS.fullmatch(readahead)) else readahead


def _of_section(subject: Subject, ask: Ask, section: str) -> Standing:
    """Return whether a section has the disk, which TuneD tells since 2.22."""
    sections = ask("tuned-adm", "get_instances", "disk")
    if sections and f"{section} (disk)" not in sections.splitlines():
        return OTHERS
    disks = ask("tuned-adm", "instance_get_devices", section) if sections else sections
    if disks is None:
        return LineState.OPEN, message("open-tuned")
    return ACTING if subject.disk.name in disks.split() else OTHERS


_TLP_DEFAULTS = "usr/share/tlp/defaults.conf"
_SETTING = re.compile(r'(?m)^[ \t]*(\S+) L0*(\d+): (DISK_DEVICES|DISK_IOSCHED)="?([^"\n]*)')


def tlp_writers(subject: Subject, ask: Ask, units: Units) -> Iterator[Writer]:
    """Yield the ``DISK_IOSCHED`` line for each device in ``DISK_DEVICES`` that is the disk."""
    paths = [_TLP_DEFAULTS, *named(subject.tree, ("etc/tlp.d", "etc/default/tlp", "etc/tlp.conf"), ".conf")]
    lines = (f"/{path} L{number}: {line}" for path in paths for number, line in lines_of(subject.tree, path))
    settings = {name: (file, int(line), value.split())
                for file, line, name, value in _SETTING.findall(ask("tlp-stat", "-c") or "\n".join(lines))}  # fmt: skip
    _, _, devices = settings.get("DISK_DEVICES", ("", 0, []))
    file, line, chosen = settings.get("DISK_IOSCHED", ("", 0, []))
    for device, scheduler in zip(devices, chosen, strict=False):
        path = f"/dev/disk/by-id/{device}" if "-" in device else device
        if scheduler not in ("keep", "_") and subject.is_called(path):
            yield Writer("tlp", file, line, "queue/scheduler", scheduler).stands(units.standing("tlp.service"))


_TUNED_BY_SCYLLA = {"queue/scheduler": "none", "queue/nomerges": "2"}
_SERVICES: tuple[tuple[str, str, tuple[str, ...], str, Mapping[str, str]], ...] = (
    ("scylla", "scylla-server.service", ("etc/default/scylla-server", "etc/sysconfig/scylla-server"),
     r"SET_NIC_AND_DISKS\s*=\s*[\"']?yes\b", _TUNED_BY_SCYLLA),
    ("scylla", "scylla-server.service", ("etc/scylla.d/perftune.yaml",), r"-\s*disks\b", _TUNED_BY_SCYLLA),
    ("redpanda", "redpanda-tuner.service", ("etc/redpanda/redpanda.yaml",), r"tune_disk_scheduler:\s*true\b",
     {"queue/scheduler": "none"}),
    ("redpanda", "redpanda-tuner.service", ("etc/redpanda/redpanda.yaml",), r"tune_disk_nomerges:\s*true\b",
     {"queue/nomerges": "2"}),
    ("google-guest-agent", "google-guest-agent.service",
     ("etc/systemd/system/google-guest-agent.service", "usr/lib/systemd/system/google-guest-agent.service",
      "lib/systemd/system/google-guest-agent.service"), r"ExecStart=\S*google_guest_agent",
     {"queue/scheduler": "none"}),
)  # fmt: skip
"""Services that set queues at each start, according to their configuration: who, the unit, files, the line, and what it
sets. Sources: scripts/perftune.py of Seastar, rpk redpanda tune, setIOScheduler in google_guest_agent."""

_OF_ITS_DATA = ("scylla", "redpanda")
_NOT_SET_UP = re.compile(r"^\s*network_enabled\s*=\s*false", re.MULTILINE | re.IGNORECASE)


def service_writers(subject: Subject, units: Units) -> Iterator[Writer]:
    """Yield what services set; only a database itself knows which disks have its data."""
    for who, unit, files, line, sets in _SERVICES:
        path = next((path for path in files if subject.tree.is_file(path)), None)
        is_off = who == "google-guest-agent" and _NOT_SET_UP.search(text_of(subject.tree, _GOOGLE_CONFIGURATION))
        if path is None or is_off:
            continue
        standing = units.standing(unit)
        if standing == ACTING and who in _OF_ITS_DATA:
            standing = LineState.OPEN, message("open-service", who=who)
        for number, said in lines_of(subject.tree, path):
            if re.match(line, said, re.IGNORECASE):
                for attribute, value in sets.items():
                    yield Writer(who, f"/{path}", number, attribute, value).stands(standing)


def owners_on(system: System) -> Owners:
    """Return the owners of settings on a machine, for a look at many disks."""
    return Owners(OnceReadTree(system.sysroot), ask if system.is_live else None)


def writers_of(system: System, disk: Disk) -> tuple[Writer, ...]:
    """Return who else sets a disk's queue, with file and line."""
    return owners_on(system).writers_of([system.subject(disk)])[0]


_READS_ELEVATOR = re.compile(r'IMPORT\{cmdline\}\s*=+\s*"elevator"')


class Owners:
    """All owners of settings on a machine; ``ask`` is None for a recorded one, whose lines are not judged."""

    def __init__(self, tree: Tree, ask: Ask | None) -> None:
        self._tree = tree
        self._is_live = ask is not None
        self._ask: Ask = cache(Asking(tree, ask) if ask else (lambda *_, **__: None))
        self._rules = list(rules_that_set(tree))
        self._units = Units(tree, self._ask)

    def writers_of(self, subjects: Iterable[Subject]) -> list[tuple[Writer, ...]]:
        """Return all lines that may set each disk's queue, in the order in which they act at boot."""
        subjects = [replace(subject, tree=self._tree) for subject in subjects]
        files = tuple(dict.fromkeys(rule.file for rule in self._rules))
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            asked = list(pool.map(partial(events, self._ask, files), subjects))
        return [self._in_order(self._all(*pair), pair[0].disk) for pair in zip(subjects, asked, strict=True)]

    def _all(self, subject: Subject, asked: Sequence[UdevEvent] | None) -> Iterator[Writer]:
        yield from rule_writers(subject, self._rules, asked)
        for who, unit, suffix, places in _OWNERS:
            standing, files = self._elevator if who in BOOT else self._units.standing(unit), self._files(suffix, places)
            if places == _TMPFILES:
                yield from tmpfiles_writers(subject, files, standing)
                continue
            for path in files:
                yield from script_writers(subject, who, path, standing)
        yield from self._units.writers(subject)
        yield from service_writers(subject, self._units)
        yield from tuned_writers(subject, self._ask, self._units)
        yield from tlp_writers(subject, self._ask, self._units)

    def _files(self, suffix: str, places: Sequence[str]) -> list[str]:
        said = self._ask("systemd-tmpfiles", "--cat-config") if places == _TMPFILES else None
        files = re.findall(r"(?m)^# (/\S+\.conf)$", said or "")
        return files or [f"/{path}" for path in named(self._tree, places, suffix)]

    @cached_property
    def _elevator(self) -> Standing:
        """What ``elevator=`` does: nothing, unless a udev rule reads it."""
        for rule in read_rules(self._tree, _READS_ELEVATOR):
            if _READS_ELEVATOR.search(rule.text):
                return LineState.MENTIONS, message("elevator-read", place=f"{rule.file}:{rule.lines[0]}")
        return LineState.DEAD, message("elevator")

    def _in_order(self, writers: Iterable[Writer], disk: Disk) -> tuple[Writer, ...]:
        """Mark lines that a later one overrides, except those that udev repeats at every change."""
        taken = (writer.as_its_kernel_takes_it(disk) for writer in writers)
        in_order = sorted(taken, key=lambda writer: writer.who not in BOOT)
        if not self._is_live:
            return tuple(
                writer if writer.ours or not (writer.may_write or writer.who in BOOT) else writer.stands(MENTIONED)
                for writer in in_order
            )
        acting = [writer for writer in in_order if writer.state is LineState.ACTS and writer.who != "udev"]
        last = {writer.attribute: writer for writer in acting}
        of_file = {(writer.attribute, writer.file): writer for writer in acting}
        ordered = (writer.beaten_by(of_file.get((writer.attribute, writer.file))) for writer in in_order)
        return tuple(writer if writer.on_change else writer.beaten_by(last.get(writer.attribute)) for writer in ordered)
