# SPDX-License-Identifier: GPL-3.0-or-later
"""What systemd's units, TuneD and TLP set, and what is started at all, as they say themselves."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

from disktuner.block.configuration import lines_of, named, text_of
from disktuner.block.sysfs import Tree
from disktuner.block.tuned import profile_options
from disktuner.block.writers.asking import Ask
from disktuner.block.writers.texts import SETS, effects, script_writers
from disktuner.block.writers.writer import ACTING, MENTIONED, OTHERS, UNIT, Standing, State, Subject, Writer
from disktuner.vocabulary.messages import message

_FOLDERS = tuple(f"{place}/systemd/system" for place in ("etc", "run", "usr/local/lib", "usr/lib"))
_SHOWN = ("Id,LoadState,ActiveState,UnitFileState,FragmentPath,DropInPaths,TriggeredBy,WantedBy,"
          "ExecMainStartTimestampMonotonic,ExecStart,ExecStartPre,ExecStartPost")  # fmt: skip
_STARTS = re.compile(r"Exec\w+\s*=\s*[-@:+!]*(?:\S*/(?:ba)?sh\s+)?(/\S+)")


class Units:
    """The units of a machine: those that are about queues and ``others``, of all of which systemd is asked once."""

    def __init__(self, tree: Tree, ask: Ask, others: Collection[str]) -> None:
        self._tree, self._ask, self._others = tree, ask, others

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
            for one in script_writers(subject, UNIT, file, standing):
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
        names = sorted({*self._others, *(unit for unit, _ in self._files)})
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
    has = sections is not None and f"{section} (disk)" in sections.splitlines()
    disks = ask("tuned-adm", "instance_get_devices", section) if has else sections and ""
    if disks is None:
        return State.OPEN, message("open-tuned")
    return ACTING if subject.disk.name in disks.split() else OTHERS


_TLP = ("etc/tlp.d", "etc/default/tlp", "etc/tlp.conf")
_SETTING = re.compile(r'(\S+) L0*(\d+): (DISK_DEVICES|DISK_IOSCHED)="?([^"\n]*)')


def tlp_writers(subject: Subject, ask: Ask, units: Units) -> Iterator[Writer]:
    """Yield the line of ``DISK_IOSCHED`` for each device in ``DISK_DEVICES`` that is the disk."""
    lines = (f"/{path} L{number}: {line}" for path in named(subject.tree, _TLP, ".conf")
             for number, line in lines_of(subject.tree, path))  # fmt: skip
    found = {name: (file, int(line), value.split())
             for file, line, name, value in _SETTING.findall(ask("tlp-stat", "-c") or "\n".join(lines))}  # fmt: skip
    _, _, devices = found.get("DISK_DEVICES", ("", 0, []))
    file, line, chosen = found.get("DISK_IOSCHED", ("", 0, []))
    for device, scheduler in zip(devices, chosen, strict=False):
        is_called = subject.is_called(f"/dev/disk/by-id/{device}" if "-" in device else device)
        if is_called and scheduler not in ("keep", "_"):
            yield Writer("tlp", file, line, "queue/scheduler", scheduler).stands(units.standing("tlp.service"))
