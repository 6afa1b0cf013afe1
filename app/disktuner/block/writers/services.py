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

UNIT = "systemd unit"
"""A writer's ``who``."""

_FOLDERS = tuple(f"{place}/systemd/system" for place in ("etc", "run", "usr/local/lib", "usr/lib"))
_SHOWN = ("Id", "LoadState", "ActiveState", "UnitFileState", "FragmentPath", "DropInPaths", "ExecStart", "ExecStartPre",
          "ExecStartPost", "ExecMainStartTimestampMonotonic", "TriggeredBy")  # fmt: skip
_STARTS = re.compile(r"Exec\w+\s*=\s*[-@:+!]*(?:\S*/(?:ba)?sh\s+)?(/\S+)")
_TLP_SETTING = re.compile(r'(\S+) L0*(\d+): (DISK_DEVICES|DISK_IOSCHED|TLP_ENABLE)="(.*)"')
_TLP_DEFAULTS, _TLP_FILES = "/usr/share/tlp/", ("etc/tlp.conf", "etc/default/tlp")
_ALWAYS_THERE = "basic.target"
"""A unit that every computer has: where systemd runs, it has something to say."""
_LEAVES_ALONE = ("keep", "_")
Standing = tuple[State, Message | None]


class Services:
    """The services of a machine; ``ask`` is None where nobody can be asked, as on a recorded one."""

    def __init__(self, tree: Tree, ask: Ask | None) -> None:
        self._tree, self._ask = tree, ask

    def standing(self, *names: str) -> Standing:
        """Whether one of them is started with the computer, or runs now."""
        shown = self._show(names)
        acting = [one for one in shown or () if one["Id"] != _ALWAYS_THERE and _standing(one)[0] is State.ACTS]
        return _first(acting or shown)

    def _show(self, names: Sequence[str]) -> list[Mapping[str, str]] | None:
        command = ("systemctl", "show", "--all", f"--property={','.join(_SHOWN)}", "--", *names, _ALWAYS_THERE)
        said = self._ask(*command) if self._ask else None
        if not said or "Id=" not in said:
            return None
        return [dict(line.partition("=")[::2] for line in block.splitlines()) for block in said.split("\n\n") if block]

    @cached_property
    def _files(self) -> Sequence[tuple[str, str]]:
        """The units that are about queues, each with a file of its, or a script that this starts."""
        found = []
        for folder in _FOLDERS:
            for name in self._tree.names(folder):
                drop_ins = self._tree.names(f"{folder}/{name}") if name.endswith(".service.d") else ()
                paths = (
                    [f"{folder}/{name}"]
                    if name.endswith(".service")
                    else [f"{folder}/{name}/{one}" for one in drop_ins]
                )
                for path in paths:
                    text = text_of(self._tree, path)
                    starts = _STARTS.findall(text) if folder != _FOLDERS[-1] else ()
                    found += [(name.removesuffix(".d"), f"/{path}")] if SETS.search(text) else []
                    found += [(name.removesuffix(".d"), one) for one in starts if self._is_script(one)]
        return found

    def _is_script(self, path: str) -> bool:
        text = (self._tree.octets(path[1:], 65_536) or b"").decode("utf-8", "replace")
        return text.startswith("#!") and SETS.search(text) is not None

    def unit_writers(self, subject: Subject) -> Iterator[Writer]:
        """Yield what units and their scripts set; systemd says which of their lines count, and whether they run."""
        shown = self._show(sorted({name.replace("@.", "@*.") for name, _ in self._files})) if self._files else []
        for name, file in self._files:
            like = re.compile(re.escape(name).replace("@", "@.*"))
            mine = [one for one in shown if like.fullmatch(one["Id"])] if shown is not None else None
            if file.endswith((".service", ".conf")):
                yield from self._lines(subject, file, mine)
            else:
                yield from script_writers(subject, UNIT, file, *_first(mine))

    def _lines(self, subject: Subject, file: str, shown: Sequence[Mapping[str, str]] | None) -> Iterator[Writer]:
        texts = [text for one in shown or () if file in (one.get("FragmentPath"), *one.get("DropInPaths", "").split())
                 for key, text in one.items() if key.startswith("ExecStart")]  # fmt: skip
        runs = {(one.attribute, one.value): one.state for text in texts for one in effects(subject, text)}
        for number, line in lines_of(self._tree, file[1:]):
            for one in effects(subject, line) if line.startswith("Exec") else ():
                state, why = _first(shown)
                if state is State.ACTS:
                    run = runs.get((one.attribute, one.value))
                    state, why = (run, None) if run else _replaced(one.state)
                yield Writer(UNIT, file, number, one.attribute, one.value, state, why)


_NOT_THERE: Standing = State.DEAD, message("dead-not-started")


def _replaced(state: State) -> Standing:
    """A line that is not among what systemd would run: of another instance, or another file came in its place."""
    return (State.OTHER_DISKS, None) if state is State.MENTIONS else (State.DEAD, message("dead-replaced"))


def _first(shown: Sequence[Mapping[str, str]] | None) -> Standing:
    """How the first of these units stands; None where nobody could be asked."""
    return (State.MENTIONS, None) if shown is None else next(map(_standing, shown), _NOT_THERE)


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
