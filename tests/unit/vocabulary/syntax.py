# SPDX-License-Identifier: GPL-3.0-or-later
"""The program's syntax trees: where it names sentences of the catalogue, contains its own, or compares them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

APP = Path(__file__).parents[3] / "app"
PACKAGES = ("disktuner", "disktuner_fleet", "disktuner_watch")
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
    """A file of the program, by its path in its package."""

    path: str
    tree: ast.Module

    @property
    def is_vocabulary(self) -> bool:
        """Whether facts and sentences belong here."""
        return self.path.startswith(("vocabulary/", "english"))


@dataclass(frozen=True, slots=True)
class Use:
    """The ids that a call of ``message``, ``text`` or an error chooses from, with the names of its values.

    ``ids`` are patterns if an id is composed of words (``rival-{}-{}``). ``has_more``: there are values whose names
    only the running program knows.
    """

    place: str
    ids: tuple[str, ...]
    names: frozenset[str]
    has_more: bool


@cache
def modules() -> tuple[Module, ...]:
    """Return all files of the program."""
    return tuple(
        Module(str(path.relative_to(APP / package)), ast.parse(path.read_text(), str(path)))
        for package in PACKAGES
        for path in sorted((APP / package).rglob("*.py"))
    )


@cache
def nodes(module: Module) -> tuple[ast.AST, ...]:
    """Return all of a file's nodes, without their context."""
    return tuple(ast.walk(module.tree))


@cache
def errors() -> Mapping[str, bool]:
    """Return all errors, and whether their first argument is an id, as it is unless they have an ``__init__``."""
    classes = [node for module in modules() for node in nodes(module) if isinstance(node, ast.ClassDef)]
    takes_id = {"DisktunerError": True}
    while more := [
        class_ for class_ in classes if class_.name not in takes_id and takes_id.keys() & set(map(_name, class_.bases))
    ]:
        takes_id |= {
            class_.name: "__init__" not in {getattr(part, "name", "") for part in class_.body} for class_ in more
        }
    return takes_id


def pattern(id_: str) -> re.Pattern[str]:
    """Return the pattern of the ids that a template of words can yield."""
    return re.compile("[a-z-]+".join(map(re.escape, id_.split("{}"))))


def uses(module: Module) -> Iterator[Use]:
    """Yield every place where a literal id stands for a sentence."""
    makers = _imported_makers(module)
    for node, inside in _walk(module.tree):
        if isinstance(node, ast.Call) and node.args and _makes(node, inside, makers):
            names = frozenset(keyword.arg for keyword in node.keywords if keyword.arg)
            more = any(keyword.arg is None for keyword in node.keywords)
            if ids := tuple(_literals(node.args[0])):
                yield Use(f"{module.path}:{node.lineno}", ids, names, more)


def strings(module: Module) -> Iterator[str]:
    """Return every string in the file that could be an id, or a pattern of ids."""
    for node in nodes(module):
        literal = _string(node)
        if literal is not None and ID.fullmatch(literal):
            yield literal


def sentences(module: Module) -> Iterator[str]:
    """Yield every sentence in the file itself that is not only for programmers."""
    exempt = _exempt(module)
    for node in nodes(module):
        literal = _string(node)
        if literal is not None and id(node) not in exempt and SENTENCE.fullmatch(literal.strip()):
            yield f"{module.path}:{node.lineno}: {literal}"  # type: ignore[attr-defined]


def comparisons(module: Module) -> Iterator[str]:
    """Yield every place where code compares, searches or splits sentences, or a text of several words."""
    caught = frozenset(node.name for node in nodes(module) if isinstance(node, ast.ExceptHandler) and node.name)
    for node in nodes(module):
        if any(_is_words(operand) or _is_said(operand, caught) for operand in _looked_at(node)):
            yield f"{module.path}:{node.lineno}: {ast.unparse(node)}"  # type: ignore[attr-defined]


def _walk(tree: ast.AST, inside: str = "") -> Iterator[tuple[ast.AST, str]]:
    """Yield all nodes, each with the name of its class."""
    for node in ast.iter_child_nodes(tree):
        yield node, inside
        yield from _walk(node, node.name if isinstance(node, ast.ClassDef) else inside)


def _name(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def _imported_makers(module: Module) -> frozenset[str]:
    if module.path == "vocabulary/messages.py":
        return frozenset()
    return frozenset(
        name.asname or name.name
        for node in nodes(module)
        if isinstance(node, ast.ImportFrom) and node.module == "disktuner.vocabulary.messages"
        for name in node.names
        if name.name in {*MAKES, "Message"}
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
    """Return the ids that an expression chooses from; none if they are not literal."""
    if isinstance(node, ast.IfExp):
        yield from _literals(node.body)
        yield from _literals(node.orelse)
    else:
        literal = _string(node)
        if literal is not None:
            yield literal


def _string(node: ast.AST) -> str | None:
    """Return a literal string, with the values of an f-string left open."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(str(value.value) if isinstance(value, ast.Constant) else "{}" for value in node.values)
    return None


def _exempt(module: Module) -> set[int]:
    """Return the strings for programmers: docstrings, logs, commands' help, and errors that only bugs raise."""
    exempt: set[int] = set()

    def leave_out(node: ast.AST) -> None:
        exempt.update(id(part) for part in ast.walk(node))

    for node in nodes(module):
        if isinstance(node, ast.JoinedStr):
            exempt.update(id(part) for part in ast.walk(node) if part is not node and isinstance(part, ast.Constant))
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
    return exempt


def _looked_at(node: ast.AST) -> list[ast.expr]:
    """Return what a comparison, or a call that reads a text, looks at."""
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
