# SPDX-License-Identifier: GPL-3.0-or-later
"""What systemd's units and TLP set, and who is started at all, as systemctl and TLP say themselves."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from disktuner.block.sysfs import Tree
from disktuner.block.writers.asking import Ask
from disktuner.block.writers.commands import SETS, effects, script_writers
from disktuner.block.writers.writer import State, Subject, Writer, lines_of, named, text_of
from disktuner.vocabulary.messages import Message, message

_FOLDERS = tuple(f"{place}/systemd/system" for place in ("etc", "run", "usr/local/lib", "usr/lib"))
_SHOWN = ("Id", "LoadState", "ActiveState", "UnitFileState", "FragmentPath", "DropInPaths", "ExecStart", "ExecStartPre",
          "ExecStartPost", "ExecMainStartTimestampMonotonic", "TriggeredBy")  # fmt: skip
_STARTS = re.compile(r"Exec\w+\s*=\s*[-@:+!]*(?:\S*/(?:ba)?sh\s+)?(/\S+)")
_TLP_SETTING = re.compile(r'(\S+) L0*(\d+): (DISK_DEVICES|DISK_IOSCHED|TLP_ENABLE)="(.*)"')
_TLP_DEFAULTS, _TLP_FILES = "/usr/share/tlp/", ("etc/tlp.conf", "etc/default/tlp")
_LEAVES_ALONE = ("keep", "_")
Standing = tuple[State, Message | None]


class Services:
    """The services of a machine; ``ask`` is None where nobody can be asked, as on a recorded one."""

    def __init__(self, tree: Tree, ask: Ask | None) -> None:
        self._tree, self._ask = tree, ask

    def standing(self, *names: str) -> Standing:
        """Whether one of them is started with the computer, or runs now."""
        shown = self._show(names)
        if shown is None:
            return State.MENTIONS, None
        found = [_standing(each) for each in shown]
        return next((one for one in found if one[0] is State.ACTS), found[0] if found else _NOT_THERE)

    def _show(self, names: Sequence[str]) -> list[Mapping[str, str]] | None:
        said = self._ask("systemctl", "show", f"--property={','.join(_SHOWN)}", "--", *names) if self._ask else None
        if not said or "Id=" not in said:
            return None
        return [dict(line.partition("=")[::2] for line in block.splitlines()) for block in said.split("\n\n") if block]

    @cached_property
    def _files(self) -> Mapping[str, str]:
        """The units that are about queues: what they are called, by file; and by the scripts that they start."""
        found: dict[str, str] = {}
        for folder in _FOLDERS:
            names = self._tree.names(folder)
            files = [(name, f"{folder}/{name}") for name in names if name.endswith(".service")]
            files += [(name.removesuffix(".d"), f"{folder}/{name}/{each}") for name in names
                      if name.endswith(".service.d") for each in self._tree.names(f"{folder}/{name}")]  # fmt: skip
            for name, path in files:
                text = text_of(self._tree, path)
                starts = _STARTS.findall(text) if folder != _FOLDERS[-1] else ()
                found |= {one: name for one in (f"/{path}", *starts) if SETS.search(text if one[1:] == path else self._script(one))}
        return found

    def _script(self, path: str) -> str:
        return text if (text := (self._tree.octets(path[1:], 65_536) or b"").decode("utf-8", "replace")).startswith("#!") else ""

    def unit_writers(self, subject: Subject) -> Iterator[Writer]:
        """Yield what units and their scripts set; systemd says which of their lines count, and whether they run."""
        names = sorted({name.replace("@.", "@*.") for name in self._files.values()})
        shown = self._show(names) if names else []
        for file, name in self._files.items():
            base = name.partition("@")[0]
            mine = [one for one in shown or () if one["Id"] == name or ("@" in name and one["Id"].startswith(f"{base}@"))]
            if file.endswith((".service", ".conf")):
                yield from self._of_unit(subject, file, mine, known=shown is not None)
            else:
                state, why = next(map(_standing, mine), _NOT_THERE) if shown is not None else (State.MENTIONS, None)
                yield from script_writers(subject, "systemd unit", file, state, why)

    def _of_unit(self, subject: Subject, file: str, shown: Sequence[Mapping[str, str]], *, known: bool) -> Iterator[Writer]:
        for number, line in lines_of(self._tree, file[1:]):
            for effect in effects(subject, line) if line.startswith("Exec") else ():
                state, why = (State.MENTIONS, None) if not known else next(map(_standing, shown), _NOT_THERE)
                if state is State.ACTS:
                    runs = [one for each in shown if file in (each["FragmentPath"], *each["DropInPaths"].split())
                            for key in _SHOWN if key.startswith("ExecStart") for one in effects(subject, each.get(key, ""))]  # fmt: skip
                    same = [one for one in runs if one.attribute == effect.attribute and one.value in (effect.value, line)]
                    state, why = (same[0].state, None) if same else _replaced(effect.state)
                yield Writer("systemd unit", file, number, effect.attribute, effect.value, state, why)


_NOT_THERE: Standing = State.DEAD, message("dead-not-started")


def _replaced(state: State) -> Standing:
    """A line that is not among what systemd would run: of a template's other instance, or another file has its place."""
    return (State.OTHER_DISKS, None) if state is State.MENTIONS else (State.DEAD, message("dead-replaced"))


def _standing(shown: Mapping[str, str]) -> Standing:
    if shown["LoadState"] == "masked":
        return State.DEAD, message("dead-masked")
    started = shown.get("ExecMainStartTimestampMonotonic", "0") not in ("", "0") or shown["ActiveState"] == "active"
    if started or shown["UnitFileState"].startswith("enabled"):
        return State.ACTS, None
    return (State.MENTIONS, None) if shown.get("TriggeredBy") else _NOT_THERE


def tlp_writers(subject: Subject, services: Services, ask: Ask | None) -> Iterator[Writer]:
    """Yield the line of ``DISK_IOSCHED``, where it names a scheduler for the disk; as TLP itself has read it."""
    said = ask("tlp-stat", "-c") if ask else None
    if said is None:
        for path in (*named(subject.tree, ("etc/tlp.d",), ".conf"), *_TLP_FILES):
            for number, line in lines_of(subject.tree, path):
                if line.startswith("DISK_IOSCHED="):
                    value = line.partition("=")[2].strip('"')
                    yield Writer("tlp", f"/{path}", number, "queue/scheduler", value, State.MENTIONS)
        return
    found = {name: (path, int(line), value) for path, line, name, value in _TLP_SETTING.findall(said)}
    path, number, chosen = found.get("DISK_IOSCHED", ("", 0, ""))
    on = found.get("TLP_ENABLE", ("", 0, "1"))[2] == "1"
    state, why = services.standing("tlp.service") if on and chosen else _NOT_THERE
    file = path if path.startswith("/") else f"{_TLP_DEFAULTS}{path}"
    for device, scheduler in zip(found.get("DISK_DEVICES", ("", 0, ""))[2].split(), chosen.split(), strict=False):
        link = f"/dev/disk/by-id/{device}" if "-" in device else device
        if scheduler not in _LEAVES_ALONE and subject.is_called(link):
            yield Writer("tlp", file, number, "queue/scheduler", scheduler, state, why)
