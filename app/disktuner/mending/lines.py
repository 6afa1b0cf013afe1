# SPDX-License-Identifier: GPL-3.0-or-later
"""Lines of scripts, units and lists of settings that do nothing but set the disk: taken out of use where they stand."""

from __future__ import annotations

import re

from disktuner.block.sysfs import Tree
from disktuner.block.writers import Subject, Writer
from disktuner.block.writers.scripts import OUT_OF_USE, UNITS
from disktuner.block.writers.writer import UNIT_FOLDERS, lines_of
from disktuner.mending.mending import (
    Mending,
    NotSure,
    command,
    content_of,
    edited,
    is_continued,
    line_of,
    only_by_hand,
)
from disktuner.vocabulary.messages import message

_OF_THE_ADMINISTRATOR = ("etc/", "usr/local/", "opt/", "root/", "home/")
_ECHO = r"(?:/bin/)?echo\s+(?:-n\s+)?[\"']?[\w-]+[\"']?\s*>\s*/sys/(?:class/)?block/[\w!.-]+/queue/(?:iosched/)?\w+"
_SCRIPT_LINE = re.compile(rf"\s*{_ECHO}\s*;?\s*")
_UNIT_LINE = re.compile(rf"ExecStart(?:Pre|Post)?=[-@:+!]*(?:/usr)?/bin/(?:ba)?sh\s+-c\s+([\"'])\s*{_ECHO}\s*;?\s*\1")
_EXEC = re.compile(r"\s*Exec\w+\s*=")
_INSTALL = re.compile(r"\s*(WantedBy|RequiredBy|Also|Alias|DefaultInstance|UpheldBy)\s*=\s*(.*)")
_UNIT_NAME = re.compile(r"[A-Za-z0-9_.:][A-Za-z0-9_.:-]{0,200}\.service")
_GLOB = re.compile(r"[*?\[\]{}]")


def mend_line(subject: Subject, writer: Writer) -> Mending:
    """Return how the line does nothing any more. Raises NotSure."""
    path = writer.file.lstrip("/")
    if writer.note is not None and writer.note.id == "google-agent":
        raise NotSure(message("mend-agent"))
    if writer.applies is not True or not path.startswith(_OF_THE_ADMINISTRATOR):
        raise only_by_hand(writer)
    if path.startswith(f"{UNITS}/"):
        return _unit(subject.tree, writer, path)
    mend = _OF_A_FILE.get(writer.who)
    if mend is None:
        raise only_by_hand(writer)
    return mend(subject.tree, writer, path)


def _script(tree: Tree, writer: Writer, path: str) -> Mending:
    """``:`` takes the command's place, for a block without any command is an error."""
    line = line_of(tree, path, writer.line)
    if not _SCRIPT_LINE.fullmatch(line) or is_continued(tree, path, writer.line):
        raise only_by_hand(writer)
    indent = line[: len(line) - len(line.lstrip())]
    return _replaced(tree, writer, path, f"{indent}{OUT_OF_USE}{line.lstrip()}")


def _listed(tree: Tree, writer: Writer, path: str) -> Mending:
    line = line_of(tree, path, writer.line)
    if _GLOB.search(line):  # of other disks, too
        raise only_by_hand(writer)
    return _replaced(tree, writer, path, f"# {line}")


_OF_A_FILE = {"systemd unit": _script, "rc.local": _script, "tmpfiles.d": _listed, "sysfs.conf": _listed}


def _replaced(tree: Tree, writer: Writer, path: str, line: str, *more: str) -> Mending:
    edit = edited(tree, path, writer.line, line)
    what = message("mend-line-out", place=writer.place)
    return Mending(writer, what, (edit.change,), (edit.do, *more), (edit.undo, *more))


def _unit(tree: Tree, writer: Writer, path: str) -> Mending:
    """A service that does nothing else is disabled; of one that does more, the line is taken out."""
    name = path.removeprefix(f"{UNITS}/")
    line = line_of(tree, path, writer.line)
    if not _UNIT_NAME.fullmatch(name) or not _UNIT_LINE.fullmatch(line) or is_continued(tree, path, writer.line):
        raise only_by_hand(writer)
    others = [number for number, text in lines_of(tree, path) if _EXEC.match(text) and number != writer.line]
    starts = [text for number, text in lines_of(tree, path) if text.startswith("ExecStart=") and number != writer.line]
    if tree.names(f"{path}.d") or (others and not starts):
        raise only_by_hand(writer)
    if starts:
        return _replaced(tree, writer, path, f"# {line}", command("systemctl", "daemon-reload"))
    if not _is_enabled_as_it_says(tree, path, name):
        raise only_by_hand(writer)
    what = message("mend-unit", unit=name)
    return Mending(writer, what, (), (command("systemctl", "disable", name),), (command("systemctl", "enable", name),))


def _is_enabled_as_it_says(tree: Tree, path: str, name: str) -> bool:
    """Whether ``enable`` makes just the links that there are, and so puts back what ``disable`` removes."""
    told: set[str] = set()
    for line in content_of(tree, path).split("\n"):
        if match := _INSTALL.fullmatch(line):
            if match[1] not in ("WantedBy", "RequiredBy"):
                return False
            ending = "wants" if match[1] == "WantedBy" else "requires"
            told.update(f"{target}.{ending}" for target in match[2].split())
    there = {folder for folder in tree.names(UNITS) if folder.endswith((".wants", ".requires"))
             and name in tree.names(f"{UNITS}/{folder}")}  # fmt: skip
    elsewhere = any(name in tree.names(f"{base}/{folder}") for base in UNIT_FOLDERS[1:] for folder in tree.names(base)
                    if folder.endswith((".wants", ".requires")))  # fmt: skip
    links = (tree.link(f"{UNITS}/{folder}/{name}") for folder in there)
    return bool(told) and told == there and not elsewhere and all(link == f"/{path}" for link in links)
