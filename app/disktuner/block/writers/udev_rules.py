# SPDX-License-Identifier: GPL-3.0-or-later
"""udev rules of all four folders that set attributes of a queue, and whether they would match this disk."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from disktuner.block.persistent import RULES_FILE
from disktuner.block.writers.udev_match import Matcher, Token, Verdict, tokens_of
from disktuner.block.writers.writer import UNKNOWN, Subject, Writer, merged_folder

FOLDERS = (
    "etc/udev/rules.d",
    "run/udev/rules.d",
    "usr/local/lib/udev/rules.d",
    "usr/lib/udev/rules.d",
    "lib/udev/rules.d",
)
ACTIONS = ("add", "change")


def rule_writers(subject: Subject) -> Iterator[Writer]:
    """Each assignment to ``ATTR{queue/…}`` (or by ``RUN`` into sysfs), in the order of udev's processing."""
    found = list(_all_writers(subject))
    yield from sorted(found, key=lambda writer: writer.is_command)


def _all_writers(subject: Subject) -> Iterator[Writer]:
    for path in merged_folder(subject.tree, FOLDERS, ".rules"):
        text = (subject.tree.octets(path) or b"").decode("utf-8", "replace")
        if "queue/" in text or "hdparm" in text:
            # A disk sees both events; the lines are the same, only what applies differs.
            for pair in zip(*(_File(Matcher(subject, one), path, text).writers() for one in ACTIONS), strict=True):
                applies = _either([writer.applies for writer in pair])
                yield replace(pair[0], applies=applies, on_change=pair[1].applies)


def _either(verdicts: Sequence[Verdict]) -> Verdict:
    return True if True in verdicts else (None if None in verdicts else False)


class _File:
    """One rules file, walked as udev walks it: a GOTO whose rule matches skips to its label."""

    def __init__(self, matcher: Matcher, path: str, text: str) -> None:
        self._matcher = matcher
        self._path = path
        self._text = text

    def writers(self) -> Iterator[Writer]:
        """The writers of the file; those skipped for certain say that they do not apply."""
        label, doubtful = "", False
        for number, line in logical_lines(self._text):
            tokens = tokens_of(line)
            if label:
                found = any(token.key == "LABEL" and token.value == label for token in tokens)
                label = "" if found else label
            verdict: Verdict = False if label else self._matcher.matches(tokens)
            if doubtful and verdict:
                verdict = None
            yield from self._assignments(number, tokens, verdict)
            target = next((token.value for token in tokens if token.key == "GOTO"), "")
            if target and verdict:
                label = target
            doubtful = doubtful or (bool(target) and verdict is None)

    def _assignments(self, number: int, tokens: tuple[Token, ...], verdict: Verdict) -> Iterator[Writer]:
        for key, attribute, operator, _, value in tokens:
            if key == "ATTR" and operator in ("=", ":=", "+=") and attribute.startswith("queue/"):
                name = attribute.removeprefix("queue/") if "/iosched/" in attribute else attribute
                yield self._writer(number, name, value, verdict)
            elif key == "RUN" and "/queue/" in value:
                yield from self._run(number, value, verdict)

    def _run(self, number: int, command: str, verdict: Verdict) -> Iterator[Writer]:
        match = re.search(r"echo\s+([\w-]+)\s*>\s*\S*/(queue/\S+?|iosched/\S+?)['\"\s\\]*$", command)
        named = re.search(r"block/([\w!-]+)/queue/", command)
        if named and named[1] != self._matcher.disk:
            verdict = False
        attribute = match[2].rstrip("'\"") if match else "queue/scheduler"
        name = attribute.removeprefix("queue/") if "/iosched/" in attribute else attribute
        yield replace(self._writer(number, name, match[1] if match else UNKNOWN, verdict), is_command=True)

    def _writer(self, number: int, attribute: str, value: str, verdict: Verdict) -> Writer:
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
