# SPDX-License-Identifier: GPL-3.0-or-later
"""Asks those who decide about queues, each once for a look at many disks, and puts what they say in its order.

Of units, lists of settings, scripts and jobs systemd says whether they are worked through, TuneD and TLP speak for
themselves; who can't be asked only mentions.
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

from disktuner.block.asking import LIMIT_S, Ask
from disktuner.block.configuration import lines_of, named, text_of
from disktuner.block.disk import Disk
from disktuner.block.rule_files import RULE_FOLDERS, read_rules
from disktuner.block.sysfs import Tree
from disktuner.block.tuned import profile_options
from disktuner.block.writers.rules import rule_writers
from disktuner.block.writers.texts import SETS, effects, script_writers
from disktuner.block.writers.udevadm import Event, events
from disktuner.block.writers.writer import ACTING, BOOT, MENTIONED, OTHERS, Standing, State, Subject, Writer
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
"""Who works through files: by whom, the unit that does, nothing where nobody can be asked, the ending of names, and
files or folders of them."""

_GOOGLE_CONFIGURATION = "etc/default/instance_configs.cfg"
_FOLDERS = tuple(f"{place}/systemd/system" for place in ("etc", "run", "usr/local/lib", "usr/lib"))
_SHOWN = ("Id,LoadState,ActiveState,UnitFileState,FragmentPath,DropInPaths,TriggeredBy,WantedBy,"
          "ExecMainStartTimestampMonotonic,ExecStart,ExecStartPre,ExecStartPost")  # fmt: skip
_STARTS = re.compile(r"(?m)^[ \t]*Exec\w+[ \t]*=[ \t]*[-@:+!]*(?:\S*/(?:ba)?sh[ \t]+)?(/\S+)")


_READ_BY = {
    "udevadm": ((*RULE_FOLDERS, "etc/udev/udev.conf"), ".rules"),
    "systemd-tmpfiles": (_TMPFILES, ".conf"),
    "tlp-stat": (("etc/tlp.d", "etc/default/tlp", "etc/tlp.conf"), ".conf"),
}
"""What a program reads before it answers: files, and folders of those whose names end so."""


class Asking:
    """Asks programs for one look: none that would wait at a pipe or read without an end, none twice that was slow."""

    def __init__(self, tree: Tree, ask: Ask) -> None:
        self._tree, self._ask = tree, ask
        self._slow: set[str] = set()

    def __call__(self, program: str, *words: str, log: bool = False) -> str | None:
        """Ask as ``ask`` does; None, too, where it is not asked."""
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
    """The units of a machine that are about queues, and those of ``_OWNERS``, of all of which systemd is asked once."""

    def __init__(self, tree: Tree, ask: Ask) -> None:
        self._tree, self._ask = tree, ask

    def standing(self, unit: str) -> Standing:
        """Whether a unit is started with the computer, or runs now; of a pattern, how the best one stands."""
        if not unit or not self._shown:
            return MENTIONED
        found = (_of_unit(shown) for shown in self._shown if fnmatch.fnmatch(shown["Id"], unit))
        return min(found, key=lambda one: list(State).index(one[0]), default=_of_unit({}))

    def writers(self, subject: Subject) -> Iterator[Writer]:
        """Yield what units and their scripts set; systemd says which of their lines count, and whether they run."""
        for unit, file in self._files:
            standing = self.standing(unit)
            for one in script_writers(subject, "systemd", file, standing):
                of_unit = standing == ACTING and file.endswith((".service", ".conf"))
                yield self._in_effect(subject, one) if of_unit else one

    def _in_effect(self, subject: Subject, line: Writer) -> Writer:
        """A line that is not among what systemd would run is of another instance, or another came in its place."""
        mine = [one for one in self._shown if line.file in (one["FragmentPath"], *one["DropInPaths"].split())]
        texts = (text for one in mine for key, text in one.items() if key.startswith("ExecStart"))
        for run in (run for text in texts for run in effects(subject, text)):
            if (run.attribute, run.value) == (line.attribute, line.value):
                return replace(line, state=run.state)
        return line.stands(OTHERS if line.state is State.MENTIONS else (State.DEAD, message("dead-replaced")))

    @cached_property
    def _shown(self) -> Sequence[Mapping[str, str]]:
        """What systemd says of them, nothing where it does not answer."""
        owned = {*(unit for _, unit, _, _ in _OWNERS if unit), *(unit for _, unit, *_ in _SERVICES)}
        names = sorted({*owned, *(unit for unit, _ in self._files)})
        said = self._ask("systemctl", "show", "--all", f"--property={_SHOWN}", "--", *names) or ""
        return [dict(line.partition("=")[::2] for line in each.splitlines()) for each in said.split("\n\n") if each]

    @cached_property
    def _files(self) -> Sequence[tuple[str, str]]:
        """The units that are about queues (of templates a pattern), each with a file, or a script that it starts."""
        found = []
        for folder in _FOLDERS:
            for name in (one for one in self._tree.names(folder) if one.endswith((".service", ".service.d"))):
                unit = name.removesuffix(".d").replace("@.", "@*.")
                for path in [f"{name}/{one}" for one in self._tree.names(f"{folder}/{name}")] or [name]:
                    text = text_of(self._tree, f"{folder}/{path}")
                    starts = _STARTS.findall(text) if folder != _FOLDERS[-1] else []
                    found += [(unit, f"/{folder}/{path}")] if SETS.search(text) else []
                    found += [(unit, one) for one in starts if self._is_script(one)]
        return found

    def _is_script(self, path: str) -> bool:
        start = self._tree.octets(path[1:], 65_536) or b""
        return start.startswith(b"#!") and SETS.search(start.decode("utf-8", "replace")) is not None


def _of_unit(shown: Mapping[str, str]) -> Standing:
    """How a unit stands; of one that systemd does not know, nothing is shown."""
    if shown.get("LoadState") == "masked":
        return State.DEAD, message("dead-masked")
    has_started = shown.get("ExecMainStartTimestampMonotonic", "").strip("0")
    is_wanted = shown.get("UnitFileState", "").startswith("enabled") or shown.get("WantedBy")
    if has_started or is_wanted or shown.get("ActiveState") == "active":
        return ACTING
    return MENTIONED if shown.get("TriggeredBy") else (State.DEAD, message("dead-not-started"))


def tuned_writers(subject: Subject, ask: Ask, units: Units) -> Iterator[Writer]:
    """Yield what the active profile sets; TuneD says which of its sections has the disk."""
    for one in profile_options(subject.tree):
        standing, is_of_disks = units.standing("tuned.service"), one.key in ("elevator", "readahead")
        if one.section == one.key == "script":
            script = one.value.replace("${i:PROFILE_DIR}", one.file.rpartition("/")[0])
            yield from script_writers(subject, "tuned", script, standing)
        elif is_of_disks or SETS.search(one.key):
            standing = _of_section(subject, ask, one.section) if is_of_disks and standing == ACTING else standing
            for effect in effects(subject, f"{one.key}={one.value}", "tuned", one.file):
                yield replace(effect, line=one.line).stands(standing)


def _of_section(subject: Subject, ask: Ask, section: str) -> Standing:
    """Whether a section has the disk: TuneD has told that since 2.22."""
    sections = ask("tuned-adm", "get_instances", "disk")
    if sections and f"{section} (disk)" not in sections.splitlines():
        return OTHERS
    disks = ask("tuned-adm", "instance_get_devices", section) if sections else sections
    if disks is None:
        return State.OPEN, message("open-tuned")
    return ACTING if subject.disk.name in disks.split() else OTHERS


_SETTING = re.compile(r'(?m)^[ \t]*(\S+) L0*(\d+): (DISK_DEVICES|DISK_IOSCHED)="?([^"\n]*)')


def tlp_writers(subject: Subject, ask: Ask, units: Units) -> Iterator[Writer]:
    """Yield the line of ``DISK_IOSCHED`` for each device in ``DISK_DEVICES`` that is the disk."""
    paths = named(subject.tree, ("etc/tlp.d", "etc/default/tlp", "etc/tlp.conf"), ".conf")
    lines = (f"/{path} L{number}: {line}" for path in paths for number, line in lines_of(subject.tree, path))
    found = {name: (file, int(line), value.split())
             for file, line, name, value in _SETTING.findall(ask("tlp-stat", "-c") or "\n".join(lines))}  # fmt: skip
    _, _, devices = found.get("DISK_DEVICES", ("", 0, []))
    file, line, chosen = found.get("DISK_IOSCHED", ("", 0, []))
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
"""Services that set queues at each start, as a line of their own configuration tells: who, the unit, files, the line,
and what it sets. Sources: scripts/perftune.py of Seastar, rpk redpanda tune, setIOScheduler in google_guest_agent.
"""

_OF_ITS_DATA = ("scylla", "redpanda")
_NOT_SET_UP = re.compile(r"^\s*network_enabled\s*=\s*false", re.MULTILINE | re.IGNORECASE)


def service_writers(subject: Subject, units: Units) -> Iterator[Writer]:
    """Yield what services set by themselves; a database only knows itself which disks hold its data."""
    for who, unit, files, line, sets in _SERVICES:
        path = next((path for path in files if subject.tree.is_file(path)), None)
        is_off = who == "google-guest-agent" and _NOT_SET_UP.search(text_of(subject.tree, _GOOGLE_CONFIGURATION))
        if path is None or is_off:
            continue
        standing = units.standing(unit)
        if standing == ACTING and who in _OF_ITS_DATA:
            standing = State.OPEN, message("open-service", who=who)
        for number, said in lines_of(subject.tree, path):
            if re.match(line, said, re.IGNORECASE):
                yield from (Writer(who, f"/{path}", number, *each).stands(standing) for each in sets.items())


_READS_ELEVATOR = re.compile(r'IMPORT\{cmdline\}\s*=+\s*"elevator"')


class Owners:
    """All that set queues on a machine; ``ask`` is None for a recorded one, whose lines are listed, not judged."""

    def __init__(self, tree: Tree, ask: Ask | None) -> None:
        self._tree = tree
        self._is_live = ask is not None
        self._ask: Ask = cache(Asking(tree, ask) if ask else (lambda *_, **__: None))
        self._rules = list(read_rules(tree, SETS))
        self._units = Units(tree, self._ask)

    def writers_of(self, subjects: Iterable[Subject]) -> list[tuple[Writer, ...]]:
        """Return all that may set each disk's queue, in the order in which they act at a start of the computer."""
        subjects = [replace(subject, tree=self._tree) for subject in subjects]
        files = tuple(dict.fromkeys(rule.file for rule in self._rules))
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            asked = list(pool.map(partial(events, self._ask, files), subjects))
        return [self._in_order(self._all(*pair), pair[0].disk) for pair in zip(subjects, asked, strict=True)]

    def _all(self, subject: Subject, asked: Sequence[Event] | None) -> Iterator[Writer]:
        yield from rule_writers(subject, self._rules, asked)
        for who, unit, suffix, places in _OWNERS:
            for path in self._files(suffix, places):
                standing = self._elevator if who in BOOT else self._units.standing(unit)
                yield from script_writers(subject, who, path, standing)
        yield from self._units.writers(subject)
        yield from service_writers(subject, self._units)
        yield from tuned_writers(subject, self._ask, self._units)
        yield from tlp_writers(subject, self._ask, self._units)

    def _files(self, suffix: str, places: Sequence[str]) -> list[str]:
        said = self._ask("systemd-tmpfiles", "--cat-config") if places == _TMPFILES else None
        found = re.findall(r"(?m)^# (/\S+\.conf)$", said or "")
        return found or [f"/{path}" for path in named(self._tree, places, suffix)]

    @cached_property
    def _elevator(self) -> Standing:
        """What ``elevator=`` does: nothing, unless a rule of udev's reads it."""
        for rule in read_rules(self._tree, _READS_ELEVATOR):
            if _READS_ELEVATOR.search(rule.text):
                return State.MENTIONS, message("elevator-read", place=f"{rule.file}:{rule.lines[0]}")
        return State.DEAD, message("elevator")

    def _in_order(self, writers: Iterable[Writer], disk: Disk) -> tuple[Writer, ...]:
        """Say of each which later one has the last word; what udev does at every change comes again later still."""
        taken = (one.as_its_kernel_takes_it(disk) for one in writers)
        found = sorted(taken, key=lambda one: one.who not in BOOT)
        if not self._is_live:
            return tuple(
                one if one.ours or not (one.may_write or one.who in BOOT) else one.stands(MENTIONED) for one in found
            )
        acting = [one for one in found if one.state is State.ACTS and one.who != "udev"]
        last = {one.attribute: one for one in acting}
        of_file = {(one.attribute, one.file): one for one in acting}
        ordered = (one.beaten_by(of_file.get((one.attribute, one.file))) for one in found)
        return tuple(one if one.on_change else one.beaten_by(last.get(one.attribute)) for one in ordered)
