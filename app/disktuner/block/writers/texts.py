# SPDX-License-Identifier: GPL-3.0-or-later
"""What a command, a script or a list of settings writes into queues, as far as its text shows."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from disktuner.block.sysfs import Tree, text_of
from disktuner.block.writers.writer import ACTING, LineState, Standing, Subject, Writer
from disktuner.vocabulary.messages import message
from disktuner.vocabulary.tunables import name_of

SETS = re.compile(r"(?:queue|bdi)/|cd\s\S+/(?:queue|bdi)\b|queue_depth|device/timeout|blockdev|hdparm|iocost")
"""A pattern in every text that sets a queue."""

_READ_AHEAD = "queue/read_ahead_kb"
_DEPTH = "device/queue_depth"
_SAME = {"bdi/read_ahead_kb": _READ_AHEAD, "queue_depth": _DEPTH, "timeout": "device/timeout"}
_TARGET = r"(?P<disk>[^\s/;&|<>][^/;&|\n<>]*)/(?P<name>(?:queue|bdi)/\w[\w/]*|device/(?:queue_depth|timeout)\b)"
_WORD = _TARGET.replace(r"[^/;&|\n<>]*", r"[^\s/;&|<>]*")
_DEVICE = r"[\"']?(?P<device>[/$%][^\s;'\"]+)"
_COMMANDS = [
    re.compile(form)
    for form in (
        r"(?:echo|printf)\s+(?:-\w+\s+)*(?:[\"']?%s(?:\\n)?[\"']?\s+)?[\"']?(?P<value>[\w.$-]+)(?:\\n)?[\"']?\s*"
        r"(?:>{1,2}|\|\s*(?:sudo\s+)?tee(?:\s+-a)?)\s*[\"']?(?:(?:[^\s;&|<>][^;&|\n<>]*?)?/)??" + _TARGET,
        r"\btee\s+(?:-a\s+)?[\"']?(?:[^\s;&|<>]*?/)??" + _WORD + r"[\"']?\s*<<<\s*[\"']?(?P<value>[\w.$-]+)",
        r"(?:blockdev\s+(?:-\S+\s+)*?--setf?ra|hdparm\s+(?:-\S+\s+)*?-a)\s*(?P<sectors>\d+)\s+(?:-\S+\s+)*" + _DEVICE,
        r"hdparm\s+(?:-\S+\s+)*?-Q\s*(?P<depth>\d+)\s+(?:-\S+\s+)*" + _DEVICE,
        r"iocost\s+apply\s+" + _DEVICE,
    )
]
_MORE = [
    re.compile(rf"[\"']?[ \t]+[\"']?{form}")
    for form in (r"(?:[^\s;&|<>]*?/)??" + _WORD, r"(?P<device>/dev/[^\s;'\"]+)")
]
"""Further files of ``tee``, and further disks of blockdev and hdparm."""

_LISTS = [
    re.compile(form)
    for form in (
        r"\bfor\s+(?P<name>\w+)\s+in\s+(?P<words>[^;\n]+)",
        r"(?m)^(?P<words>[^;|\n]*/queue/[^;|\n]*)\|\s*while\s+read\s+(?:-\w\s+)*(?P<name>\w+)",
        r"(?m)(?:^|[;\s])(?P<name>\w+)=(?P<words>/[^;\s]+)",
    )
]
"""How a shell's variable gets the path of an attribute, or many of them one by one."""

_CD = re.compile(r"cd[ \t]+[\"']?(?P<folder>[^\s;&|\"']+)[\"']?[ \t]*(?:;|&&|(?=\n))")
_RELATIVE = re.compile(r"(?P<writes>(?:>|\btee\s)\s*(?:-a\s+)?[\"']?)(?=\w)")
_MOST_LISTS, _MOST_WORDS, _LONGEST = 8, 16, 100_000
_OF_HDPARM = r"^(?P<device>/dev/\S+)\s*\{[^}]*?\b"  # hdparm.conf(5)
_SETTINGS = [
    re.compile(form, re.MULTILINE)
    for form in (
        r"^[ \t]*(?:\S*?/)??" + _TARGET + r"\s*=\s*(?P<value>\S+)",  # sysfs.conf, TuneD's [sysfs]
        _OF_HDPARM + r"read_ahead_sect\s*=\s*(?P<sectors>\d+)",
        _OF_HDPARM + r"write_cache\s*=\s*(?P<cache>on|off)",
        r"(?:^|[\s\"'=])(?P<option>elevator)=(?P<value>[\w-]+)",  # the kernel's command line
    )
]
_CONDITION = re.compile(r"&&|\|\||(?:^|[\s;\"'])(?:if|for|while|until|case|test|\[{1,2})\s")

_FUNCTION = re.compile(r"\w\s*\(\s*\)\s*\{")
_PATH = re.compile(r"/(?:\S*?/)??" + _WORD)


def of_queue(path: str) -> tuple[str, str] | None:
    """Return the disk, as the path names it, and the attribute of its queue; None for other files."""
    return (match["disk"], match["name"]) if (match := _PATH.fullmatch(path)) else None


def attribute_of(name: str) -> str:
    """Return an attribute's canonical name: ``iosched/slice_idle`` for ``queue/iosched/slice_idle``."""
    return _SAME.get(name) or name_of(name)


def effects(subject: Subject, text: str, who: str = "", file: str = "") -> Iterator[Writer]:
    """Yield what a text does to the disk, by line; loops and conditions only count as mentions."""
    by_number = rf"/sys/(?:class|devices/virtual)/bdi/{re.escape(subject.disk.devno)}/"
    text = re.sub(by_number, f"/sys/block/{subject.disk.name}/bdi/", _from_root(text))  # limits of write-back
    plain, *variants = (list(_effects(subject, variant, who, file)) for variant in _filled_in(text))
    known = {(writer.line, writer.attribute, writer.value) for writer in plain}
    filled_in = {(writer.line, writer.attribute, writer.value): writer for lines in variants for writer in lines}
    further = (writer for key, writer in filled_in.items() if key not in known)
    yield from sorted((*plain, *further), key=lambda writer: writer.line)


def _effects(subject: Subject, text: str, who: str, file: str) -> Iterator[Writer]:
    for match in sorted(
        (match for form in (*_COMMANDS, *_SETTINGS) for match in form.finditer(text)), key=re.Match.start
    ):
        line = text.count("\n", 0, match.end()) + 1
        is_in_doubt = _CONDITION.search(text, 0, match.start()) is not None
        for disk, attribute, value in map(_said_by, (match.groupdict(), *_further(match))):
            if re.search(r"[$`%]", disk) or subject.is_called(disk):
                is_open = match.re in _COMMANDS and (
                    is_in_doubt or re.search(r"[$`%*?\[]", disk) or re.search(r"[$`%]", value)
                )
                yield Writer(who, file, line, attribute, value, LineState.MENTIONS if is_open else LineState.ACTS)


def _further(match: re.Match[str]) -> Iterator[dict[str, str]]:
    """Yield what a command does to further files or disks that it names."""
    groups = match.groupdict()
    if match.re not in _COMMANDS or not ("device" in groups or re.search(r"\btee\b", match[0])):
        return
    form = _MORE["device" in groups]
    more = form.match(match.string, match.end())
    while more:
        yield groups | more.groupdict()
        more = form.match(match.string, more.end())


def _from_root(text: str) -> str:
    """Return a text with whole paths where a shell writes to a file of a disk's folder, to which it went before."""
    return "".join(map(_in_folder, re.split(r"(?=\bcd[ \t])", text)))


def _in_folder(part: str) -> str:
    """Do so for a part of it, up to the next ``cd``."""
    if (went := _CD.match(part)) is None or not went["folder"].startswith("/sys/"):
        return part
    folder = went["folder"].rstrip("/")
    return ";" + _RELATIVE.sub(lambda match: f"{match['writes']}{folder}/", part[went.end() :])


def _filled_in(text: str) -> Iterator[str]:
    """Yield a text, and again for each attribute whose path a variable of a shell gets, with the path in its place."""
    yield text
    lists = [match for form in _LISTS for match in form.finditer(text)] if len(text) < _LONGEST else []
    for match in lists[:_MOST_LISTS]:
        paths = [word for word in match["words"].replace('"', "").replace("'", "").split() if of_queue(word)]
        used = re.compile(rf"[\"']?\$(?:\{{{match['name']}\}}|{match['name']}\b)[\"']?")
        for path in paths[:_MOST_WORDS]:
            yield text[: match.end()] + used.sub(path.replace("\\", r"\\"), text[match.end() :])


def _said_by(said: Mapping[str, str]) -> tuple[str, str, str]:
    """Return disk, attribute and value."""
    if "name" in said:
        return said["disk"], attribute_of(said["name"]), said["value"].strip()
    if "option" in said:
        return "*", "queue/scheduler", said["value"]
    if "sectors" in said:
        return said["device"], _READ_AHEAD, str(int(said["sectors"]) // 2)
    if "depth" in said:
        return said["device"], _DEPTH, said["depth"]
    if "cache" in said:
        return said["device"], "queue/write_cache", "write back" if said["cache"] == "on" else "write through"
    return said["device"], "io.cost", "?"


def is_script(tree: Tree, path: str) -> bool:
    """Whether a program is a script that may set queues."""
    start = tree.octets(path.lstrip("/"), 65_536) or b""
    return start.startswith(b"#!") and SETS.search(start.decode("utf-8", "replace")) is not None


def writes(text: str) -> bool:
    """Whether a text has a command that sets a queue, whichever disk's."""
    return any(form.search(variant) for variant in _filled_in(_from_root(text)) for form in _COMMANDS)


def script_writers(subject: Subject, who: str, file: str, standing: Standing = ACTING) -> Iterator[Writer]:
    """Yield what a file's lines do to the disk, given the file's standing."""
    text = re.sub(r"(?m)^[ \t]*#.*$", "", text_of(subject.tree, file))
    leaves = re.search(r"(?m)^exit\b", text)
    if leaves and (_CONDITION.search(text, 0, leaves.start()) or _FUNCTION.search(text, 0, leaves.start())):
        leaves = None  # it may be part of that
    for writer in effects(subject, text, who, file):
        is_left = standing == ACTING and leaves and text.count("\n", 0, leaves.start()) < writer.line
        line_standing = (LineState.DEAD, message("dead-after-exit")) if is_left else standing
        yield writer if line_standing == ACTING else writer.stands(line_standing)
