# SPDX-License-Identifier: GPL-3.0-or-later
"""udev rules of all folders that set attributes of a queue, and whether their conditions hold for a disk (udev(7))."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from disktuner.block.sysfs import Tree
from disktuner.block.udev import HOLDS, RULES_FILE, logical_lines
from disktuner.block.writers.writer import UNKNOWN, Group, Subject, Verdict, Writer, all_of, any_of, attribute_name

RULES = Group(
    (
        "etc/udev/rules.d",
        "run/udev/rules.d",
        "usr/local/lib/udev/rules.d",
        "usr/lib/udev/rules.d",
        "lib/udev/rules.d",
    ),
    ".rules",
)
ACTIONS = ("add", "change")
_TOKEN = re.compile(r'([A-Z_a-z]+)(?:\{([^}]*)\})?\s*(==|!=|\+=|-=|:=|=)\s*(i|e)?"((?:[^"\\]|\\.)*)"')
_OF_A_PARENT = frozenset({"KERNELS", "SUBSYSTEMS", "DRIVERS", "ATTRS", "TAGS"})
_FOREIGN = re.compile(r"\$|%")
_HOLD = f"/{HOLDS}/"


def rule_writers(subject: Subject) -> Iterator[Writer]:
    """Each assignment to ``ATTR{queue/…}`` (or by ``RUN`` into sysfs), in the order of udev's processing."""
    found = list(_all_writers(subject))
    yield from sorted(found, key=lambda writer: writer.is_command)


def _all_writers(subject: Subject) -> Iterator[Writer]:
    for path in RULES.files(subject.tree):
        text = (subject.tree.octets(path) or b"").decode("utf-8", "replace")
        if "queue/" in text or "hdparm" in text:
            # A disk sees both events; the lines are the same, only what applies differs.
            for pair in zip(*(_File(Matcher(subject, one), path, text).writers() for one in ACTIONS), strict=True):
                applies = any_of(*(writer.applies for writer in pair))
                yield replace(pair[0], applies=applies, on_change=pair[1].applies)


class _File:
    """One rules file, walked as udev walks it: a GOTO whose rule matches skips to its label."""

    def __init__(self, matcher: Matcher, path: str, text: str) -> None:
        self._matcher = matcher
        self._path = path
        self._text = text

    def writers(self) -> Iterator[Writer]:
        """Yield the writers of the file; those that are certainly skipped do not apply."""
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
                yield self._writer(number, attribute_name(attribute), value, verdict)
            elif key == "RUN" and "/queue/" in value:
                yield from self._run(number, value, verdict)

    def _run(self, number: int, command: str, verdict: Verdict) -> Iterator[Writer]:
        match = re.search(r"echo\s+([\w-]+)\s*>\s*\S*/(queue/\S+?|iosched/\S+?)['\"\s\\]*$", command)
        named = re.search(r"block/([\w!-]+)/queue/", command)
        if named and named[1] != self._matcher.disk:
            verdict = False
        attribute = match[2].rstrip("'\"") if match else "queue/scheduler"
        value = match[1] if match else UNKNOWN
        yield replace(self._writer(number, attribute_name(attribute), value, verdict), is_command=True)

    def _writer(self, number: int, attribute: str, value: str, verdict: Verdict) -> Writer:
        ours = is_ours(self._matcher.tree, self._path)
        return Writer("udev", f"/{self._path}", number, attribute, value, verdict, ours)


def is_ours(tree: Tree, path: str) -> bool:
    """Say whether a file of rules is Disktuner's own, or a link beside it that has it read once more."""
    return path == RULES_FILE or tree.link(path) in (Path(RULES_FILE).name, f"/{RULES_FILE}")


class Token(NamedTuple):
    """One ``KEY{name}operator"value"`` of a rule; ``flag`` is ``i`` for a match without regard to case."""

    key: str
    name: str
    operator: str
    flag: str
    value: str

    @property
    def decides(self) -> bool:
        """Whether it is a condition: what a program or an import answers counts with ``=`` too."""
        return self.operator in ("==", "!=") or self.key in ("PROGRAM", "IMPORT")

    @property
    def wants_no(self) -> bool:
        """Whether it is true for what does not match."""
        return self.operator == "!="


def tokens_of(line: str) -> tuple[Token, ...]:
    """All assignments and conditions of one rule."""
    return tuple(Token(*found) for found in _TOKEN.findall(line))


class Matcher:
    """Decides rules for one disk as it stands now, at its appearance (``add``) or a later ``change``.

    On a recorded tree only what was recorded can be denied; else the answer is None.
    """

    def __init__(self, subject: Subject, action: str) -> None:
        self._subject = subject
        self._action = action
        self._disk = subject.disk
        self._tree = subject.tree

    @property
    def disk(self) -> str:
        """The name of the disk for which it decides."""
        return self._disk.name

    @property
    def tree(self) -> Tree:
        """The files by which it decides."""
        return self._tree

    def matches(self, tokens: Sequence[Token]) -> Verdict:
        """Whether all conditions of a rule hold; one certain "no" is enough."""
        set_here = {token.name for token in tokens if token.key == "ATTR" and not token.decides}
        single = (token for token in tokens if token.decides and token.key not in _OF_A_PARENT)
        verdicts = [None if self._is_circular(token, set_here) else self._one(token) for token in single]
        above = [token for token in tokens if token.decides and token.key in _OF_A_PARENT]
        if above:
            verdicts.append(self._same_parent(above))
        return all_of(*verdicts)

    def _is_circular(self, token: Token, set_here: set[str]) -> bool:
        """A condition on the very attribute that the rule sets was judged before it was set."""
        return token.key == "ATTR" and token.name in set_here

    def _one(self, token: Token) -> Verdict:
        if token.key == "ACTION":
            return _turned(_glob(self._action, token), token)
        if token.key == "TEST":
            return _turned(self._exists(token), token)
        if token.key == "IMPORT":
            return _turned(self._imports(token), token)
        actual = self._actual(token)
        return None if actual is None else _turned(any(_glob(one, token) for one in actual), token)

    def _actual(self, token: Token) -> Sequence[str] | None:  # noqa: PLR0911 - one per key
        """What the key is now; None where it cannot be known (PROGRAM, RESULT, CONST)."""
        key, name = token.key, token.name
        if key in ("KERNEL", "NAME"):
            return [self._disk.name]
        if key == "SUBSYSTEM":
            return ["block"]
        if key == "DRIVER":
            return [""]  # block devices have none of their own
        if key == "DEVPATH":
            return ["/" + self._subject.path.lstrip("./")]
        if key == "ENV":
            return self._property(name)
        if key == "ATTR":
            return self._attribute(name)
        if key == "TAG":
            return self._noted("G:", "Q:")
        if key == "SYMLINK":
            return self._noted("S:")
        if key == "SYSCTL":
            text = self._tree.text("proc/sys/" + name.replace(".", "/"))
            return None if text is None else [text]
        return None

    def _property(self, name: str) -> Sequence[str] | None:
        if name.startswith("."):
            return None  # lives only while the rules run
        known = self._subject.properties
        if name in known or self._subject.live:
            return [known.get(name, "")]
        # A recording keeps the properties that show what a disk is, and no others.
        return [""] if name.startswith(("ID_", "DM_")) and self._subject.udev else None

    def _attribute(self, name: str) -> Sequence[str] | None:
        if name.startswith(("[", "/")) or ".." in name:
            return None
        text = self._tree.text(f"sys/block/{self._disk.name}/{name}")
        if text is None:
            return [""] if self._subject.live else None
        return [text]

    @cached_property
    def _database(self) -> str | None:
        return self._tree.text(f"run/udev/data/b{self._disk.devno}")

    def _noted(self, *marks: str) -> Sequence[str] | None:
        """What udev's database has in the lines with these marks; a recording keeps none of them."""
        if self._database is None or not self._subject.live:
            return None
        return [line[2:] for line in self._database.splitlines() if line.startswith(marks)]

    def _exists(self, token: Token) -> Verdict:
        path = token.value
        if path.startswith(_HOLD):
            # Our own rule holds still only while the disk is measured.
            return False
        path = path.replace("%k", self._disk.name).replace("$kernel", self._disk.name)
        if _FOREIGN.search(path) or token.name or any(sign in path for sign in "*?["):
            return None
        place = path.lstrip("/") if path.startswith("/") else f"sys/block/{self._disk.name}/{path}"
        return self._tree.exists(place) or self._subject.if_absent

    def _imports(self, token: Token) -> Verdict:
        if token.name == "db":
            return token.value in self._subject.udev if self._subject.live else None
        if token.name == "cmdline":
            words = (self._tree.text("proc/cmdline") or "").split()
            return any(word.partition("=")[0] == token.value for word in words) if self._subject.live else None
        return None

    def _same_parent(self, tokens: Sequence[Token]) -> Verdict:
        """All of them must hold for one and the same device: this one or one that it hangs on."""
        best: Verdict = False
        for folder in self._ancestors():
            verdict = all_of(*(self._of_parent(folder, token) for token in tokens))
            if verdict:
                return True
            best = None if verdict is None else best
        return best

    def _ancestors(self) -> Iterator[str]:
        path = "sys/" + self._subject.path.lstrip("./")
        while path.count("/") > 1:
            yield path
            path = path.rpartition("/")[0]

    def _of_parent(self, folder: str, token: Token) -> Verdict:
        actual = self._of_folder(folder, token)
        return None if actual is None else _turned(_glob(actual, token), token)

    def _of_folder(self, folder: str, token: Token) -> str | None:
        own = folder.endswith(f"/block/{self._disk.name}")
        if token.key == "KERNELS":
            return folder.rpartition("/")[2]
        if token.key == "ATTRS":
            text = self._tree.text(f"{folder}/{token.name}")
            return text if text is not None or not (self._subject.live or own) else ""
        if token.key == "SUBSYSTEMS":
            return self._linked(f"{folder}/subsystem", "block" if own else None)
        if token.key == "DRIVERS":
            return self._linked(f"{folder}/driver", "" if own else None)
        return None

    def _linked(self, path: str, otherwise: str | None) -> str | None:
        """The last word of a link; where there is none ``otherwise``, and without that what an absent one means."""
        link = self._tree.link(path)
        if link is not None:
            return link.rpartition("/")[2]
        if otherwise is None and self._subject.live:
            return ""
        return otherwise


def _turned(hit: Verdict, token: Token) -> Verdict:
    if hit is None or not token.wants_no:
        return hit
    return not hit


def _glob(value: str, token: Token) -> bool:
    """udev's match: shell patterns, alternatives separated by ``|``."""
    value, pattern = (value.lower(), token.value.lower()) if token.flag == "i" else (value, token.value)
    return any(fnmatch.fnmatchcase(value, part) for part in pattern.split("|"))
