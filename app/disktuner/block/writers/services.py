# SPDX-License-Identifier: GPL-3.0-or-later
"""What systemd's units, TuneD and TLP set, and what is started at all, as they say themselves."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

from disktuner.block.configuration import lines_of, named, text_of
from disktuner.block.sysfs import Tree
from disktuner.block.tuned import profile_options
from disktuner.block.writers.asking import Ask
from disktuner.block.writers.texts import READ_AHEAD, SETS, effects, script_writers
from disktuner.block.writers.writer import UNIT, Standing, State, Subject, Writer
from disktuner.vocabulary.messages import message

MENTIONED: Standing = State.MENTIONS, None
NOT_STARTED: Standing = State.DEAD, message("dead-not-started")

_FOLDERS = tuple(f"{place}/systemd/system" for place in ("etc", "run", "usr/local/lib", "usr/lib"))
_OF_OTHERS = ("systemd-tmpfiles-setup.service", "sysfsutils.service", "rc-local.service", "tlp.service",
              "tuned.service")  # fmt: skip
_SHOWN = ("Id", "LoadState", "ActiveState", "UnitFileState", "FragmentPath", "DropInPaths", "ExecStart", "ExecStartPre",
          "ExecStartPost", "ExecMainStartTimestampMonotonic", "TriggeredBy", "WantedBy")  # fmt: skip
_STARTS = re.compile(r"Exec\w+\s*=\s*[-@:+!]*(?:\S*/(?:ba)?sh\s+)?(/\S+)")
_Unit = Mapping[str, str]


class Units:
    """The units of a machine, of all of which systemd is asked once."""

    def __init__(self, tree: Tree, ask: Ask) -> None:
        self._tree, self._ask = tree, ask

    def standing(self, unit: str) -> Standing:
        """Whether a unit is started with the computer, or runs now; of a pattern, how the best one stands."""
        if (shown := self._of(unit)) is None:
            return MENTIONED
        return min(map(_of_unit, shown), key=lambda one: list(State).index(one[0]), default=NOT_STARTED)

    def writers(self, subject: Subject) -> Iterator[Writer]:
        """Yield what units and their scripts set; systemd says which of their lines count, and whether they run."""
        for unit, file in self._files:
            standing = self.standing(unit)
            for one in script_writers(subject, UNIT, file, standing):
                of_unit = standing[0] is State.ACTS and file.endswith((".service", ".conf"))
                yield _in_effect(subject, one, self._of(unit) or ()) if of_unit else one

    def _of(self, unit: str) -> Sequence[_Unit] | None:
        """What systemd says of units, None where it says nothing."""
        return None if self._shown is None else [one for one in self._shown if fnmatch.fnmatch(one["Id"], unit)]

    @cached_property
    def _shown(self) -> Sequence[_Unit] | None:
        names = sorted({*_OF_OTHERS, *(unit for unit, _ in self._files)})
        said = self._ask("systemctl", "show", "--all", f"--property={','.join(_SHOWN)}", "--", *names)
        blocks = () if said is None else said.split("\n\n")
        return [dict(line.partition("=")[::2] for line in each.splitlines()) for each in blocks if each] or None

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
        start = (self._tree.octets(path[1:], 65_536) or b"").decode("utf-8", "replace")
        return start.startswith("#!") and SETS.search(start) is not None


def _of_unit(shown: _Unit) -> Standing:
    if shown["LoadState"] == "masked":
        return State.DEAD, message("dead-masked")
    started = shown["ExecMainStartTimestampMonotonic"] not in ("", "0") or shown["ActiveState"] == "active"
    if started or shown["UnitFileState"].startswith("enabled") or shown["WantedBy"]:
        return State.ACTS, None
    return MENTIONED if shown["TriggeredBy"] else NOT_STARTED


def _in_effect(subject: Subject, line: Writer, shown: Sequence[_Unit]) -> Writer:
    """A line that is not among what systemd would run is of another instance, or another file came in its place."""
    mine = (one for one in shown if line.file in (one["FragmentPath"], *one["DropInPaths"].split()))
    texts = (text for one in mine for key, text in one.items() if key.startswith("ExecStart"))
    for run in (run for text in texts for run in effects(subject, text)):
        if (run.attribute, run.value) == (line.attribute, line.value):
            return replace(line, state=run.state)
    is_filled_in = line.state is State.MENTIONS
    return line.stands((State.OTHER_DISKS, None) if is_filled_in else (State.DEAD, message("dead-replaced")))


_OF_DISKS = {"elevator": "queue/scheduler", "readahead": READ_AHEAD}
_FILES = ("etc/tlp.d", "etc/default/tlp", "etc/tlp.conf")
_SETTING = re.compile(r'(\S+) L0*(\d+): (DISK_DEVICES|DISK_IOSCHED|TLP_ENABLE)="?([^"\n]*)')
_NONE = ("", "0", "")


def tlp_writers(subject: Subject, ask: Ask, units: Units) -> Iterator[Writer]:
    """Yield the line of ``DISK_IOSCHED`` for each device in ``DISK_DEVICES`` that is the disk."""
    lines = (f"/{path} L{number}: {line}" for path in named(subject.tree, _FILES, ".conf")
             for number, line in lines_of(subject.tree, path))  # fmt: skip
    said = ask("tlp-stat", "-c") or "\n".join(lines)
    found = {name: (path, line, value) for path, line, name, value in _SETTING.findall(said)}
    path, line, chosen = found.get("DISK_IOSCHED", _NONE)
    file = path if path.startswith("/") else f"/usr/share/tlp/{path}"
    standing = NOT_STARTED if found.get("TLP_ENABLE", _NONE)[2] == "0" else units.standing("tlp.service")
    for device, scheduler in zip(found.get("DISK_DEVICES", _NONE)[2].split(), chosen.split(), strict=False):
        is_kept = scheduler in ("keep", "_")
        if not is_kept and subject.is_called(f"/dev/disk/by-id/{device}" if "-" in device else device):
            yield Writer("tlp", file, int(line), "queue/scheduler", scheduler, *standing)


def tuned_writers(subject: Subject, ask: Ask, units: Units) -> Iterator[Writer]:
    """Yield what sets the disk, or may."""
    for one in profile_options(subject.tree):
        standing = units.standing("tuned.service")
        if one.key in _OF_DISKS:
            standing = _of_section(subject, ask, one.section) if standing[0] is State.ACTS else standing
            yield Writer("tuned", one.file, one.line, _OF_DISKS[one.key], one.value, *standing)
        elif one.section == one.key == "script":
            script = one.value.replace("${i:PROFILE_DIR}", one.file.rpartition("/")[0])
            yield from script_writers(subject, "tuned", script, standing)
        for setting in effects(subject, f"{one.key}={one.value}"):
            yield Writer("tuned", one.file, one.line, setting.attribute, setting.value, *standing)


def _of_section(subject: Subject, ask: Ask, section: str) -> Standing:
    """Whether a section has the disk: TuneD has told that since 2.22."""
    sections = ask("tuned-adm", "get_instances", "disk")
    if sections is None:
        return State.OPEN, message("open-tuned")
    has = f"{section} (disk)" in sections.splitlines()
    disks = (ask("tuned-adm", "instance_get_devices", section) or "").split() if has else []
    return (State.ACTS if subject.disk.name in disks else State.OTHER_DISKS), None
