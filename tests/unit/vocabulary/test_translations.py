# SPDX-License-Identifier: GPL-3.0-or-later
"""Every language covers all current English, in all files, with the same placeholders, and nothing obsolete."""

from __future__ import annotations

import ast
import re
import string
from collections import Counter
from functools import cache
from inspect import isfunction
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog
from tests.catalogues import catalogue, files
from tests.catalogues.catalogue import TRANSLATED, entries, file_of, forms, open_ids, translations
from tests.catalogues.content import all_said, facts
from tests.unit.vocabulary import syntax

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
    ids = {catalogue.key_of(entry): entry.id for entry in entries(read(id_))}
    texts = {text.key: text.english for text in all_said()}
    assert ids == texts, "./dev languages brings the catalogues up to date"
    assert list(open_ids(read(id_))) == [], "./dev languages lists what is to be translated"


@every_language
def test_a_translation_has_the_places_of_its_english(id_: str) -> None:
    """A plural's form for a single thing may leave out the count, as English does, or name it."""
    wrong = []
    for entry in entries(read(id_)):
        english = (entry.id,) if isinstance(entry.id, str) else entry.id
        wanted = {frozenset(_places(form)) for form in english}
        if len(english) > 1:
            wanted |= {frozenset(_places(english[1])) | {"{count}"}, frozenset(_places(english[1])) - {"{count}"}}
        wrong += [
            f"{entry.context}: {form}" for form in forms(entry) if form and frozenset(_places(form)) not in wanted
        ]
    assert wrong == []


def _places(form: str) -> Counter[str]:
    """Return a text's placeholders with their formats, and those that argparse and polkit fill."""
    try:
        ours = [f"{{{name}{'!' + how if how else ''}{':' + way if way and name != '0' else ''}}}"
                for _, name, way, how in string.Formatter().parse(form) if name is not None]  # fmt: skip
    except ValueError:
        ours = []
    return Counter([*ours, *re.findall(r"%\(\w+\)[sr]|%[sr]|\$\([\w.]+\)", form)])


@every_language
def test_what_is_compiled_is_the_catalogue(id_: str) -> None:
    spoken, strings = language_of(id_), {entry.context: entry for entry in entries(read(id_))}
    assert spoken.id == id_
    for key in (key for key in TEXTS.keys() - {"literal"} if all(forms(strings[key]))):
        texts = spoken.texts[key]
        assert ((texts,) if isinstance(texts, str) else texts) == forms(strings[key]), "./dev setup compiles it anew"
    with speaking(spoken):
        assert {name: named(name) for name in facts()} == {
            entry.id: entry.string or entry.id for entry in entries(read(id_)) if entry.context == "fact"
        }


@pytest.mark.parametrize("file", files.CONTEXTS, ids=lambda file: file.name)
def test_the_files_of_others_have_the_translations(file: Path) -> None:
    catalogues = {id_: read(id_) for id_ in TRANSLATED}
    now = file.read_text(encoding="utf-8")
    assert now == files.written(file, lambda *words: translations(catalogues, *words)), "./dev languages writes them"
    for id_ in TRANSLATED:
        marks = now.count(f"[{id_}]=" if file == files.DESKTOP else f'xml:lang="{id_}"')
        assert marks == sum(context == files.CONTEXTS[file] for context, _ in files.said())


def test_numbers_are_written_in_the_language() -> None:
    """Code that formats a number names the language; without it, English applies."""
    writers = {f"units.{name}" for name, member in vars(units).items() if isfunction(member) and name[0] != "_"}
    writers -= {"units.words", "units.clock", "units.longest"}
    calls = [
        f"{module.path}: {ast.unparse(call)}"
        for module in syntax.modules()
        if not module.is_vocabulary
        for call in syntax.nodes(module)
        if isinstance(call, ast.Call) and len(call.args) < 2 and ast.unparse(call.func) in writers
    ]
    assert calls == []
