# SPDX-License-Identifier: GPL-3.0-or-later
"""udev rules of all four folders that set attributes of a queue, and whether they would match this disk."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterator

from disktuner.block.persistent import RULES_FILE
from disktuner.block.writers.writer import Subject, Writer, merged_folder

FOLDERS = (
    "etc/udev/rules.d",
    "run/udev/rules.d",
    "usr/local/lib/udev/rules.d",
    "usr/lib/udev/rules.d",
    "lib/udev/rules.d",
)
_TOKEN = re.compile(r'([A-Z_a-z]+)(?:\{([^}]*)\})?\s*(==|!=|\+=|-=|:=|=)\s*(i|e)?"((?:[^"\\]|\\.)*)"')
_Verdict = bool | None


def rule_writers(subject: Subject) -> Iterator[Writer]:
    """Each assignment to ``ATTR{queue/…}`` (or by ``RUN`` into sysfs), in the order of udev's processing."""
    for path in merged_folder(subject.tree, FOLDERS, ".rules"):
        text = (subject.tree.octets(path) or b"").decode("utf-8", "replace")
        if "queue/" in text or "hdparm" in text:
            yield from _File(subject, path, text).writers()


class _File:
    """One rules file, walked as udev walks it: a GOTO whose rule matches skips to its label."""

    def __init__(self, subject: Subject, path: str, text: str) -> None:
        self._matcher = _Matcher(subject)
        self._path = path
        self._text = text

    def writers(self) -> Iterator[Writer]:
        """The writers of the file; those skipped for certain say that they do not apply."""
        label, doubtful = "", False
        for number, line in logical_lines(self._text):
            tokens = _TOKEN.findall(line)
            if label:
                found = any(key == "LABEL" and value == label for key, _, _, _, value in tokens)
                label = "" if found else label
            verdict: _Verdict = False if label else self._matcher.matches(tokens)
            if doubtful and verdict:
                verdict = None
            yield from self._assignments(number, tokens, verdict)
            target = next((value for key, _, _, _, value in tokens if key == "GOTO"), "")
            if target and verdict:
                label = target
            doubtful = doubtful or (bool(target) and verdict is None)

    def _assignments(self, number: int, tokens: list[tuple[str, ...]], verdict: _Verdict) -> Iterator[Writer]:
        for key, attribute, operator, _, value in tokens:
            if key == "ATTR" and operator in ("=", ":=", "+=") and attribute.startswith("queue/"):
                name = attribute.removeprefix("queue/") if "/iosched/" in attribute else attribute
                yield self._writer(number, name, value, verdict)
            elif key == "RUN" and "/queue/" in value:
                yield from self._run(number, value, verdict)

    def _run(self, number: int, command: str, verdict: _Verdict) -> Iterator[Writer]:
        match = re.search(r"echo\s+([\w-]+)\s*>\s*\S*/(queue/\S+?|iosched/\S+?)['\"\s\\]*$", command)
        attribute = match[2].rstrip("'\"") if match else "queue/scheduler"
        name = attribute.removeprefix("queue/") if "/iosched/" in attribute else attribute
        yield self._writer(number, name, match[1] if match else "?", verdict)

    def _writer(self, number: int, attribute: str, value: str, verdict: _Verdict) -> Writer:
        ours = self._path == RULES_FILE
        return Writer("udev", f"/{self._path}", number, attribute, value, verdict, ours)


def logical_lines(text: str) -> Iterator[tuple[int, str]]:
    """Rules with continued lines joined, comments left out, and the number of their first line (udev(7))."""
    pending, start = "", 0
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("#"):
            continue
        start = start if pending else number
        if line.endswith("\\"):
            pending += line[:-1]
            continue
        if (pending + line).strip():
            yield start, pending + line
        pending = ""


class _Matcher:
    """Decides a rule's conditions for one disk at its appearance: yes, no, or None where it cannot be known."""

    def __init__(self, subject: Subject) -> None:
        self._subject = subject
        self._disk = subject.disk

    def matches(self, tokens: list[tuple[str, ...]]) -> _Verdict:
        """Whether all conditions hold; one certain "no" is enough."""
        verdicts = [
            self._one(key, attribute, operator, flag, value)
            for key, attribute, operator, flag, value in tokens
            if operator in ("==", "!=") or key in ("PROGRAM", "IMPORT")  # these decide with = too
        ]
        return False if False in verdicts else (None if None in verdicts else True)

    def _one(self, *token: str) -> _Verdict:
        key, attribute, operator, flag, pattern = token
        if key == "ACTION":
            # Both the appearance and a later change count: a disk sees either.
            hit: _Verdict = any(_glob(action, pattern, flag) for action in ("add", "change"))
            return True if operator == "!=" and pattern in ("remove", "change", "add") else _turned(hit, operator)
        if key == "TEST" and pattern.startswith("/run/disktuner/hold/"):
            # Our own rule holds still only while the disk is measured.
            return operator == "!="
        if key in ("TEST", "PROGRAM", "RESULT", "IMPORT", "CONST", "TAG", "TAGS", "SYMLINK", "SYSCTL"):
            return None
        actual = self._actual(key, attribute)
        if actual is None:
            return None
        return _turned(any(_glob(value, pattern, flag) for value in actual), operator)

    def _actual(self, key: str, attribute: str) -> list[str] | None:  # noqa: PLR0911 - one per key
        disk, udev = self._disk, self._subject.udev
        if key in ("KERNEL", "NAME"):
            return [disk.name]
        if key == "KERNELS":
            return [part for part in self._subject.path.split("/") if part]
        if key == "SUBSYSTEM":
            return ["block"]
        if key == "DEVPATH":
            return ["/" + self._subject.path.lstrip("./")]
        if key == "ENV":
            return [{"DEVTYPE": "disk", "DEVNAME": f"/dev/{disk.name}"}.get(attribute) or udev.get(attribute, "")]
        if key in ("ATTR", "ATTRS") and not attribute.startswith(("[", "/")):
            return self._attributes(attribute, above=key == "ATTRS")
        return None

    def _attributes(self, attribute: str, above: bool) -> list[str] | None:
        text = self._subject.tree.text(f"sys/block/{self._disk.name}/{attribute}")
        found = [] if text is None else [text]
        if above:
            # A parent's attribute: the device's own folder is one of them.
            text = self._subject.tree.text(f"sys/block/{self._disk.name}/device/{attribute}")
            found += [] if text is None else [text]
            return found or None
        return found or [""]


def _turned(hit: _Verdict, operator: str) -> _Verdict:
    return hit if hit is None or operator == "==" else not hit


def _glob(value: str, pattern: str, flag: str) -> bool:
    """udev's match: shell patterns, alternatives separated by ``|``."""
    if flag == "i":
        value, pattern = value.lower(), pattern.lower()
    return any(fnmatch.fnmatchcase(value, part) for part in pattern.split("|"))
