# SPDX-License-Identifier: GPL-3.0-or-later
"""The program's syntax trees: where it names sentences of the catalogue, holds some of its own, or compares them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

APP = Path(__file__).parents[3] / "app" / "disktuner"
SENTENCE = re.compile(r"[A-Z“].* .*[.!?]", re.DOTALL)
"""Begins with a capital, has several words, ends with a full stop."""

ID = re.compile(r"(?=.*[a-z]{3})[a-z{][a-z0-9{}-]*")
WORDS = re.compile(r"[A-Za-z]{2,},? [A-Za-z]{2,}")
READS = frozenset(
    {"startswith", "endswith", "partition", "rpartition", "split", "rsplit", "removeprefix", "removesuffix", "find"}
    | {"rfind", "index", "replace", "count", "match", "search", "fullmatch"}
)
SAYS = frozenset({"say", "text", "say_all"})
MAKES = frozenset({"message", "text"})
LOGS = frozenset({"debug", "info", "warning", "error", "exception", "critical"})
HELP = frozenset({"help", "description", "epilog"})
OF_PROGRAMMERS = frozenset({"ValueError", "TypeError", "KeyError", "RuntimeError", "AssertionError", "SystemError"})


@dataclass(frozen=True, slots=True)
class Module:
    """A file of the program, by its path below app/disktuner."""

    path: str
    tree: ast.Module

    @property
    def is_vocabulary(self) -> bool:
        """Facts and sentences belong here."""
        return self.path.startswith("vocabulary/")


@dataclass(frozen=True, slots=True)
class Use:
    """The ids that a call of ``message``, ``text`` or an error chooses from, with the names of its values.

    ``ids`` are patterns where an id is put together of words (``rival-{}-{}``). ``has_more`` says that there are values
    of which only the running program knows the names.
    """

    place: str
    ids: tuple[str, ...]
    names: frozenset[str]
    has_more: bool


@cache
def modules() -> tuple[Module, ...]:
    """All files of the program."""
    return tuple(
        Module(str(path.relative_to(APP)), ast.parse(path.read_text(), str(path))) for path in sorted(APP.rglob("*.py"))
    )


@cache
def nodes(module: Module) -> tuple[ast.AST, ...]:
    """All of a file's nodes, for what need not know where they stand."""
    return tuple(ast.walk(module.tree))


@cache
def errors() -> Mapping[str, bool]:
    """All errors, and whether their first argument is an id: it is where they have no ``__init__`` of their own."""
    classes = [node for module in modules() for node in nodes(module) if isinstance(node, ast.ClassDef)]
    found = {"DisktunerError": True}
    while more := [each for each in classes if each.name not in found and found.keys() & set(map(_name, each.bases))]:
        found |= {each.name: "__init__" not in {getattr(part, "name", "") for part in each.body} for each in more}
    return found


def pattern(id_: str) -> re.Pattern[str]:
    """What an id may be that is put together of words."""
    return re.compile("[a-z-]+".join(map(re.escape, id_.split("{}"))))


def uses(module: Module) -> Iterator[Use]:
    """Every place where a literal id stands for a sentence."""
    makers = _imported_makers(module)
    for node, inside in _walk(module.tree):
        if isinstance(node, ast.Call) and node.args and _makes(node, inside, makers):
            names = frozenset(each.arg for each in node.keywords if each.arg)
            more = any(each.arg is None for each in node.keywords)
            if ids := tuple(_literals(node.args[0])):
                yield Use(f"{module.path}:{node.lineno}", ids, names, more)


def strings(module: Module) -> Iterator[str]:
    """Every string in the file that could be an id, or the pattern of some."""
    for node in nodes(module):
        shown = _string(node)
        if shown is not None and ID.fullmatch(shown):
            yield shown


def sentences(module: Module) -> Iterator[str]:
    """Every sentence that stands in the file itself and that nobody but a reader of the program is to read."""
    exempt = _exempt(module)
    for node in nodes(module):
        shown = _string(node)
        if shown is not None and id(node) not in exempt and SENTENCE.fullmatch(shown.strip()):
            yield f"{module.path}:{node.lineno}: {shown}"  # type: ignore[attr-defined]


def comparisons(module: Module) -> Iterator[str]:
    """Every place where code looks into words: compares, searches or splits what is said, or a text of some words."""
    caught = frozenset(each.name for each in nodes(module) if isinstance(each, ast.ExceptHandler) and each.name)
    for node in nodes(module):
        if any(_is_words(each) or _is_said(each, caught) for each in _looked_at(node)):
            yield f"{module.path}:{node.lineno}: {ast.unparse(node)}"  # type: ignore[attr-defined]


def _walk(tree: ast.AST, inside: str = "") -> Iterator[tuple[ast.AST, str]]:
    """All nodes, each with the name of the class that it stands in."""
    for node in ast.iter_child_nodes(tree):
        yield node, inside
        yield from _walk(node, node.name if isinstance(node, ast.ClassDef) else inside)


def _name(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def _imported_makers(module: Module) -> frozenset[str]:
    if module.path == "vocabulary/messages.py":
        return frozenset()
    return frozenset(
        each.asname or each.name
        for node in nodes(module)
        if isinstance(node, ast.ImportFrom) and node.module == "disktuner.vocabulary.messages"
        for each in node.names
        if each.name in {*MAKES, "Message"}
    )


def _makes(call: ast.Call, inside: str, makers: frozenset[str]) -> bool:
    function = call.func
    if isinstance(function, ast.Attribute) and function.attr == "__init__":
        return inside in errors() and ast.unparse(function.value) == "super()"
    if isinstance(function, ast.Name) and function.id in makers:
        return True
    name = _name(function)
    return errors().get(inside if name == "cls" else name, False)


def _literals(node: ast.expr) -> Iterator[str]:
    """The ids that an expression chooses from; none where they are not written here."""
    if isinstance(node, ast.IfExp):
        yield from _literals(node.body)
        yield from _literals(node.orelse)
    else:
        shown = _string(node)
        if shown is not None:
            yield shown


def _string(node: ast.AST) -> str | None:
    """A literal string; the values of an f-string are left open."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(str(each.value) if isinstance(each, ast.Constant) else "{}" for each in node.values)
    return None


def _exempt(module: Module) -> set[int]:
    """The strings for programmers: docstrings, logs, the help of commands, what only a wrong program raises."""
    found: set[int] = set()

    def leave_out(node: ast.AST) -> None:
        found.update(id(each) for each in ast.walk(node))

    for node in nodes(module):
        if isinstance(node, ast.JoinedStr):
            found.update(id(each) for each in ast.walk(node) if each is not node and isinstance(each, ast.Constant))
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            leave_out(node)
        elif isinstance(node, ast.Assert) and node.msg:
            leave_out(node.msg)
        elif isinstance(node, ast.Call):
            if _name(node.func) in LOGS | OF_PROGRAMMERS:
                leave_out(node)
            for keyword in node.keywords:
                if keyword.arg in HELP:
                    leave_out(keyword)
    return found


def _looked_at(node: ast.AST) -> list[ast.expr]:
    """What a comparison, or a call that reads a text, looks at."""
    if isinstance(node, ast.Compare):
        if any(isinstance(op, ast.Eq | ast.NotEq | ast.In | ast.NotIn) for op in node.ops):
            return [node.left, *node.comparators]
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in READS and node.args:
        return [node.func.value, *node.args]
    elif isinstance(node, ast.MatchValue):
        return [node.value]
    return []


def _is_words(node: ast.expr) -> bool:
    if isinstance(node, ast.Tuple | ast.List | ast.Set):
        return any(map(_is_words, node.elts))
    return bool(WORDS.search(_string(node) or ""))


def _is_said(node: ast.expr, caught: frozenset[str]) -> bool:
    if not isinstance(node, ast.Call):
        return False
    if _name(node.func) in SAYS and isinstance(node.func, ast.Name):
        return True
    return _name(node.func) == "str" and bool(node.args) and _name(node.args[0]) in caught
