# SPDX-License-Identifier: GPL-3.0-or-later
"""Every language says everything that English says now, in all files, with the same places, and none is left over."""

from __future__ import annotations

import ast
import re
import string
import subprocess
from collections import Counter
from functools import cache
from inspect import isfunction
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog
from tests import needs
from tests.catalogues import catalogue, files
from tests.catalogues.catalogue import TRANSLATED, entries, file_of, forms, open_ids, translations
from tests.catalogues.content import all_said, facts
from tests.unit.vocabulary import syntax

from disktuner.cli import usage
from disktuner.vocabulary import units
from disktuner.vocabulary.english import TEXTS
from disktuner.vocabulary.languages import language_of
from disktuner.vocabulary.messages import named, speaking

every_language = pytest.mark.parametrize("id_", TRANSLATED)


@cache
def read(id_: str) -> Catalog:
    return catalogue.read(file_of(id_))


@every_language
def test_all_that_is_said_in_english_is_translated_and_up_to_date(id_: str) -> None:
    found = {catalogue.key_of(each): each.id for each in entries(read(id_))}
    said = {each.key: each.english for each in all_said()}
    assert found == said, "./dev languages brings the catalogues up to date"
    assert list(open_ids(read(id_))) == [], "./dev languages lists what is to be translated"


@every_language
def test_a_translation_has_the_places_of_its_english(id_: str) -> None:
    """A form of the plural for one thing only may leave out the count, as English does, or name it nevertheless."""
    wrong = []
    for each in entries(read(id_)):
        english = (each.id,) if isinstance(each.id, str) else each.id
        wanted = {frozenset(_places(form)) for form in english}
        if len(english) > 1:
            wanted |= {frozenset(_places(english[1])) | {"{count}"}, frozenset(_places(english[1])) - {"{count}"}}
        wrong += [f"{each.context}: {form}" for form in forms(each) if form and frozenset(_places(form)) not in wanted]
    assert wrong == []


def _places(form: str) -> Counter[str]:
    """The places of a text with how each is written, and those that others fill: argparse, polkit."""
    try:
        ours = [f"{{{name}{'!' + how if how else ''}{':' + way if way and name != '0' else ''}}}"
                for _, name, way, how in string.Formatter().parse(form) if name is not None]  # fmt: skip
    except ValueError:
        ours = []
    return Counter([*ours, *re.findall(r"%\(\w+\)[sr]|%[sr]|\$\([\w.]+\)", form)])


@every_language
def test_what_is_compiled_is_the_catalogue(id_: str) -> None:
    spoken, found = language_of(id_), {each.context: each for each in entries(read(id_))}
    assert spoken.id == id_
    for key in (key for key in TEXTS.keys() - {"literal"} if all(forms(found[key]))):
        shown = spoken.texts[key]
        assert ((shown,) if isinstance(shown, str) else shown) == forms(found[key]), "./dev setup compiles it anew"
    with speaking(spoken):
        assert {name: named(name) for name in facts()} == {
            each.id: each.string or each.id for each in entries(read(id_)) if each.context == "fact"
        }


@needs.programs("i18nspector")
def test_the_catalogues_are_well_formed() -> None:
    done = subprocess.run(["i18nspector", *map(file_of, TRANSLATED)], capture_output=True, text=True, check=True)
    assert done.stdout == ""


@pytest.mark.parametrize("file", files.CONTEXTS, ids=lambda file: file.name)
def test_the_files_of_others_have_the_translations(file: Path) -> None:
    catalogues = {id_: read(id_) for id_ in TRANSLATED}
    now = file.read_text(encoding="utf-8")
    assert now == files.written(file, lambda *words: translations(catalogues, *words)), "./dev languages writes them"
    for id_ in TRANSLATED:
        marks = now.count(f"[{id_}]=" if file == files.DESKTOP else f'xml:lang="{id_}"')
        assert marks == sum(context == files.CONTEXTS[file] for context, _ in files.said())


def test_numbers_are_written_in_the_language() -> None:
    """Whoever writes a number says in which: without it stands English's."""
    writers = {f"units.{name}" for name, each in vars(units).items() if isfunction(each) and name[0] != "_"}
    writers -= {"units.words", "units.clock"}
    calls = [
        f"{module.path}: {ast.unparse(call)}"
        for module in syntax.modules()
        if not module.is_vocabulary
        for call in syntax.nodes(module)
        if isinstance(call, ast.Call) and len(call.args) < 2 and ast.unparse(call.func) in writers
    ]
    assert calls == []


def test_argparse_says_nothing_else() -> None:
    """Of what argparse of this Python asks gettext for, the rest is said to who writes a parser only."""
    import argparse

    tree = ast.parse(Path(argparse.__file__).read_text(encoding="utf-8"))
    asked = {
        call.args[0].value
        for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call))
        if getattr(call.func, "id", "") == "_" and isinstance(call.args[0], ast.Constant)
    }
    known = {*usage.WORDS, *(each for each in asked if any(word in each for word in OF_PARSERS))}
    assert asked <= known, "declare it in cli/usage.py"


OF_PARSERS = (
    *("__call__", "conflicting", "unknown parser", 'argument "-"', "can't open", "cannot merge", "not callable"),
    *("invalid argument for", "invalid option string", "dest=", "conflict_resolution", "mutually exclusive"),
    *("cannot have multiple", "subcommands", "is deprecated", "warning: ", "(default: ", "program's version"),
    "%(heading)s:",
)
"""What of argparse's words only those read who declare arguments wrongly, or otherwise than here; and a mere colon."""
