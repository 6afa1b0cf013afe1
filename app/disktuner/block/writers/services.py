# SPDX-License-Identifier: GPL-3.0-or-later
"""What systemd's units and TLP set, and who is started at all, as systemctl and TLP say themselves."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

from disktuner.block.sysfs import Tree
from disktuner.block.writers.asking import Ask
from disktuner.block.writers.commands import SETS, effects, script_writers
from disktuner.block.writers.writer import Standing, State, Subject, Writer, lines_of, named, text_of
from disktuner.vocabulary.messages import message

UNIT = "systemd"
"""A writer's ``who``."""

_FOLDERS = tuple(f"{place}/systemd/system" for place in ("etc", "run", "usr/local/lib", "usr/lib"))
_SHOWN = ("Id", "LoadState", "ActiveState", "UnitFileState", "FragmentPath", "DropInPaths", "ExecStart", "ExecStartPre",
          "ExecStartPost", "ExecMainStartTimestampMonotonic", "TriggeredBy")  # fmt: skip
_STARTS = re.compile(r"Exec\w+\s*=\s*[-@:+!]*(?:\S*/(?:ba)?sh\s+)?(/\S+)")
_TLP_SETTING = re.compile(r'(\S+) L0*(\d+): (DISK_DEVICES|DISK_IOSCHED|TLP_ENABLE)="(.*)"')
_ALWAYS_THERE = "basic.target"
"""A unit that every computer has: where systemd runs, it has something to say."""
_NOT_STARTED: Standing = State.DEAD, message("dead-not-started")


class Services:
    """The services of a machine; ``ask`` is None where nobody can be asked, as on a recorded one."""

    def __init__(self, tree: Tree, ask: Ask | None) -> None:
        self._tree, self._ask = tree, ask

    def standing(self, *names: str) -> Standing:
        """Whether one of them is started with the computer, or runs now."""
        return _standing(self._show(names))

    def _show(self, names: Sequence[str]) -> list[Mapping[str, str]] | None:
        """What systemd says of units that it knows, None where it says nothing."""
        command = ("systemctl", "show", "--all", f"--property={','.join(_SHOWN)}", "--", *names, _ALWAYS_THERE)
        blocks = ((self._ask(*command) if self._ask else None) or "").split("\n\n")
        shown = [dict(line.partition("=")[::2] for line in block.splitlines()) for block in blocks if "Id=" in block]
        return [one for one in shown if one["Id"] != _ALWAYS_THERE] if shown else None

    def unit_writers(self, subject: Subject) -> Iterator[Writer]:
        """Yield what units and their scripts set; systemd says which of their lines count, and whether they run."""
        files = list(self._files)
        shown = self._show(sorted({unit for unit, _ in files})) if files else None
        for unit, file in files:
            mine = None if shown is None else [one for one in shown if fnmatch.fnmatch(one["Id"], unit)]
            state, why = _standing(mine)
            for one in script_writers(subject, UNIT, file, (state, why)):
                of_unit = state is State.ACTS and file.endswith((".service", ".conf"))
                yield _in_effect(subject, one, mine or ()) if of_unit else one

    @cached_property
    def _files(self) -> Sequence[tuple[str, str]]:
        """The units that are about queues (of templates a pattern), each with a file, or a script that it starts."""
        found = []
        for folder in _FOLDERS:
            for name in self._tree.names(folder):
                drop_ins = self._tree.names(f"{folder}/{name}") if name.endswith(".service.d") else []
                unit = name.removesuffix(".d").replace("@.", "@*.")
                for path in [name] if name.endswith(".service") else [f"{name}/{one}" for one in drop_ins]:
                    text = text_of(self._tree, f"{folder}/{path}")
                    starts = _STARTS.findall(text) if folder != _FOLDERS[-1] else []
                    found += [(unit, f"/{folder}/{path}")] if SETS.search(text) else []
                    found += [(unit, one) for one in starts if self._is_script(one)]
        return found

    def _is_script(self, path: str) -> bool:
        text = (self._tree.octets(path[1:], 65_536) or b"").decode("utf-8", "replace")
        return text.startswith("#!") and SETS.search(text) is not None


def _in_effect(subject: Subject, line: Writer, shown: Sequence[Mapping[str, str]]) -> Writer:
    """A line that is not among what systemd would run is of another instance, or another file came in its place."""
    mine = (one for one in shown if line.file in (one.get("FragmentPath"), *one.get("DropInPaths", "").split()))
    texts = (text for one in mine for key, text in one.items() if key.startswith("ExecStart"))
    runs = (run for text in texts for run in effects(subject, text))
    run = next((run for run in runs if (run.attribute, run.value) == (line.attribute, line.value)), None)
    if run is not None:
        return replace(line, state=run.state)
    if line.state is State.MENTIONS:
        return replace(line, state=State.OTHER_DISKS)
    return replace(line, state=State.DEAD, why=message("dead-replaced"))


def _standing(shown: Sequence[Mapping[str, str]] | None) -> Standing:
    """How the best of these units stands."""
    if shown is None:
        return State.MENTIONS, None
    return min(map(_of_unit, shown), key=lambda one: one[0].rank, default=_NOT_STARTED)


def _of_unit(shown: Mapping[str, str]) -> Standing:
    if shown["LoadState"] == "masked":
        return State.DEAD, message("dead-masked")
    started = shown.get("ExecMainStartTimestampMonotonic", "0") not in ("", "0") or shown["ActiveState"] == "active"
    if started or shown["UnitFileState"].startswith("enabled"):
        return State.ACTS, None
    return (State.MENTIONS, None) if shown.get("TriggeredBy") else _NOT_STARTED


def tlp_writers(subject: Subject, services: Services, ask: Ask | None) -> Iterator[Writer]:
    """Yield the line of ``DISK_IOSCHED``, where it names a scheduler for the disk; as TLP itself has read it."""
    said = ask("tlp-stat", "-c") if ask else None
    if said is None:
        for path in (*named(subject.tree, ("etc/tlp.d",), ".conf"), "etc/tlp.conf", "etc/default/tlp"):
            for number, line in lines_of(subject.tree, path):
                if line.startswith("DISK_IOSCHED="):
                    yield Writer("tlp", f"/{path}", number, "queue/scheduler", line.partition("=")[2].strip('"'))
        return
    found = {name: (path, int(line), value) for path, line, name, value in _TLP_SETTING.findall(said)}
    path, number, chosen = found.get("DISK_IOSCHED", ("", 0, ""))
    on = found.get("TLP_ENABLE", ("", 0, "1"))[2] == "1"
    standing = services.standing("tlp.service") if on and chosen else _NOT_STARTED
    file = path if path.startswith("/") else f"/usr/share/tlp/{path}"
    for device, scheduler in zip(found.get("DISK_DEVICES", ("", 0, ""))[2].split(), chosen.split(), strict=False):
        link = f"/dev/disk/by-id/{device}" if "-" in device else device
        if scheduler not in ("keep", "_") and subject.is_called(link):
            yield Writer("tlp", file, number, "queue/scheduler", scheduler, *standing)
